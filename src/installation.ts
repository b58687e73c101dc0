import pg from 'pg'
import { type Peppers, parsePeppers } from './accounts/keys/pepper.ts'
import { requireSamePeppers } from './accounts/keys/pepper-check.ts'
import { livePlans, openPlans, type Plans } from './accounts/plans.ts'
import { type Config, ConfigError } from './config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { installationSecrets } from './db/embedded/secrets.ts'
import { type EmbeddedServer, openEmbedded } from './db/embedded/server.ts'
import { databaseFault, isUnavailable, reasonOf } from './db/errors.ts'
import {
  databaseName,
  type LibraryDatabase,
  libraryWithin,
  openLibraryDatabase,
} from './db/library/library-database.ts'
import { migrateLibrary } from './db/library/library-schema.ts'
import { migrateDatabase } from './db/migrate.ts'
import type { Logger } from './log.ts'

/** The databases and the secrets that the service and the command line share. */
export type Installation = {
  readonly database: Database
  /** The database of the library: the main one, or that of `LIBRARY_DATABASE_URL`. */
  readonly library: LibraryDatabase
  readonly peppers: Peppers
  readonly plans: Plans
  /**
   * Reads `PLANS_FILE` again.
   * @throws ConfigError for what a start refuses as well, such as a missing plan that accounts have. The old plans stay.
   */
  reloadPlans(): Promise<void>
  /** Set if the Postgres is the embedded one. */
  readonly embedded: EmbeddedServer | undefined
  close(): Promise<void>
}

/**
 * Opens the Postgres of `DATABASE_URL` or the embedded one, and the library's, and migrates their schemas.
 * @param options.needsLibrary whether a library database that does not answer is an error. By default only the log
 *   mentions it.
 * @param options.backedUp whether a database of version 0.2 may be upgraded; default: `UPGRADE_BACKED_UP`.
 * @throws ConfigError with one sentence if a database cannot be used.
 */
export async function openInstallation(
  config: Config,
  log: Logger,
  options: { readonly needsLibrary?: boolean; readonly backedUp?: boolean } = {},
): Promise<Installation> {
  const backedUp = options.backedUp ?? config.upgradeBackedUp
  const readPlans = async () => {
    const read = await openPlans(config.plansFile)
    requireSignUpPlan(read, config)
    return read
  }
  const plans = livePlans(await readPlans())
  // Before the embedded Postgres starts, so that a wrong setting starts nothing.
  if (config.keyPepper !== undefined) parsePeppers(config.keyPepper)
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined
  const url = config.databaseUrl ?? embedded?.url ?? ''
  const pepper = config.keyPepper ?? (await installationSecrets(config.dataDir)).keyPepper
  let closing = false
  try {
    const peppers = parsePeppers(pepper)
    if (await bypassesPolicies(url)) {
      log.warn('DATABASE_URL names a superuser or a role with BYPASSRLS: row-level security does not bind it')
    }
    const ownerUrl = config.migrateDatabaseUrl ?? url
    await upToDate(ownerUrl, url, backedUp)
    const onIdleError = (error: Error) => {
      if (!closing) log.warn({ reason: error.message }, 'a database connection was lost')
    }
    const database = openDatabase({ url, onIdleError })
    const separate =
      config.libraryDatabaseUrl === undefined
        ? undefined
        : openLibraryDatabase({ url: config.libraryDatabaseUrl, onIdleError })
    try {
      await prepare(database, plans)
      await requireSamePeppers(database.system, peppers)
      if (separate)
        await prepareLibrary(separate, log, { needsLibrary: options.needsLibrary ?? false, backedUp })
    } catch (error) {
      await Promise.all([database.close(), separate?.close()])
      throw error
    }
    return {
      database,
      library: separate ?? libraryWithin(database, ownerUrl),
      peppers,
      plans,
      async reloadPlans() {
        const next = await readPlans()
        await requirePlansOfAccounts(database, next)
        plans.replace(next)
      },
      embedded,
      async close() {
        // While the server stops, idle connections may still report that they were lost.
        closing = true
        await Promise.all([database.close(), separate?.close()])
        await embedded?.release()
      },
    }
  } catch (error) {
    await embedded?.release()
    throw error
  }
}

function requireSignUpPlan({ names }: Plans, { signUpPlan }: Config): void {
  if (names.includes(signUpPlan)) return
  throw new ConfigError(
    `SIGNUP_PLAN is "${signUpPlan}", which is not a plan. Use one of: ${names.join(', ')}.`,
  )
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
      `The database ${databaseName(url)} cannot be used: ${reasonOf(error) || codeOf(error)}. Check DATABASE_URL.`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function upToDate(ownerUrl: string, url: string, backedUp: boolean): Promise<void> {
  try {
    await migrateDatabase(ownerUrl, url, { backedUp })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const text = `The schema of the database ${databaseName(ownerUrl)} cannot be brought up to date: ${reasonOf(cause) || codeOf(cause)}. The role needs to own the database; name another one with MIGRATE_DATABASE_URL.`
    throw new ConfigError(text, { cause })
  }
}

/** The driver's error after several failed addresses has a code but no message. */
const codeOf = (error: unknown): string => String((error as { code?: string }).code)

/**
 * Brings the schema of a separate library database up to date. A server that does not answer is no error unless the
 * caller needs it, so that an outage of the library stops no start.
 * @throws ConfigError if the server answers and the library cannot be used.
 */
async function prepareLibrary(
  library: LibraryDatabase,
  log: Logger,
  { needsLibrary, backedUp }: { readonly needsLibrary: boolean; readonly backedUp: boolean },
): Promise<void> {
  try {
    await migrateLibrary(library, { backedUp })
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = reasonOf(cause) || codeOf(cause)
    const fault = databaseFault(cause)
    if (needsLibrary || !fault || !isUnavailable(fault)) {
      const text = `The library database ${databaseName(library.url)} cannot be used: ${reason}. Check LIBRARY_DATABASE_URL.`
      throw new ConfigError(text, { cause })
    }
    log.warn({ reason }, 'the library database does not answer: everything else works')
  }
}

/** Opens connections, so that the first request need not wait for them. */
async function prepare(database: Database, plans: Plans): Promise<void> {
  await Promise.all([requirePlansOfAccounts(database, plans), database.tenantPool.query('select 1')])
}

/** @throws ConfigError if accounts have a plan that is not in the table, because all their requests would fail. */
async function requirePlansOfAccounts({ system }: Database, plans: Plans): Promise<void> {
  const { rows } = await system.execute<{ plan: string }>('select distinct plan from accounts')
  const unknown = rows.map((row) => row.plan).filter((plan) => !plans.names.includes(plan))
  if (unknown.length === 0) return
  throw new ConfigError(
    `Accounts are on plans that do not exist: ${unknown.join(', ')}. Add these plans to PLANS_FILE.`,
  )
}
