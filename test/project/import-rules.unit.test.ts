import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { findBreaches } from '../../build/rooms/breaches.ts'
import { readTree } from '../../build/rooms/imports.ts'
import { isShort } from '../support/full.ts'

/** Of the sources with all imports of `floors` planted in them. */
let breaches: readonly string[]

beforeAll(async () => {
  const layers = await readFile('src/layers.yaml', 'utf8')
  const sources = await readTree('src', /\.ts$/)
  const readmes = await readTree('src', /^README\.md$/)
  const planted = new Map([...sources, ...floors.map((floor) => [floor[0], importing(floor)] as const)])
  breaches = findBreaches(planted, readmes, layers)
})

/** What the floors of docs/architecture.md refuse, whatever src/layers.yaml says. Targets are doors of their rooms. */
const floors: readonly (readonly [from: string, mayNot: readonly string[]])[] = [
  ['app.ts', ['server.ts', 'cli.ts', 'installation.ts', 'turns/drive/runner.ts', 'db/client.ts']],
  ['installation.ts', ['server.ts', 'cli.ts', 'app.ts', 'routes/files.ts', 'http/auth.ts']],
  ['commands/probe.ts', ['server.ts', 'cli.ts', 'app.ts', 'routes/files.ts', 'http/auth.ts']],
  ['routes/probe.ts', ['app.ts', 'server.ts', 'installation.ts', 'db/schema/index.ts', 'pg', 'drizzle-orm']],
  [
    'web/pages/probe.ts',
    ['app.ts', 'server.ts', 'routes/files.ts', 'db/schema/index.ts', 'pg', 'drizzle-orm'],
  ],
  [
    'http/probe.ts',
    ['app.ts', 'routes/files.ts', 'agent/loop.ts', 'sources/search.ts', 'workspace/files.ts'],
  ],
  [
    'turns/run/probe.ts',
    ['app.ts', 'routes/files.ts', 'http/lists.ts', 'fastify', 'otel.ts', 'telemetry.ts'],
  ],
  [
    'agent/probe.ts',
    ['turns/run/run.ts', 'sources/search.ts', 'billing/pricing.ts', 'db/client.ts', 'pg', 'fastify'],
  ],
  [
    'sources/probe.ts',
    ['workspace/files.ts', 'billing/ledger.ts', 'accounts/plans.ts', 'http/auth.ts', 'fastify'],
  ],
  ['workspace/probe.ts', ['billing/ledger.ts', 'accounts/plans.ts', 'turns/run/run.ts', 'fastify']],
  [
    'billing/probe.ts',
    ['agent/tools.ts', 'sources/search.ts', 'workspace/files.ts', 'turns/run/run.ts', 'fastify'],
  ],
  ['accounts/probe.ts', ['billing/ledger.ts', 'agent/tools.ts', 'sources/search.ts', 'turns/run/run.ts']],
  ['db/probe.ts', ['accounts/plans.ts', 'agent/tools.ts', 'turns/run/run.ts', 'http/auth.ts', 'fastify']],
  ['threads.ts', ['db/client.ts', 'ids.ts', 'log.ts']],
]

test.each(floors)('%s imports nothing from above it', (from, mayNot) => {
  const found = breaches.filter((breach) => breach.startsWith(`${from} imports`))
  expect(found).toHaveLength(mayNot.length)
})

function importing([from, targets]: (typeof floors)[number]): string {
  const lines = targets.map((target, i) => {
    const relative = path.posix.relative(path.posix.dirname(from), target)
    const specifier = !target.endsWith('.ts') ? target : relative.startsWith('.') ? relative : `./${relative}`
    return `import { probe${i} } from '${specifier}'`
  })
  return lines.join('\n')
}

test.skipIf(isShort)('routes and pages take withTx and types from db/client and nothing else', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'import-rules-'))
  try {
    await cp('biome.json', path.join(folder, 'biome.json'))
    const probe = path.join(folder, 'src/routes/probe.ts')
    await mkdir(path.dirname(probe), { recursive: true })
    const line = (names: string) => `import { ${names} } from '../db/client.ts'\n`
    const text = line('withTx') + line('type Database, type Executor, type Scope') + line('openDatabase')
    await writeFile(probe, text)
    const run = promisify(execFile)(
      path.resolve('node_modules/.bin/biome'),
      ['lint', '--vcs-enabled=false', '--reporter=json', 'src'],
      { cwd: folder },
    )
    // It exits with 1 when it finds something.
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    const report = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { start: { line: number } } }[]
    }
    const refused = report.diagnostics.filter(({ category }) => category === 'lint/style/noRestrictedImports')
    expect(refused.map(({ location }) => location.start.line)).toEqual([3])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
