import pg from 'pg'
import { type Peppers, parsePeppers } from './accounts/keys/pepper.ts'
import { requireSamePeppers } from './accounts/keys/pepper-check.ts'
import { openPlans, type Plans } from './accounts/plans.ts'
import { type Config, ConfigError } from './config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { type EmbeddedServer, installationSecrets, openEmbedded } from './db/embedded.ts'
import { reasonOf } from './db/errors.ts'
import { migrateDatabase } from './db/migrate.ts'
import type { Logger } from './log.ts'

/** The database and the secrets that the service and the command line share. */
export type Installation = {
  readonly database: Database
  readonly peppers: Peppers
  readonly plans: Plans
  /** Set if the Postgres is the embedded one. */
  readonly embedded: EmbeddedServer | undefined
  close(): Promise<void>
}

/**
 * Opens the Postgres of `DATABASE_URL` or the embedded one, and migrates its schema.
 * @throws ConfigError with one sentence if it cannot be used.
 */
export async function openInstallation(config: Config, log: Logger): Promise<Installation> {
  const plans = await openPlans(config.plansFile)
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined
  const url = config.databaseUrl ?? embedded?.url ?? ''
  const pepper = config.keyPepper ?? (await installationSecrets(config.dataDir)).keyPepper
  let closing = false
  try {
    const peppers = parsePeppers(pepper)
    if (await bypassesPolicies(url)) {
      log.warn('DATABASE_URL names a superuser or a role with BYPASSRLS: row-level security does not bind it')
    }
    await upToDate(config.migrateDatabaseUrl ?? url, url)
    const database = openDatabase({
      url,
      onIdleError: (error) => {
        if (!closing) log.warn({ reason: error.message }, 'a database connection was lost')
      },
    })
    try {
      await prepare(database, plans)
      await requireSamePeppers(database.system, peppers)
    } catch (error) {
      await database.close()
      throw error
    }
    return {
      database,
      peppers,
      plans,
      embedded,
      async close() {
        // While the server stops, idle connections may still report that they were lost.
        closing = true
        await database.close()
        await embedded?.release()
      },
    }
  } catch (error) {
    await embedded?.release()
    throw error
  }
}

/**
 * Whether the role bypasses row-level security.
 * @throws ConfigError if the database cannot be reached.
 */
async function bypassesPolicies(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // A connection that is lost between statements is reported by the next one.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const role = await client.query<{ bypasses: boolean }>(
      'select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user',
    )
    return role.rows[0]?.bypasses ?? false
  } catch (error) {
    throw new ConfigError(
      `The database ${nameOf(url)} cannot be used: ${reasonOf(error) || codeOf(error)}. Check DATABASE_URL.`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function upToDate(ownerUrl: string, url: string): Promise<void> {
  try {
    await migrateDatabase(ownerUrl, url)
  } catch (cause) {
    const text = `The schema of the database ${nameOf(ownerUrl)} cannot be brought up to date: ${reasonOf(cause) || codeOf(cause)}. The role needs to own the database; name another one with MIGRATE_DATABASE_URL.`
    throw new ConfigError(text, { cause })
  }
}

/** The driver's error after several failed addresses has a code but no message. */
const codeOf = (error: unknown): string => String((error as { code?: string }).code)

/** Host and database of a URL, without its credentials. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host || 'localhost'}${pathname}`
}

/**
 * Opens connections, so that the first request need not wait for them.
 * @throws ConfigError if accounts have a plan that is not in the table, because all their requests would fail.
 */
async function prepare(database: Database, plans: Plans): Promise<void> {
  const [{ rows }] = await Promise.all([
    database.system.execute<{ plan: string }>('select distinct plan from accounts'),
    database.tenantPool.query('select 1'),
  ])
  const unknown = rows.map((row) => row.plan).filter((plan) => !plans.names.includes(plan))
  if (unknown.length === 0) return
  throw new ConfigError(
    `Accounts are on plans that do not exist: ${unknown.join(', ')}. Add these plans to PLANS_FILE.`,
  )
}
