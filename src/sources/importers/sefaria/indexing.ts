import { type Database, withImportTx } from '../../../db/client.ts'
import { createIndexWriter, type IndexWriter } from '../../index/index-writer.ts'
import type { ReportBuilder } from './report.ts'

/** Maximum time between storing a text and indexing it, in milliseconds. The text can be read by its ref at once. */
const flushAfterMs = 40_000

/** Index writer of one import. Works are stored one by one; their words are written in batches of many works. */
export type ImportIndex = {
  readonly writer: IndexWriter
  /** Begins a flush when much is held or it has waited long. More can be stored while it is written. */
  flushWhenDue(): Promise<void>
  /** Writes everything that is held. */
  flush(): Promise<void>
  /** Waits until nothing is being written, whether it succeeds or not. */
  settled(): Promise<void>
}

export function openImportIndex(database: Database, report: ReportBuilder): ImportIndex {
  const writer = createIndexWriter()
  let flushedAt = performance.now()
  let running = Promise.resolve()
  const flush = async (wholeBlocks: boolean) => {
    flushedAt = performance.now()
    await report.timed('indexing', () => withImportTx(database, (tx) => writer.flush(tx, { wholeBlocks })))
  }
  return {
    writer,
    async flush() {
      await running
      await flush(false)
    },
    async flushWhenDue() {
      const { isFull } = writer
      if (!isFull && performance.now() - flushedAt < flushAfterMs) return
      await running
      running = flush(isFull)
      // Its error is thrown when the next flush waits for it; until then it must not count as unhandled.
      running.catch(() => undefined)
    },
    async settled() {
      await running.catch(() => undefined)
    },
  }
}
