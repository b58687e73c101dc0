/**
 * `npm run bench:upgrade -- [--runs N] [--accounts N]`: how long the upgrade takes of a database of the last release with
 * N runs (default: 100,000) of some accounts (default: 200), and whether the rules of money hold afterwards.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { examineAll } from '../../../src/billing/checks/examine.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { fillReleased } from '../../support/released-data.ts'
import { lastReleasedVersion } from '../../support/released-version.ts'
import { withDatabase } from '../../support/with-database.ts'
import { connectAsSuperuser, withPostgres } from '../own-postgres.ts'
import { print, timed } from '../report.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, accounts: { type: 'string', default: '200' } },
})
const released = await lastReleasedVersion()
if (!released) throw new Error('the commit of the last release is not in this copy of the repository')
try {
  await withPostgres(['fsync=off'], async (server) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`set app.account = '*'`)
    const migrationsFolder = path.join(released.folder, 'migrations')
    await migrate(drizzle({ client }), { migrationsFolder, migrationsSchema: 'public' })
    await client.end()
    const admin = await connectAsSuperuser(server)
    await timed(`${values.runs} runs of version ${released.version} written`, () =>
      fillReleased(admin, { runs: Number(values.runs), accounts: Number(values.accounts) }),
    )
    await admin.end()
    await timed('upgrade', () => migrateDatabase(server.url, server.url, { backedUp: true }))
    const { broken, unchecked } = await withDatabase(server.url, examineAll)
    print(`rules broken or not checked: ${JSON.stringify([...broken, ...unchecked])}`)
  })
} finally {
  await released.remove()
}
