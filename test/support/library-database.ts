import pg from 'pg'
import { afterEach, inject } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import {
  type LibraryDatabase,
  libraryWithin,
  openLibraryDatabase,
} from '../../src/db/library/library-database.ts'
import { createTestDatabase, type TestDatabase, useDatabase } from './database.ts'

/** The library in the main database, as without LIBRARY_DATABASE_URL. */
export const libraryIn = (database: Database): LibraryDatabase => libraryWithin(database, database.url)

/** The tables of the service in a separate library database, as the `truncate` in docs/library-database.md lists them. */
export const libraryTables = [
  'works',
  'versions',
  'passages',
  'passage_texts',
  'headings',
  'links',
  'search_postings',
  'search_spellings',
  'search_spelling_buckets',
  'embedding_models',
  'passage_vectors',
  'library_jobs',
  'library_state',
] as const

/** The database of a file's tests, whose library is empty at the beginning of each. */
export function useEmptyLibrary(): TestDatabase {
  const db = useDatabase()
  afterEach(() => db.database.systemPool.query(`truncate ${libraryTables.join(', ')} cascade`))
  return db
}

/** A second database for the library. It has the library's tables and no other. */
export type SeparateLibrary = TestDatabase & { readonly library: LibraryDatabase }

export async function createSeparateLibrary(): Promise<SeparateLibrary> {
  const db = await createTestDatabase()
  const others = `select tablename from pg_tables where schemaname = 'public'
    and tablename <> '__drizzle_migrations' and not tablename = any($1)`
  await dropTables(db.url, others)
  const library = openLibraryDatabase({ url: db.url, onIdleError: () => undefined, maxConnections: 4 })
  return {
    ...db,
    library,
    async drop() {
      await library.close()
      await db.drop()
    },
  }
}

/** Drops the library's tables of a main database, so that each statement that was sent to the wrong one fails. */
export function dropLibraryTables({ url }: Pick<TestDatabase, 'url'>): Promise<void> {
  return dropTables(
    url,
    `select tablename from pg_tables where schemaname = 'public' and tablename = any($1)`,
  )
}

async function dropTables(url: string, chosen: string): Promise<void> {
  await asAdminOf(url, async (admin) => {
    const { rows } = await admin.query<{ tablename: string }>(chosen, [libraryTables])
    await admin.query(`drop table ${rows.map(({ tablename }) => tablename).join(', ')} cascade`)
  })
}

/** Runs statements as the superuser in the database of a URL. */
export async function asAdminOf<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const own = new URL(inject('postgres').adminUrl)
  own.pathname = new URL(url).pathname
  const admin = new pg.Client({ connectionString: own.href })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
