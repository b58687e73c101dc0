import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import type { Vector } from '../embeddings/embedding-model.ts'
import type { VectorIndex } from './vector-index.ts'
import { type KnownModel, knownModel } from './vector-rows.ts'

/** Any number of its own: processes that start together make the table one after another. */
const tableLock = 7_203_115_004n

/** Which model the table belongs to. */
const stateKey = 'pgvector_model'

/** Rows of a statement that copies vectors. */
const batchRows = 500

/** pgvector, README, "HNSW": at most 4,000 dimensions of `halfvec`. */
const maxDims = 4_000

/** pgvector's default is 40, which finds fewer than the 50 that a search takes. */
const candidates = 200

/** Whether the vectors of this model are searched by pgvector: `fillPgvector` has copied them all at least once. */
export async function hasPgvector(executor: Executor, modelName: string): Promise<boolean> {
  const found = await executor.execute<{ there: boolean }>(sql`
    select to_regclass('passage_halfvecs') is not null
      and exists (select 1 from library_state where key = ${stateKey} and value = ${modelName}) as there`)
  return found.rows[0]?.there ?? false
}

/**
 * Copies the vectors that pgvector lacks out of `passage_vectors` into a table with an HNSW index (Malkov and
 * Yashunin, 2018), which it makes first. For libraries of more than a million texts, or replicas with little memory.
 * @param ownerUrl of the role that owns the schema: only that role can make the table.
 * @returns how many it copied; undefined when the database has no extension `vector` of version 0.8 or later.
 */
export async function fillPgvector(
  database: Database,
  ownerUrl: string,
  modelName: string,
): Promise<number | undefined> {
  const model = await knownModel(database.system, modelName)
  if (!model || model.dims > maxDims || !(await isAvailable(database.system))) return undefined
  await makeTable(ownerUrl, decodeURIComponent(new URL(database.url).username), model.dims, modelName)
  let copied = 0
  for (let last = -1, count = 1; count > 0; copied += count) {
    ;({ last, count } = await withTx(database, 'system', (tx) => copyMissing(tx, model, last)))
  }
  await database.system.execute(sql`
    insert into library_state (key, value) values (${stateKey}, ${modelName})
    on conflict (key) do update set value = excluded.value`)
  return copied
}

/** One batch of vectors above document `after`. */
async function copyMissing(
  tx: Executor,
  { id, dims }: KnownModel,
  after: number,
): Promise<{ readonly last: number; readonly count: number }> {
  const { rows } = await tx.execute<{ doc_id: number; components: Buffer }>(sql`
    select v.doc_id, v.components from passage_vectors v
    where v.model_id = ${id} and v.doc_id > ${after}
      and not exists (select 1 from passage_halfvecs h where h.doc_id = v.doc_id)
    order by v.doc_id limit ${batchRows}`)
  // A cosine does not depend on the length: the components do without their scale.
  const texts = rows.map(({ components }) => written(new Int8Array(components).subarray(0, dims)))
  await tx.execute(sql`
    insert into passage_halfvecs (doc_id, embedding)
    select n.doc_id, n.embedding::halfvec
    from unnest(${sql.param(rows.map((row) => row.doc_id))}::int[], ${sql.param(texts)}::text[]) as n (doc_id, embedding)
    join passage_texts t on t.doc_id = n.doc_id
    on conflict (doc_id) do nothing`)
  return { last: rows.at(-1)?.doc_id ?? after, count: rows.length }
}

async function isAvailable(executor: Executor): Promise<boolean> {
  const found = await executor.execute<{ there: boolean }>(sql`
    select exists (
      select 1 from pg_available_extension_versions
      where name = 'vector' and string_to_array(version, '.')::int[] >= array[0, 8, 0]) as there`)
  return found.rows[0]?.there ?? false
}

/**
 * Makes the extension and the table, without the vectors of another model. No migration does, because a database
 * without the extension must migrate too. `serviceRole` may be another role than the owner, and gets its rights.
 */
async function makeTable(
  ownerUrl: string,
  serviceRole: string,
  dims: number,
  modelName: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await drizzle({ client }).transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = '10s'`)
      await tx.execute(sql`select pg_advisory_xact_lock(${tableLock})`)
      await tx.execute(sql`create extension if not exists vector`)
      if (!(await hasPgvector(tx, modelName))) await tx.execute(sql`drop table if exists passage_halfvecs`)
      await tx.execute(
        sql.raw(`
        create table if not exists passage_halfvecs (
          doc_id integer primary key references passage_texts (doc_id) on delete cascade,
          embedding halfvec(${dims}) not null)`),
      )
      await tx.execute(sql`
        create index if not exists passage_halfvecs_hnsw on passage_halfvecs using hnsw (embedding halfvec_cosine_ops)`)
      await tx.execute(
        sql`grant select, insert, update, delete on passage_halfvecs to ${sql.identifier(serviceRole)}`,
      )
    })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The search by pgvector's HNSW index. Approximate: it finds most of the nearest, not always all. */
export function openPgvector(database: Database): VectorIndex {
  return {
    nearest: (vector, { ranges, limit, timeoutMs }) =>
      withTx(database, 'system', async (tx) => {
        const confined = ranges
          ? sql`where exists (
              select 1 from unnest(${sql.param(ranges.map(([first]) => first))}::int[], ${sql.param(ranges.map(([, last]) => last))}::int[])
                as r (first, last) where h.doc_id between r.first and r.last)`
          : sql``
        await tx.execute(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true),
          set_config('hnsw.ef_search', ${String(candidates)}, true),
          set_config('hnsw.iterative_scan', 'strict_order', true)`)
        // The index gives equal distances in any order.
        const found = await tx.execute<{ doc_id: number }>(sql`
          select n.doc_id from (
            select h.doc_id, h.embedding <=> ${written(vector)}::halfvec as distance from passage_halfvecs h ${confined}
            order by distance limit ${limit}) as n
          order by n.distance, n.doc_id`)
        return found.rows.map((row) => row.doc_id)
      }),
    close: async () => undefined,
  }
}

/** As the extension reads it. */
function written(vector: Vector | Int8Array): string {
  return `[${Array.from(vector).join(',')}]`
}
