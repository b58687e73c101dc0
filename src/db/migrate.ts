import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Executor } from './client.ts'
import { databaseFault, isBusy } from './errors.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** An arbitrary number. Every replica takes this lock at its start before it looks at the schema. */
const migrationLock = 7_203_115_001n

/**
 * Migrates the schema to the newest version. Many processes may call it at the same time: one works, the others wait and
 * then find nothing to do.
 * @param ownerUrl the role that owns the tables.
 * @param serviceUrl the role that gets rights on them, if it is another.
 */
export async function migrateDatabase(ownerUrl: string, serviceUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  // A connection that is lost between statements is reported by the next one.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    // A waiting ALTER would block every later query on its table, so it gives up early.
    await client.query(`set lock_timeout = '5s'; set app.account = '*'`)
    await migrateAgain(client)
    await grantToServiceRole(client, serviceUrl)
  } finally {
    await client.end()
  }
}

/** Number of migrations of this version that the database lacks. It only reads. */
export async function pendingMigrations(executor: Executor): Promise<number> {
  const known = await executor.execute<{ there: boolean }>(
    `select to_regclass('public.__drizzle_migrations') is not null as there`,
  )
  const applied = known.rows[0]?.there
    ? await executor.execute<{ last: string | null }>(
        'select max(created_at)::text as last from public.__drizzle_migrations',
      )
    : undefined
  const last = Number(applied?.rows[0]?.last ?? -1)
  return readMigrationFiles({ migrationsFolder }).filter(({ folderMillis }) => folderMillis > last).length
}

/**
 * Running replicas lock tables in other orders. A deadlock or a lock timeout changes nothing, so the migration
 * is repeated.
 */
async function migrateAgain(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrate(drizzle({ client }), { migrationsFolder, migrationsSchema: 'public' })
      return
    } catch (error) {
      const fault = databaseFault(error)
      if (attempt === maxAttempts || !fault || !isBusy(fault)) throw error
      await delay(attempt * 200)
    }
  }
}

const maxAttempts = 5

async function grantToServiceRole(client: pg.Client, serviceUrl: string): Promise<void> {
  const role = decodeURIComponent(new URL(serviceUrl).username)
  const current = await client.query<{ user: string }>('select current_user as user')
  if (role === '' || current.rows[0]?.user === role) return
  const name = client.escapeIdentifier(role)
  await client.query(
    `grant usage on schema public to ${name};
     grant select, insert, update, delete on all tables in schema public to ${name};
     grant usage, select on all sequences in schema public to ${name};
     grant execute on all functions in schema public to ${name};
     revoke update, delete, truncate on ledger, audit_log from ${name}`,
  )
}
