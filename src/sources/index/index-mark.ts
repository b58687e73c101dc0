import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'

/**
 * The index holds the documents below the mark. An import stores works one by one and their words some time later,
 * many works together: what lies above the mark is stored and waits for the index.
 */
export type IndexMark = { readonly indexedTo: number; readonly nextDoc: number }

/** Both are 1 in an empty library. A library without a mark was written when works and words went together. */
export async function readIndexMark(executor: Executor): Promise<IndexMark> {
  const found = await executor.execute<{ key: string; value: string }>(
    sql`select key, value from library_state where key in ('indexed_to', 'next_doc')`,
  )
  const values = new Map(found.rows.map(({ key, value }) => [key, Number(value)]))
  const nextDoc = values.get('next_doc') ?? 1
  return { nextDoc, indexedTo: values.get('indexed_to') ?? nextDoc }
}

export async function setIndexMark(tx: Executor, indexedTo: number): Promise<void> {
  await tx.execute(sql`
    insert into library_state (key, value) values ('indexed_to', ${String(indexedTo)})
    on conflict (key) do update set value = excluded.value`)
}
