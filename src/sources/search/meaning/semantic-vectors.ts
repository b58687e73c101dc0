import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import type { Vector } from './embeddings-client.ts'

/** Key of an advisory lock, so that processes that start together create the table one after another. */
const tableLock = 7_203_115_004n

/** Whether the table of vectors exists. A database without it may also lack the extension. */
export async function hasVectorTable(executor: Executor): Promise<boolean> {
  const found = await executor.execute<{ there: boolean }>(
    sql`select to_regclass('passage_embeddings') is not null as there`,
  )
  return found.rows[0]?.there ?? false
}

/**
 * Creates the extension and the table. No migration does this, because a database without the extension must migrate
 * too. The executor is the owner of the schema; `serviceRole` may be another role, which gets its rights.
 * The table has no vector index, see decision 15: a search reads all vectors of its works, 65 to 110 ms for 30,000
 * vectors of 1,024 dimensions. `storage main` keeps vectors in their rows; reading them from TOAST takes two to three
 * times as long.
 */
export async function createVectorTable(executor: Executor, serviceRole: string): Promise<void> {
  await executor.transaction(async (tx) => {
    await tx.execute(sql`set local lock_timeout = '10s'`)
    await tx.execute(sql`select pg_advisory_xact_lock(${tableLock})`)
    await tx.execute(sql`create extension if not exists vector`)
    await tx.execute(sql`
      create table if not exists passage_embeddings (
        doc_id integer primary key references passage_texts (doc_id) on delete cascade,
        model text not null,
        embedding vector not null)`)
    await tx.execute(sql`alter table passage_embeddings alter column embedding set storage main`)
    const current = await tx.execute<{ name: string }>(sql`select current_user as name`)
    if (serviceRole === '' || serviceRole === current.rows[0]?.name) return
    await tx.execute(
      sql`grant select, insert, update, delete on passage_embeddings to ${sql.identifier(serviceRole)}`,
    )
  })
}

export type Unembedded = { readonly docId: number; readonly text: string }

/** Counts the texts of the library, and those without a vector of the model. */
export async function countTexts(
  executor: Executor,
  model: string,
): Promise<{ readonly total: number; readonly missing: number }> {
  const counted = await executor.execute<{ total: number; missing: number }>(sql`
    select count(*)::int as total, (count(*) filter (where e.doc_id is null))::int as missing
    from passage_texts t left join passage_embeddings e on e.doc_id = t.doc_id and e.model = ${model}`)
  return counted.rows[0] ?? { total: 0, missing: 0 }
}

/** Reads the next texts after document `after` that lack a vector of the model. */
export async function textsWithout(
  executor: Executor,
  model: string,
  after: number,
  limit: number,
): Promise<readonly Unembedded[]> {
  const found = await executor.execute<{ doc_id: number; text: string }>(sql`
    select t.doc_id, t.text from passage_texts t
    where t.doc_id > ${after}
      and not exists (select 1 from passage_embeddings e where e.doc_id = t.doc_id and e.model = ${model})
    order by t.doc_id limit ${limit}`)
  return found.rows.map((row) => ({ docId: row.doc_id, text: row.text }))
}

/** Saves vectors, replacing those of other models. Texts removed in the meantime are skipped. */
export async function saveVectors(
  executor: Executor,
  model: string,
  vectors: ReadonlyMap<number, Vector>,
): Promise<void> {
  await executor.execute(sql`
    insert into passage_embeddings (doc_id, model, embedding)
    select n.doc_id, ${model}, n.embedding::vector
    from unnest(${sql.param([...vectors.keys()])}::int[], ${sql.param([...vectors.values()].map(written))}::text[])
      as n (doc_id, embedding)
    join passage_texts t on t.doc_id = n.doc_id
    on conflict (doc_id) do update set model = excluded.model, embedding = excluded.embedding`)
}

/** Returns the documents nearest to a vector by cosine distance, nearest first; ties in order of document numbers. */
export async function nearestDocuments(
  executor: Executor,
  model: string,
  vector: Vector,
  bounds: { readonly ranges: DocumentRanges | undefined; readonly limit: number; readonly timeoutMs: number },
): Promise<readonly number[]> {
  const { ranges, limit, timeoutMs } = bounds
  const confined = ranges
    ? sql`join unnest(${sql.param(ranges.map(([first]) => first))}::int[], ${sql.param(ranges.map(([, last]) => last))}::int[])
        as r (first, last) on e.doc_id between r.first and r.last`
    : sql``
  return executor.transaction(async (tx) => {
    // If the library is too large for this timeout, the search uses only words.
    await tx.execute(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`)
    const found = await tx.execute<{ doc_id: number }>(sql`
      select e.doc_id from passage_embeddings e ${confined}
      where e.model = ${model}
      order by e.embedding <=> ${written(vector)}::vector, e.doc_id limit ${limit}`)
    return found.rows.map((row) => row.doc_id)
  })
}

/** Formats a vector as the extension expects it. */
function written(vector: Vector): string {
  return JSON.stringify(vector)
}
