import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import { finishIndex } from '../sources/library/writing/reindex.ts'

const everyMs = 60_000

/**
 * Indexes every minute the texts that an interrupted import left without an index. `stop` interrupts a round; the next process completes it.
 */
export function keepIndexComplete(database: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const round = async () => {
    if (await finishIndex(database, stopping.signal))
      log.info('texts of an import that was cut off were indexed')
  }
  const rounds = startPeriodicTask(round, everyMs, (error) => {
    if (!stopping.signal.aborted) log.warn({ reason: reasonOf(error) }, 'texts could not be indexed')
  })
  return {
    stop() {
      stopping.abort()
      return rounds.stop()
    },
  }
}
