import { openDatabase } from '../../db/client.ts'
import { inThread } from '../../threads.ts'
import type { FetchedSection } from './fetch-section.ts'
import { type StoreLimits, storeSection } from './store-section.ts'

/** Input of the thread. */
export type StoreInThread = {
  /** URL of the database. The thread opens connections of its own. */
  readonly url: string
  readonly fetched: FetchedSection
  readonly limits: StoreLimits
}

/** Stores a section in a thread, because splitting the texts of its versions into terms takes up to a second. */
export const job = inThread(async ({ url, fetched, limits }: StoreInThread) => {
  const database = openDatabase({ url, maxConnections: 2, onIdleError: () => undefined })
  try {
    return await storeSection(database, fetched, limits)
  } finally {
    await database.close()
  }
})
