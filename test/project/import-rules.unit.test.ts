import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBreaches } from '../../build/rooms/breaches.ts'
import { readTree } from '../../build/rooms/imports.ts'

type Texts = ReadonlyMap<string, string>

let sources: Texts
let readmes: Texts
let layers: string

beforeAll(async () => {
  layers = await readFile('src/layers.yaml', 'utf8')
  sources = await readTree('src', /\.ts$/)
  readmes = await readTree('src', /^README\.md$/)
})

const small = {
  readmes: new Map([
    ['README.md', '# src\n\n## ids.ts\n\nIdentifiers.\n'],
    ['shop/README.md', '# shop\n\nDoor: `till.ts`.\n'],
    ['shop/cellar/README.md', '# cellar\n\nDoor: `wine.ts`.\n'],
    ['street/README.md', '# street\n\nDoor: `walk.ts`.\n'],
  ]),
  layers: `
ids.ts: {}
shop:
  rooms: cellar .
  imports: ids.ts
  packages: zod
street:
  imports: shop
  also:
    .: ids.ts
`,
  sources: new Map([
    ['ids.ts', ''],
    ['shop/till.ts', "import { z } from 'zod'\nimport { newId } from '../ids.ts'\n"],
    ['shop/drawer.ts', "import { till } from './till.ts'\nimport { wine } from './cellar/wine.ts'\n"],
    ['shop/cellar/wine.ts', ''],
    ['street/walk.ts', "import { till } from '../shop/till.ts'\nimport { newId } from '../ids.ts'\n"],
  ]),
}

const breachesWith = (file: string, text: string) =>
  findBreaches(new Map([...small.sources, [file, text]]), small.readmes, small.layers)

describe('the check of rooms', () => {
  test('finds nothing where every import is listed', () => {
    expect(findBreaches(small.sources, small.readmes, small.layers)).toEqual([])
  })

  test('refuses an import of a room of another part that is not listed', () => {
    expect(breachesWith('shop/sign.ts', "import type { Walk } from '../street/walk.ts'")).toContain(
      'shop/sign.ts imports street/walk.ts, but src/layers.yaml does not let shop import street.',
    )
  })

  test('refuses an import that does not go through the door', () => {
    expect(breachesWith('street/thief.ts', "export { drawer } from '../shop/drawer.ts'")).toEqual([
      'street/thief.ts imports shop/drawer.ts, which is no door of shop.',
    ])
  })

  test('refuses a dynamic import as a static one', () => {
    expect(breachesWith('street/thief.ts', "const drawer = await import('../shop/drawer.ts')")).toHaveLength(
      1,
    )
  })

  test('refuses a package that is not listed', () => {
    expect(breachesWith('shop/db.ts', "import {\n  Pool,\n} from 'pg'")).toEqual([
      'shop/db.ts imports the package pg, which src/layers.yaml does not list for shop.',
    ])
  })

  test('refuses a file in a folder without a README', () => {
    expect(breachesWith('attic/chest.ts', "import { newId } from '../ids.ts'")).toEqual([
      'attic/chest.ts stands in no room: no README.md describes its folder.',
    ])
  })

  test('refuses an import of a room that stands later in its part', () => {
    expect(breachesWith('shop/cellar/stairs.ts', "import { till } from '../till.ts'")).toEqual([
      'shop/cellar/stairs.ts imports shop/till.ts, but src/layers.yaml does not let shop/cellar import shop.',
    ])
  })

  test('refuses a room without a place', () => {
    const readmes = new Map([...small.readmes, ['attic/README.md', '# attic\n']])
    expect(findBreaches(small.sources, readmes, small.layers)).toEqual([
      'attic has no place in src/layers.yaml.',
    ])
  })

  test('refuses files that import each other, also for their types', () => {
    const circle = new Map([
      ['shop/a.ts', "import type { B } from './b.ts'"],
      ['shop/b.ts', "import type { C } from './c.ts'"],
      ['shop/c.ts', "import type { A } from './a.ts'"],
    ])
    expect(findBreaches(new Map([...small.sources, ...circle]), small.readmes, small.layers)).toEqual([
      'These files import each other: shop/a.ts, shop/b.ts, shop/c.ts.',
    ])
  })

  test('refuses a folder of more than 15 files', () => {
    const shelves = Array.from({ length: 14 }, (_, i) => [`shop/shelf-${i}.ts`, ''] as const)
    expect(findBreaches(new Map([...small.sources, ...shelves]), small.readmes, small.layers)).toEqual([
      'src/shop holds 16 files; more than 15 want rooms.',
    ])
  })

  test('refuses a door and a layer that do not exist', () => {
    const readmes = new Map([
      ...small.readmes,
      ['shop/README.md', '# shop\n\nDoor: `till.ts`, `window.ts`.\n'],
    ])
    const places = small.layers.replace('imports: ids.ts', 'imports: ids.ts moon')
    expect(findBreaches(small.sources, readmes, places)).toEqual([
      'src/shop/README.md names shop/window.ts, which does not exist.',
      'src/layers.yaml names moon, which does not exist.',
    ])
  })
})

test('the source files keep to their rooms', () => {
  expect(findBreaches(sources, readmes, layers)).toEqual([])
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
  for (const target of mayNot) {
    const relative = path.posix.relative(path.posix.dirname(from), target)
    const specifier = !target.endsWith('.ts') ? target : relative.startsWith('.') ? relative : `./${relative}`
    const planted = new Map([...sources, [from, `import { probe } from '${specifier}'`]])
    expect(
      findBreaches(planted, readmes, layers).filter((breach) => breach.startsWith(`${from} imports`)),
    ).toHaveLength(1)
  }
})

test('routes and pages take withTx and types from db/client and nothing else', async () => {
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
