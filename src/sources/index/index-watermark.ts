import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'

/**
 * The index contains all documents below `indexedTo`. An import stores works one by one and indexes many works at
 * once later, so documents above the mark are stored but not yet indexed.
 */
export type IndexWatermark = {
  readonly indexedTo: number
  readonly nextDoc: number
  /** Number of times that the index was rebuilt. What a writer knows of the index holds until the next time. */
  readonly rebuilds: number
}

/**
 * Reads the mark. Both numbers are 1 in an empty library. Libraries without a mark come from a version that indexed
 * each work as it was stored.
 */
export async function readIndexWatermark(executor: Executor): Promise<IndexWatermark> {
  const found = await executor.execute<{ key: string; value: string }>(
    sql`select key, value from library_state where key in ('indexed_to', 'next_doc', 'rebuilds')`,
  )
  const values = new Map(found.rows.map(({ key, value }) => [key, Number(value)]))
  const nextDoc = values.get('next_doc') ?? 1
  return { nextDoc, indexedTo: values.get('indexed_to') ?? nextDoc, rebuilds: values.get('rebuilds') ?? 0 }
}

const indexLock = 7_203_115_004n

/**
 * Makes this transaction the only writer of the index until it ends, without a time limit. A transaction that also
 * takes the library lock takes that one first. With a lock of its own an import stores works while it writes the index
 * of earlier ones.
 */
export async function lockIndex(tx: Executor): Promise<void> {
  await tx.execute(sql`set local lock_timeout = 0`)
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`set local idle_in_transaction_session_timeout = '5min'`)
  await tx.execute(sql`select pg_advisory_xact_lock(${indexLock})`)
}

/** Counts a rebuild, and sets the mark to the beginning. */
export async function beginRebuild(tx: Executor): Promise<void> {
  await setIndexWatermark(tx, 0)
  await tx.execute(sql`
    insert into library_state as s (key, value) values ('rebuilds', '1')
    on conflict (key) do update set value = (s.value::int + 1)::text`)
}

export async function setIndexWatermark(tx: Executor, indexedTo: number): Promise<void> {
  await tx.execute(sql`
    insert into library_state (key, value) values ('indexed_to', ${String(indexedTo)})
    on conflict (key) do update set value = excluded.value`)
}
