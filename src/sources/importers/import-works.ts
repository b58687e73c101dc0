import { sql } from 'drizzle-orm'
import { type Database, type Executor, withImportTx } from '../../db/client.ts'
import { requireWritable } from '../../db/library/library-database.ts'
import { createIndexWriter, type IndexWriter } from '../index/index-writer.ts'
import { lockLibrary, type Stored, storeWork, type WorkImport } from '../library/writing/library.ts'

/** A work that an importer has read. */
export type ReadWork = {
  /** What is to be stored. It may look at the library, in the transaction that stores it. */
  readonly content: (tx: Executor) => Promise<WorkImport>
  /** Called with the outcome, in the same transaction. */
  readonly stored?: (tx: Executor, outcome: Stored) => Promise<void> | void
  /** Called when the work cannot be stored; throws what ends the import. Without it, every error does. */
  readonly failed?: (error: unknown) => void
}

/** Reads a source, and yields its works one by one: all that a format needs. */
export type Importer = AsyncIterable<ReadWork> | Iterable<ReadWork>

/** Stores the works of an importer in one transaction: everything or nothing. */
export async function importAll(database: Database, importer: Importer): Promise<void> {
  const index = createIndexWriter()
  await withImportTx(database, async (tx) => {
    await lockLibrary(tx)
    for await (const work of importer) {
      index.add(await storeRead(tx, work))
      if (index.isFull) await index.flush(tx)
    }
    await index.flush(tx)
  })
}

/** Maximum time between storing a text and indexing it, in milliseconds. The text can be read by its ref at once. */
const flushAfterMs = 40_000

/** Runs a stage of an import, and may time it. */
type Timed = (stage: 'storing' | 'indexing', work: () => Promise<void>) => Promise<void>

/**
 * Stores each work of an importer in its own transaction, so that an interrupted import keeps what it has. The words of
 * many works are written to the index together, while the next works are stored.
 */
export async function importEach(database: Database, importer: Importer, timed: Timed): Promise<void> {
  await withImportTx(database, requireWritable)
  const index = createIndexWriter()
  const flush = (wholeBlocks: boolean) =>
    timed('indexing', () => withImportTx(database, (tx) => index.flush(tx, { wholeBlocks })))
  let flushedAt = performance.now()
  let running = Promise.resolve()
  try {
    for await (const work of importer) {
      await timed('storing', () => storeOne(database, index, work))
      if (index.isFull || performance.now() - flushedAt > flushAfterMs) {
        await running
        flushedAt = performance.now()
        running = flush(index.isFull)
        // Its error is thrown when the next flush waits for it; until then it must not count as unhandled.
        running.catch(() => undefined)
      }
    }
    await running
    await flush(false)
  } finally {
    // A flush in the background uses a connection that the caller is about to close.
    await running.catch(() => undefined)
  }
}

async function storeOne(database: Database, index: IndexWriter, work: ReadWork): Promise<void> {
  try {
    index.add(
      await withImportTx(database, async (tx) => {
        await lockLibrary(tx)
        // If the machine crashes, the last second may be lost; the next import repeats it.
        await tx.execute(sql`set local synchronous_commit = off`)
        return storeRead(tx, work)
      }),
    )
  } catch (error) {
    if (!work.failed) throw error
    work.failed(error)
  }
}

async function storeRead(tx: Executor, { content, stored }: ReadWork): Promise<Stored['parts']> {
  const outcome = await storeWork(tx, await content(tx))
  await stored?.(tx, outcome)
  return outcome.parts
}
