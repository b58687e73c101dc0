import pg from 'pg'
import { type Peppers, parsePeppers } from './accounts/pepper.ts'
import { type Config, ConfigError } from './config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { type EmbeddedServer, installationSecrets, openEmbedded } from './db/embedded.ts'
import { databaseFault } from './db/errors.ts'
import { migrateDatabase } from './db/migrate.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './log.ts'

/** The database and the secrets that the service and the command line share. */
export type Installation = {
  readonly database: Database
  readonly peppers: Peppers
  /** Present when the Postgres is the embedded one. */
  readonly embedded: EmbeddedServer | undefined
  close(): Promise<void>
}

/**
 * Opens what the settings name: the Postgres of `DATABASE_URL`, or the embedded one, and brings its schema up to date.
 * @throws ConfigError, one sentence, when it cannot be used.
 */
export async function openInstallation(config: Config, log: Logger): Promise<Installation> {
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined
  const url = config.databaseUrl ?? embedded?.url ?? ''
  const pepper = config.keyPepper ?? (await installationSecrets(config.dataDir)).keyPepper
  try {
    const peppers = parsePeppers(pepper)
    await reachable(url)
    await migrateDatabase(config.migrateDatabaseUrl ?? url, url)
    const database = openDatabase({
      url,
      onIdleError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
    })
    return {
      database,
      peppers,
      embedded,
      async close() {
        await database.close()
        await embedded?.release()
      },
    }
  } catch (error) {
    await embedded?.release()
    throw error
  }
}

async function reachable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    const { host, pathname } = new URL(url)
    const reason =
      (databaseFault(error)?.message ?? messageOf(error)) || String((error as { code?: string }).code)
    throw new ConfigError(`The database ${host}${pathname} cannot be used: ${reason}. Check DATABASE_URL.`)
  } finally {
    await client.end().catch(() => undefined)
  }
}
