import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import { ensureAssociations } from '../sources/associations/associations.ts'
import { packPostings } from '../sources/index/packing/pack-postings.ts'
import { finishIndex } from '../sources/library/writing/reindex.ts'

const everyMs = 60_000

/**
 * Replicas of the version before cannot read packed rows, and miss their passages. During a rolling upgrade they answer
 * for some minutes.
 */
const packAfterMs = 900_000

/**
 * Indexes every minute the texts that an interrupted import left without an index, and learns word
 * associations again after the library has changed. It packs the index after large imports. `stop` interrupts a round; the next process completes it.
 */
export function keepIndexComplete(database: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const begun = performance.now()
  const round = async () => {
    if (await finishIndex(database, stopping.signal))
      log.info('texts of an import that was cut off were indexed')
    if (await ensureAssociations(database, { settled: true, signal: stopping.signal }))
      log.info('word associations were learned from parallel texts')
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
