import { type Database, openDatabase } from '../../src/db/client.ts'

/** Runs `work` with the database at a URL, whose schema is there, over a few connections of its own. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url, onIdleError: () => undefined, maxConnections: 4 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
