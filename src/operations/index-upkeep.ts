import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import { packPostings } from '../sources/index/packing/pack-postings.ts'
import { finishIndex } from '../sources/library/writing/reindex.ts'

const everyMs = 60_000

/**
 * Replicas of the version before cannot read packed rows, and miss their passages. During a rolling upgrade they answer
 * for some minutes.
 */
const packAfterMs = 900_000

/**
 * Indexes every minute the texts that an interrupted import left without an index. It packs the index after large imports. `stop` interrupts a round; the next process completes it.
 */
export function keepIndexComplete(database: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const begun = performance.now()
  const round = async () => {
    if (await finishIndex(database, stopping.signal))
      log.info('texts of an import that was cut off were indexed')
    if (performance.now() - begun < packAfterMs) return
    if (await packPostings(database, { settled: true, signal: stopping.signal }))
      log.info('the posting lists of the search index were packed')
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
