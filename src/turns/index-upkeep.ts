import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { finishIndex } from '../sources/reindex.ts'
import { repeat } from './repeat.ts'

const everyMs = 60_000

/**
 * Brings into the index, once a minute, what an interrupted import has left. `stop` interrupts a round that is under way; the next
 * process does it.
 */
export function keepIndexComplete(database: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const round = async () => {
    if (await finishIndex(database, stopping.signal))
      log.info('texts of an import that was cut off were indexed')
  }
  const rounds = repeat(round, everyMs, (error) => {
    if (!stopping.signal.aborted) log.warn({ reason: reasonOf(error) }, 'texts could not be indexed')
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}
