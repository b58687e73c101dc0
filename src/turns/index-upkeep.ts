import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { finishIndex } from '../sources/reindex.ts'
import { repeat } from './repeat.ts'

const everyMs = 60_000

/** Once a minute brings into the index what an import that was cut off has left. */
export function keepIndexComplete(database: Database, log: Logger): { stop(): Promise<void> } {
  const round = async () => {
    if (await finishIndex(database)) log.info('texts of an import that was cut off were indexed')
  }
  return repeat(round, everyMs, (error) =>
    log.warn({ reason: reasonOf(error) }, 'texts could not be indexed'),
  )
}
