import { type Database, withTx } from '../../../db/client.ts'
import { createIndexWriter, type IndexWriter } from '../../index/index-writer.ts'
import { lockLibrary } from '../../library/writing/library.ts'
import { writeSpellings } from '../../text/spellings.ts'
import type { ReportBuilder } from './report.ts'

/** Texts can be read as soon as they are stored; they can be found by their words after this time at the latest. */
const flushAfterMs = 20_000

/** The index of one import: works are stored one by one, their words are written many works together. */
export type ImportIndex = {
  readonly writer: IndexWriter
  /** Writes what is held when it is much or has waited long. */
  flushWhenDue(): Promise<void>
  /** Writes what is held. */
  flush(): Promise<void>
}

export function openImportIndex(database: Database, report: ReportBuilder): ImportIndex {
  const writer = createIndexWriter()
  // A second connection is a second processor of the database.
  const spellings = (terms: readonly string[]) =>
    withTx(database, 'system', (tx) => writeSpellings(tx, terms))
  let flushedAt = performance.now()
  const flush = async () => {
    await report.timed('indexing', () =>
      withTx(database, 'system', async (tx) => {
        await lockLibrary(tx)
        await writer.flush(tx, spellings)
      }),
    )
    flushedAt = performance.now()
  }
  return {
    writer,
    flush,
    async flushWhenDue() {
      if (writer.isFull || performance.now() - flushedAt > flushAfterMs) await flush()
    },
  }
}
