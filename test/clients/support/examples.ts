import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { quotes } from './docs.ts'
import { book, citedAnswer } from './questions.ts'
import type { ClientWorld } from './world.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const hook = path.join(import.meta.dirname, 'resolve-from.ts')

/**
 * Runs a file of `examples/` unchanged, with the packages of a family, against the service. Also checks that
 * the docs quote it.
 * @param shows output about the sources, besides the text of both answers.
 */
export function testExample(
  world: () => ClientWorld,
  family: string,
  file: string,
  shows: string | RegExp = `1 ${book.ref} verbatim`,
): void {
  test(`examples/${file} shows its answer and its source, and goes on in the session`, async () => {
    expect(quotes(file), 'docs/clients.md quotes the file').toBe(true)
    const place = await world().place()
    const example = path.join(root, 'examples', file)
    const [program, args] = file.endsWith('.sh')
      ? (['sh', [example]] as const)
      : ([process.execPath, ['--import', hook, example]] as const)
    const folder = await mkdtemp(path.join(tmpdir(), 'example-'))
    const { stdout } = await promisify(execFile)(program, [...args], {
      cwd: folder,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        PACKAGES_OF: family,
        BASE_URL: place.baseUrl,
        API_KEY: place.key,
      },
      timeout: 60_000,
    }).finally(() => rm(folder, { recursive: true }))
    expect(stdout).toContain(citedAnswer.text)
    expect(stdout).toMatch(shows)
    const runs = await place.runs()
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(new Set(runs.map(({ session_id }) => session_id)).size).toBe(1)
  })
}
