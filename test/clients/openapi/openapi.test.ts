import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { useClientWorld } from '../support/conformance.ts'

const world = useClientWorld()
const folder = useFolder()

beforeAll(async () => {
  const { baseUrl } = await world().place()
  const document = await (await fetch(new URL('/openapi.json', baseUrl))).text()
  await writeFile(path.join(folder, 'openapi.json'), document)
  await writeFile(path.join(folder, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n')
})

/** Runs a linter of this folder on the document. @returns its output, if it fails too. */
async function lint(program: string, ...args: readonly string[]): Promise<string> {
  const file = path.join(import.meta.dirname, 'node_modules', program)
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  const run = promisify(execFile)(process.execPath, [file, 'lint', 'openapi.json', ...args], {
    cwd: folder,
    env,
  })
  return (
    await run.catch((failure: { readonly stdout?: string }) => ({
      stdout: failure.stdout ?? String(failure),
    }))
  ).stdout
}

test('Spectral finds nothing in the document', async () => {
  const program = '@stoplight/spectral-cli/dist/index.js'
  const found = JSON.parse(await lint(program, '--ruleset', 'ruleset.yaml', '--format', 'json', '--quiet'))
  expect(found).toEqual([])
})

test('Redocly finds nothing in the document by its recommended rules', async () => {
  const { totals, problems } = JSON.parse(await lint('@redocly/cli/bin/cli.js', '--format', 'json'))
  expect(problems).toEqual([])
  expect(totals).toMatchObject({ errors: 0, warnings: 0 })
})
