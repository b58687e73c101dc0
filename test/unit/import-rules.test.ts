import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

/**
 * The import table of docs/architecture.md, proven by breaking it: files that hold one import a line are linted with
 * the project's own configuration, in a folder of their own.
 */

/** What a file in a folder may not import, and what it may, as paths under `src` or names of packages. */
const table: readonly {
  readonly from: string
  readonly may: readonly string[]
  readonly mayNot: readonly string[]
}[] = [
  {
    from: 'app.ts',
    may: ['routes/files.ts', 'routes/chat/route.ts', 'web/pages.ts', 'http/auth.ts', 'ids.ts', 'errors.ts'],
    mayNot: ['server.ts', 'cli.ts', 'installation.ts', 'commands/keys.ts', 'turns/runner.ts', 'db/client.ts'],
  },
  {
    from: 'installation.ts',
    may: ['db/embedded.ts', 'accounts/pepper.ts', 'config.ts'],
    mayNot: ['server.ts', 'cli.ts', 'app.ts', 'routes/files.ts', 'http/auth.ts', 'web/pages.ts'],
  },
  { from: 'first-start.ts', may: ['accounts/keys.ts', 'db/client.ts'], mayNot: ['app.ts', 'http/auth.ts'] },
  {
    from: 'commands/probe.ts',
    may: ['installation.ts', 'accounts/keys.ts', 'billing/ledger.ts', 'sources/search.ts', 'db/client.ts'],
    mayNot: ['server.ts', 'cli.ts', 'app.ts', 'routes/files.ts', 'http/auth.ts', 'web/pages.ts'],
  },
  ...['routes/probe.ts', 'routes/chat/probe.ts', 'web/probe.ts'].map((from) => ({
    from,
    may: [
      ...['http/auth.ts', 'turns/runner.ts', 'agent/provider.ts', 'sources/search.ts', 'workspace/files.ts'],
      ...['billing/credits.ts', 'accounts/principal.ts', 'errors.ts', 'ids.ts', 'log.ts'],
    ],
    mayNot: [
      ...['app.ts', 'server.ts', 'installation.ts', 'commands/keys.ts', 'db/schema/index.ts'],
      ...['db/errors.ts', 'db/migrate.ts', 'db/embedded.ts', 'drizzle-orm', 'drizzle-orm/pg-core', 'pg'],
      from.startsWith('web') ? 'routes/files.ts' : 'web/pages.ts',
    ],
  })),
  {
    from: 'http/probe.ts',
    may: [
      ...['accounts/principal.ts', 'accounts/keys.ts', 'accounts/pepper.ts', 'accounts/plans.ts'],
      ...['accounts/scopes.ts', 'db/client.ts', 'db/errors.ts', 'errors.ts', 'tracing.ts', 'fastify'],
    ],
    mayNot: [
      ...[
        'app.ts',
        'routes/services.ts',
        'web/pages.ts',
        'turns/runner.ts',
        'agent/loop.ts',
        'sources/search.ts',
      ],
      ...['workspace/files.ts', 'billing/credits.ts', 'accounts/accounts.ts', 'accounts/passwords.ts', 'pg'],
    ],
  },
  {
    from: 'http/transfers/probe.ts',
    may: [
      'http/stream.ts',
      'turns/follow.ts',
      'workspace/uploads.ts',
      'db/client.ts',
      'errors.ts',
      'fastify',
    ],
    mayNot: ['app.ts', 'routes/services.ts', 'web/pages.ts', 'db/schema/index.ts', 'drizzle-orm', 'pg'],
  },
  {
    from: 'turns/probe.ts',
    may: [
      ...['agent/loop.ts', 'sources/register.ts', 'sources/citations/renderer.ts', 'workspace/files.ts'],
      ...['billing/ledger.ts', 'accounts/keys.ts', 'db/schema/index.ts', 'config.ts', 'log.ts', 'errors.ts'],
    ],
    mayNot: [
      ...['app.ts', 'routes/services.ts', 'web/pages.ts', 'http/lists.ts', 'installation.ts', 'fastify'],
      ...['otel.ts', 'telemetry.ts'],
    ],
  },
  {
    from: 'agent/probe.ts',
    may: ['agent/loop.ts', 'errors.ts', 'undici'],
    mayNot: [
      ...['turns/runner.ts', 'sources/search.ts', 'workspace/files.ts', 'billing/pricing.ts', 'http/auth.ts'],
      ...['accounts/plans.ts', 'db/client.ts', 'db/errors.ts', 'ids.ts', 'config.ts', 'log.ts'],
      ...['fastify', 'pg', 'drizzle-orm'],
    ],
  },
  ...['sources/probe.ts', 'sources/citations/probe.ts'].map((from) => ({
    from,
    may: [
      ...['agent/tools.ts', 'agent/provider.ts', 'agent/events.ts', 'sources/fold.ts', 'db/client.ts'],
      ...['db/schema/index.ts', 'errors.ts', 'threads.ts', 'drizzle-orm'],
    ],
    mayNot: [
      ...['agent/loop.ts', 'agent/openai-provider.ts', 'workspace/files.ts', 'billing/ledger.ts', 'fastify'],
      ...['accounts/plans.ts', 'turns/runner.ts', 'http/auth.ts', 'routes/services.ts'],
    ],
  })),
  {
    from: 'workspace/probe.ts',
    may: ['agent/tools.ts', 'sources/search.ts', 'sources/citations/check.ts', 'db/client.ts', 'ids.ts'],
    mayNot: ['agent/loop.ts', 'billing/ledger.ts', 'accounts/plans.ts', 'turns/runner.ts', 'fastify'],
  },
  {
    from: 'billing/probe.ts',
    may: ['accounts/plans.ts', 'db/client.ts', 'errors.ts'],
    mayNot: ['agent/tools.ts', 'sources/search.ts', 'workspace/files.ts', 'turns/runner.ts', 'fastify'],
  },
  {
    from: 'accounts/probe.ts',
    may: ['db/client.ts', 'errors.ts', 'ids.ts', 'config.ts', 'threads.ts'],
    mayNot: [
      'billing/ledger.ts',
      'agent/tools.ts',
      'sources/search.ts',
      'workspace/files.ts',
      'turns/runs.ts',
    ],
  },
  ...['db/probe.ts', 'db/schema/probe.ts'].map((from) => ({
    from,
    may: ['db/client.ts', 'errors.ts', 'ids.ts', 'config.ts', 'pg', 'drizzle-orm'],
    mayNot: ['accounts/plans.ts', 'agent/tools.ts', 'turns/runs.ts', 'http/auth.ts', 'fastify'],
  })),
  { from: 'threads.ts', may: ['errors.ts', 'piscina'], mayNot: ['db/client.ts', 'ids.ts', 'log.ts'] },
  ...['errors.ts', 'ids.ts', 'config.ts', 'log.ts', 'tracing.ts', 'otel.ts'].map((from) => ({
    from,
    may: ['zod', 'pino', ...(from === 'otel.ts' ? ['tracing.ts'] : [])],
    mayNot: ['db/client.ts', 'agent/tools.ts', from === 'ids.ts' ? 'errors.ts' : 'ids.ts'],
  })),
]

