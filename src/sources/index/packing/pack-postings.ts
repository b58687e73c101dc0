import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../../db/client.ts'
import { lockIndex, readIndexWatermark } from '../index-watermark.ts'
import { blockOf, postingBytes } from '../postings.ts'

/**
 * Postings of a packed row, unless its last block brings more. A search reads it in one piece, and the removal of a
 * document writes it as a whole.
 */
const packedPostings = 4_096

/** Rows per transaction, which an import that writes the index waits for. */
const batchRows = 20_000

/** Minimum number of complete blocks that were added since the last time, and their fraction of the blocks before. */
const minBlocks = 4
const minShare = 0.25

/** An import of several works stores one at least every two minutes. */
const settledMinutes = 2

/**
 * Packs the posting lists of all complete blocks: rows of one term become few rows of several blocks. An import writes
 * a row per term and block, and a search would read each of them. Most terms are rare: of 1,000,000 passages, a seventh
 * of the rows is left. It begins when enough blocks were added. Searches and imports go on meanwhile. Interrupted, it
 * begins again with the next call and skips what is packed.
 * @param options.settled does nothing while an import is at work.
 * @returns whether there was something to pack.
 * @throws the reason of `signal` when it is aborted.
 */
export async function packPostings(
  database: Database,
  { settled = false, signal }: { readonly settled?: boolean; readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  const { system } = database
  const to = await blocksToPack(system)
  if (to === undefined || (settled && (await isImporting(system)))) return false
  const packAfter = (term: string) => withTx(database, 'system', (tx) => packTerms(tx, term, to), signal)
  for (let last = await packAfter(''); last !== undefined; ) last = await packAfter(last)
  await system.execute(sql`
    insert into library_state (key, value) values ('packed_to', ${String(to)})
    on conflict (key) do update set value = excluded.value`)
  return true
}

/** The first incomplete block, if enough complete blocks are not packed. */
async function blocksToPack(executor: Executor): Promise<number | undefined> {
  const { indexedTo } = await readIndexWatermark(executor)
  const { rows } = await executor.execute<{ value: string }>(
    sql`select value from library_state where key = 'packed_to'`,
  )
  const packed = Number(rows[0]?.value ?? 0)
  const complete = blockOf(indexedTo)
  return complete - packed >= Math.max(minBlocks, minShare * packed) ? complete : undefined
}

async function isImporting(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from versions where imported_at > now() - make_interval(mins => ${settledMinutes}) limit 1`)
  return rows.length > 0
}

/**
 * Packs the rows of the next terms, in blocks below `to`.
 * @param after the last term of the batch before.
 * @returns the last term; undefined when no term is left.
 */
async function packTerms(tx: Executor, after: string, to: number): Promise<string | undefined> {
  await lockIndex(tx)
  const { rows } = await tx.execute<{ last: string | null }>(sql`
    select max(term) as last from (
      select term from search_postings where term > ${after} order by term limit ${batchRows}) t`)
  const last = rows[0]?.last ?? undefined
  if (last === undefined) return undefined
  // Each row is found by its key: see `appendTo` in `write-rows.ts`.
  await tx.execute(sql`set local enable_hashjoin = off`)
  await tx.execute(sql`set local enable_mergejoin = off`)
  await tx.execute(sql`
    with found as (
      select term, block, documents, case when block < 0 then -1 - block else block end as first,
        case when block < 0 then substr(data, 1, length(data) - ${postingBytes} * documents) else int4send(block) || int4send(documents) end as header,
        substr(data, length(data) - ${postingBytes} * documents + 1) as body
      from search_postings where term > ${after} and term <= ${last} and block < ${to}),
    pieces as (
      select *, (sum(documents) over (partition by term order by first) - 1) / ${packedPostings} as piece from found),
    members as (
      select *, count(*) over same as count, first_value(block) over (same order by first) as kept
      from pieces window same as (partition by term, piece)),
    packed as (
      select term, kept, min(first) as first, sum(documents)::int as documents,
        string_agg(header, '' order by first) || string_agg(body, '' order by first) as data
      from members where count > 1 group by term, kept),
    gone as (
      delete from search_postings p using members m
      where m.count > 1 and m.block <> m.kept and p.term = m.term and p.block = m.block)
    update search_postings p set block = -1 - k.first, documents = k.documents, data = k.data
    from packed k where p.term = k.term and p.block = k.kept`)
  return last
}
