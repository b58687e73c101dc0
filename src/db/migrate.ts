import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { databaseFault, isBusy } from './errors.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Any fixed number: every replica that starts takes this lock before it looks at the schema. */
const migrationLock = 7_203_115_001n

/**
 * Brings the schema up to date. Many processes may call it at once: one works, the others wait and find nothing
 * to do. `ownerUrl` names the role that owns the tables; rights are granted to the role of `serviceUrl` if another.
 */
export async function migrateDatabase(ownerUrl: string, serviceUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  // Lost between two statements: the next one says so.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    // A waiting ALTER would make every later query queue behind it: give up early instead.
    await client.query(`set lock_timeout = '5s'; set app.account = '*'`)
    await migrateAgain(client)
    await grantToServiceRole(client, serviceUrl)
  } finally {
    await client.end()
  }
}

/**
 * Replicas that serve meanwhile take locks in orders of their own: one that is in the way costs a deadlock or the time for a lock, and nothing was
 * changed then.
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
     revoke update, delete, truncate on credit_transactions, credit_entries, audit_log from ${name}`,
  )
}
