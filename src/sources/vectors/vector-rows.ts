import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { Vector } from '../embeddings/embedding-model.ts'
import { quantize } from './quantize.ts'

/** A model that has made vectors of this library. */
export type KnownModel = {
  readonly id: number
  readonly dims: number
  /** Rises when vectors were stored below others, so that reading on from the highest would miss them. */
  readonly revision: number
}

/** The model of this name; undefined before it has made a vector. */
export async function knownModel(executor: Executor, name: string): Promise<KnownModel | undefined> {
  const found = await executor.execute<KnownModel>(
    sql`select id, dims, revision from embedding_models where name = ${name}`,
  )
  return found.rows[0]
}

/** How many of some documents have lost their vector of the model, as a removed text does. */
export async function countLost(
  executor: Executor,
  model: number,
  documents: readonly number[],
): Promise<number> {
  const found = await executor.execute<{ lost: number }>(sql`
    select count(*)::int as lost from unnest(${sql.param(documents)}::int[]) as d (doc_id)
    where not exists (select 1 from passage_vectors v where v.doc_id = d.doc_id and v.model_id = ${model})`)
  return found.rows[0]?.lost ?? 0
}

export type TextCounts = { readonly total: number; readonly missing: number }

/** How many texts the library has, and how many of them lack a vector of the model. */
export async function countTexts(executor: Executor, name: string): Promise<TextCounts> {
  const counted = await executor.execute<TextCounts>(sql`
    select count(*)::int as total, (count(*) filter (where v.doc_id is null))::int as missing
    from passage_texts t left join passage_vectors v
      on v.doc_id = t.doc_id and v.model_id = (select id from embedding_models where name = ${name})`)
  return counted.rows[0] ?? { total: 0, missing: 0 }
}

export type TextWithoutVector = { readonly docId: number; readonly text: string }

/** The next texts above document `after` that lack a vector of the model. */
export async function textsWithout(
  executor: Executor,
  name: string,
  after: number,
  limit: number,
): Promise<readonly TextWithoutVector[]> {
  const found = await executor.execute<{ doc_id: number; text: string }>(sql`
    select t.doc_id, t.text from passage_texts t
    where t.doc_id > ${after} and not exists (
      select 1 from passage_vectors v
      where v.doc_id = t.doc_id and v.model_id = (select id from embedding_models where name = ${name}))
    order by t.doc_id limit ${limit}`)
  return found.rows.map((row) => ({ docId: row.doc_id, text: row.text }))
}

/**
 * Keeps vectors, one byte a dimension, in place of those of another model. Texts that were removed meanwhile are left out.
 * @param tx an open transaction.
 * @throws RangeError when the model has made vectors of another length before.
 */
export async function saveVectors(
  tx: Executor,
  name: string,
  vectors: ReadonlyMap<number, Vector>,
): Promise<void> {
  const dims = vectors.values().next().value?.length
  if (dims === undefined) return
  const model = await modelOf(tx, name, dims)
  const rows = [...vectors].map(([docId, vector]) => ({ docId, ...quantize(vector) }))
  await tx.execute(sql`
    insert into passage_vectors (doc_id, model_id, scale, components)
    select n.doc_id, ${model.id}, n.scale, n.components
    from unnest(${sql.param(rows.map((row) => row.docId))}::int[], ${sql.param(rows.map((row) => row.scale))}::real[],
      ${sql.param(rows.map((row) => Buffer.from(row.components.buffer)))}::bytea[]) as n (doc_id, scale, components)
    join passage_texts t on t.doc_id = n.doc_id
    on conflict (doc_id) do update
      set model_id = excluded.model_id, scale = excluded.scale, components = excluded.components`)
  await tx.execute(sql`
    update embedding_models set revision = revision + 1
    where id = ${model.id} and exists (
      select 1 from passage_vectors v
      where v.model_id = ${model.id} and v.doc_id > ${Math.max(...vectors.keys())} limit 1)`)
}

async function modelOf(tx: Executor, name: string, dims: number): Promise<KnownModel> {
  await tx.execute(
    sql`insert into embedding_models (name, dims) values (${name}, ${dims}) on conflict (name) do nothing`,
  )
  const model = await knownModel(tx, name)
  if (model?.dims === dims) return model
  throw new RangeError(`${name} made vectors of ${model?.dims} dimensions before, now of ${dims}`)
}
