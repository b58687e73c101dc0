import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { DocumentRanges } from '../../index/document-ranges.ts'
import type { Vector } from './embeddings-client.ts'

/** Any number of its own: processes that start together make the table one after another. */
const tableLock = 7_203_115_004n

/** Whether the table of vectors is there; a database without it may lack the extension too. */
export async function hasVectorTable(executor: Executor): Promise<boolean> {
  const found = await executor.execute<{ there: boolean }>(
    sql`select to_regclass('passage_embeddings') is not null as there`,
  )
  return found.rows[0]?.there ?? false
}

/**
 * Makes the extension and the table. No migration does, because a database without the extension must migrate too.
 * The executor is the owner of the schema; `serviceRole` may be another role, which gets its rights.
 *
 * The table has no vector index. The length of vectors is known only when a model has answered, and an approximate
 * index loses neighbours when a search is confined to some works, needs minutes and gigabytes to build and takes at
 * most 2,000 dimensions. Every search by meaning reads all vectors of its works instead, and is exact: 65 to 110 ms for
 * 30,000 vectors of 1,024 dimensions. They stay in their rows (`storage main`, as far as a page holds them): fetched
 * from beside the table they take two to three times as long.
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

/** How many texts the library has, and how many of them lack a vector of the model. */
export async function countTexts(
  executor: Executor,
  model: string,
): Promise<{ readonly total: number; readonly missing: number }> {
  const counted = await executor.execute<{ total: number; missing: number }>(sql`
    select count(*)::int as total, (count(*) filter (where e.doc_id is null))::int as missing
    from passage_texts t left join passage_embeddings e on e.doc_id = t.doc_id and e.model = ${model}`)
  return counted.rows[0] ?? { total: 0, missing: 0 }
}

/** The next texts after document `after` that lack a vector of the model. */
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

/** Keeps vectors in place of those of another model. Texts that were removed meanwhile are passed over. */
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

/** The documents nearest to a vector by cosine, nearest first, equal ones in order of their numbers. */
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
    // A library that has grown beyond what can be read in this time is searched by words only.
    await tx.execute(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`)
    const found = await tx.execute<{ doc_id: number }>(sql`
      select e.doc_id from passage_embeddings e ${confined}
      where e.model = ${model}
      order by e.embedding <=> ${written(vector)}::vector, e.doc_id limit ${limit}`)
    return found.rows.map((row) => row.doc_id)
  })
}

/** As the extension reads it. */
function written(vector: Vector): string {
  return JSON.stringify(vector)
}
