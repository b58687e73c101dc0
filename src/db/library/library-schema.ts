import { sql } from 'drizzle-orm'
import { ConfigError } from '../../config.ts'
import { serviceCommand } from '../../version/version.ts'
import { reasonOf } from '../errors.ts'
import { migrateDatabase, pendingMigrations } from '../migrate.ts'
import { databaseName, type LibraryDatabase } from './library-database.ts'

/**
 * Migrates a separate library database if its schema is older than this version. Without a pending migration it only
 * reads, so a standby or a role that may only read is enough.
 * @throws ConfigError when the schema is older and cannot be migrated here; database errors when the server does not
 *   answer.
 */
export async function migrateLibrary(
  { isSeparate, system, url, ownerUrl }: LibraryDatabase,
  options: { readonly backedUp: boolean } = { backedUp: false },
): Promise<void> {
  if (!isSeparate) return
  const pending = await pendingMigrations(system)
  if (pending === 0) return
  const name = databaseName(url)
  const { rows } = await system.execute<{ mode: string }>(
    sql`select current_setting('transaction_read_only') as mode`,
  )
  if (rows[0]?.mode === 'on') {
    throw new ConfigError(
      `The library database ${name} is read-only and its schema is ${pending} migrations behind. ${remedy}`,
    )
  }
  try {
    await migrateDatabase(ownerUrl, url, options)
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const text = `The schema of the library database ${name} cannot be brought up to date: ${reasonOf(cause)}. ${remedy}`
    throw new ConfigError(text, { cause })
  }
}

const remedy = `Run \`${serviceCommand} migrate\` once with LIBRARY_DATABASE_URL set to its primary server and the role that owns it.`
