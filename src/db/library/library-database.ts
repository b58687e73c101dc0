import { sql } from 'drizzle-orm'
import { ServiceError } from '../../errors.ts'
import { type Database, type DatabaseOptions, type Executor, openDatabase } from '../client.ts'

/** The database that holds the library. Only its library tables are used. */
export type LibraryDatabase = Database & {
  /** Whether it is another database than that of accounts and turns. */
  readonly isSeparate: boolean
  /** URL of the role that owns the tables. It contains the password. */
  readonly ownerUrl: string
}

/** The library in the main database. It uses the pools of the main database, so it is not closed by itself. */
export const libraryWithin = (database: Database, ownerUrl: string): LibraryDatabase => ({
  ...database,
  isSeparate: false,
  ownerUrl,
})

/** The library in a database of its own. Pools open connections when they are needed, so this connects to nothing. */
export const openLibraryDatabase = (options: DatabaseOptions): LibraryDatabase => ({
  ...openDatabase(options),
  isSeparate: true,
  ownerUrl: options.url,
})

/** The pools of a separate library database, by the label of their metrics; those of the main one are counted there. */
export const libraryPoolsOf = ({ isSeparate, ...pools }: LibraryDatabase) =>
  isSeparate
    ? {
        library: pools.systemPool,
        library_transactions: pools.tenantPool,
        library_background: pools.backgroundPool,
        library_imports: pools.importPool,
      }
    : {}

/**
 * Whether the library cannot be written: a standby, `default_transaction_read_only`, or a role without rights.
 * @throws database errors, also when the database has no library tables.
 */
export async function isReadOnly(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute<{ refuses: boolean }>(sql`
    select current_setting('transaction_read_only') = 'on' or not has_table_privilege('passages', 'insert') as refuses`)
  return rows[0]?.refuses ?? false
}

/** @throws ServiceError `invalid_value` that names the remedy when the library is read-only. */
export async function requireWritable(executor: Executor): Promise<void> {
  if (await isReadOnly(executor)) throw new ServiceError('invalid_value', readOnlyText)
}

const readOnlyText =
  'The database of the library is read-only here, so nothing was stored. Set LIBRARY_DATABASE_URL (DATABASE_URL if the library has no database of its own) to its primary server and a role that may write.'

/** Host and database of a URL, without its credentials. */
export function databaseName(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host || 'localhost'}${pathname}`
}
