import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Executor } from './client.ts'
import { databaseFault, isBusy } from './errors.ts'
import { upgradeSchema } from './upgrade.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** An arbitrary number. Every replica takes this lock at its start before it looks at the schema. */
const migrationLock = 7_203_115_001n

/**
 * Migrates the schema to the newest version. Many processes may call it at the same time: one works, the others wait and
 * then find nothing to do.
 * @param ownerUrl the role that owns the tables.
 * @param serviceUrl the role that gets rights on them, if it is another.
 * @param options.backedUp whether a schema of version 0.2 may be upgraded.
 * @throws ConfigError if it may not, see `upgradeSchema`.
 */
export async function migrateDatabase(
  ownerUrl: string,
  serviceUrl: string,
  { backedUp = false }: { readonly backedUp?: boolean } = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  // A connection that is lost between statements is reported by the next one.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    // A waiting ALTER would block every later query on its table, so it gives up early.
    await client.query(`set lock_timeout = '5s'; set app.account = '*'`)
    await patiently(() => migrateClient(client, backedUp))
    await grantToServiceRole(client, serviceUrl)
  } finally {
    await client.end()
  }
}

/** Number of migrations of this version that the database lacks. It only reads. */
export async function pendingMigrations(executor: Executor): Promise<number> {
  const applied = await appliedMigrations((text) => executor.execute(text))
  return migrations().filter(({ folderMillis }) => !applied.has(folderMillis)).length
}

const migrations = (): readonly MigrationMeta[] => readMigrationFiles({ migrationsFolder })

/** The times by which drizzle's table names the migrations of a database. */
async function appliedMigrations(
  query: (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>,
): Promise<ReadonlySet<number>> {
  const known = await query(`select to_regclass('public.__drizzle_migrations') is not null as there`)
  if (known.rows[0]?.['there'] !== true) return new Set()
  const { rows } = await query('select created_at::text as at from public.__drizzle_migrations')
  return new Set(rows.map(({ at }) => Number(at)))
}

async function migrateClient(client: pg.Client, backedUp: boolean): Promise<void> {
  const [baseline] = migrations()
  if (!baseline) throw new Error('there are no migrations')
  const applied = await appliedMigrations((text) => client.query(text))
  await upgradeSchema(client, applied, baseline, { folder: migrationsFolder, backedUp })
  await migrate(drizzle({ client }), { migrationsFolder, migrationsSchema: 'public' })
}

/**
 * Running replicas lock tables in other orders. A deadlock or a lock timeout changes nothing, so the migration
 * is repeated.
 */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
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
