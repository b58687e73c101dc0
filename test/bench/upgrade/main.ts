/**
 * `npm run bench:upgrade -- [--runs N] [--accounts N]`: how long the upgrade takes of a database of the last release with
 * N runs (default: 100,000) of some accounts (default: 200), and whether the rules of money hold afterwards.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { examineAll } from '../../../src/billing/checks/examine.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { openEmbedded } from '../../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { fillReleased } from '../../support/released-data.ts'
import { lastReleasedVersion } from '../../support/released-version.ts'
import { print } from '../turns/report.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, accounts: { type: 'string', default: '200' } },
})
const released = await lastReleasedVersion()
if (!released) throw new Error('the commit of the last release is not in this copy of the repository')
const directory = await mkdtemp(path.join(tmpdir(), 'upgrade-bench-'))
const server = await openEmbedded(directory, ['fsync=off'])
try {
  const url = new URL(server.adminUrl)
  url.pathname = '/service'
  await migrateReleased(path.join(released.folder, 'migrations'))
  await connected(url.href, (client) =>
    timed(`${values.runs} runs of version ${released.version} written`, () =>
      fillReleased(client, { runs: Number(values.runs), accounts: Number(values.accounts) }),
    ),
  )
  await timed('upgrade', () => migrateDatabase(server.url, server.url, { backedUp: true }))
  const database = openDatabase({ url: server.url, onIdleError: () => undefined })
  const { broken, unchecked } = await examineAll(database)
  await database.close()
  print(`rules broken or not checked: ${JSON.stringify([...broken, ...unchecked])}`)
} finally {
  await server.release()
  await rm(directory, { recursive: true, force: true })
  await released.remove()
}

function migrateReleased(migrationsFolder: string): Promise<void> {
  return connected(server.url, (client) =>
    migrate(drizzle({ client }), { migrationsFolder, migrationsSchema: 'public' }),
  )
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set app.account = '*'`)
  await work(client)
  await client.end()
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  await work()
  print(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
}