/** One import a line, as the project writes them: the line that is refused tells which. */
function importing(from: string, targets: readonly string[]): string {
  return targets
    .map((target, i) => {
      const relative = path.posix.relative(path.posix.dirname(from), target)
      const local = relative.startsWith('.') ? relative : `./${relative}`
      // `withTx` is what routes may take of db/client; elsewhere the name does not matter.
      return `import { withTx as name${i} } from '${target.endsWith('.ts') ? local : target}'\n`
    })
    .join('')
}

type Finding = { readonly rule: string; readonly file: string; readonly line: number }

/** Lints files, given as paths under `src` with their text. */
async function lint(files: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'import-rules-'))
  try {
    await cp('biome.json', path.join(folder, 'biome.json'))
    for (const [file, text] of Object.entries(files)) {
      const place = path.join(folder, 'src', file)
      await mkdir(path.dirname(place), { recursive: true })
      await writeFile(place, text)
    }
    const run = promisify(execFile)(
      path.resolve('node_modules/.bin/biome'),
      ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', 'src'],
      { cwd: folder, maxBuffer: 16 * 1024 * 1024 },
    )
    // It exits with 1 when it finds something.
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    const report = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { path: string; start: { line: number } } }[]
    }
    return report.diagnostics.map(({ category, location }) => ({
      rule: category.replace('lint/', ''),
      file: location.path.replace(/^src\//, ''),
      line: location.start.line,
    }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Those of the targets whose import the linter refuses. */
async function refused(from: string, targets: readonly string[]): Promise<readonly string[]> {
  const findings = await lint({ [from]: importing(from, targets) })
  const lines = findings.filter(({ rule }) => rule === 'style/noRestrictedImports').map(({ line }) => line)
  return targets.filter((_, i) => lines.includes(i + 1))
}

describe('a file imports only to its right', () => {
  test.each(table)('$from', async ({ from, may, mayNot }) => {
    expect(await refused(from, [...may, ...mayNot])).toEqual(mayNot)
  })
})

test('routes take withTx and types from db/client and nothing else', async () => {
  const line = (names: string) => `import { ${names} } from '../db/client.ts'\n`
  const findings = await lint({
    'routes/probe.ts':
      line('withTx') + line('type Database, type Executor, type Scope') + line('openDatabase'),
  })
  expect(findings.filter(({ rule }) => rule === 'style/noRestrictedImports').map(({ line }) => line)).toEqual(
    [3],
  )
})

test('no folder of src stands outside the rules: none may import server.ts', async () => {
  const entries = await readdir('src', { recursive: true, withFileTypes: true })
  const sources = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  const folders = new Set(sources.map((file) => path.relative('src', file.parentPath)))
  const probes = [...folders].filter((folder) => folder !== '').map((folder) => `${folder}/probe.ts`)
  const files = Object.fromEntries(probes.map((file) => [file, importing(file, ['server.ts'])]))
  const findings = (await lint(files)).filter(({ rule }) => rule === 'style/noRestrictedImports')
  expect(findings.map(({ file }) => file).toSorted()).toEqual(probes.toSorted())
})

test('two files that import each other are refused', async () => {
  const findings = await lint({
    'turns/a.ts': "import { b } from './b.ts'\nexport const a = () => b()\n",
    'turns/b.ts': "import { a } from './a.ts'\nexport const b = () => a()\n",
  })
  expect(findings.map(({ rule }) => rule)).toContain('suspicious/noImportCycles')
})
