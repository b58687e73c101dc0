import { openDatabase } from '../../db/client.ts'
import { inThread } from '../../threads.ts'
import type { FetchedSection } from './fetch-section.ts'
import { storeSection } from './store-section.ts'

/** Input of the thread. */
export type StoreInThread = {
  /** URL of the database. The thread opens connections of its own. */
  readonly url: string
  readonly fetched: FetchedSection
  readonly waitMs: number
}

/**
 * Stores a section in a thread, because splitting its texts into terms takes up to a second. Without input it only
 * starts the thread, which takes as long.
 */
export const job = inThread(async (input: StoreInThread | undefined) => {
  if (!input) return false
  const { url, fetched, waitMs } = input
  const database = openDatabase({ url, maxConnections: 2, onIdleError: () => undefined })
  try {
    return await storeSection(database, fetched, waitMs)
  } finally {
    await database.close()
  }
})
