import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { TextToIndex } from './index-terms.ts'
import { lockIndex } from './index-watermark.ts'
import { blockOf, blockSize, postingBytes, readPostings, withoutDocuments } from './postings.ts'
import { documentTerms } from './terms.ts'

/** The postings of a term in one block, as `readPostings` returns them. */
export type BlockPostings = { readonly block: number; readonly postings: Uint32Array }

/**
 * Reads the posting lists of terms, each in ascending order of blocks. Terms without postings are missing. One statement.
 * @param blocks the only blocks to return; undefined for all.
 */
export async function readPostingLists(
  executor: Executor,
  terms: readonly string[],
  blocks?: readonly number[],
): Promise<ReadonlyMap<string, readonly BlockPostings[]>> {
  const inBlocks = blocks ? sql`and block = any(${sql.param(blocks)}::int[])` : sql``
  const { rows } = await executor.execute<{ term: string; block: number; data: Buffer }>(sql`
    select term, block, data from search_postings
    where term = any(${sql.param(terms)}::text[]) ${inBlocks}`)
  rows.sort((a, b) => a.block - b.block)
  const lists = new Map<string, BlockPostings[]>()
  for (const { term, block, data } of rows) {
    const list = { block, postings: readPostings(data) }
    const known = lists.get(term)
    if (known) known.push(list)
    else lists.set(term, [list])
  }
  return lists
}

/** Rows per statement. A row has up to 256 KB. */
const batchRows = 2_000

/** A text with its document number. */
export type IndexedText = TextToIndex & { readonly docId: number }

/** Documents `from` to `to` of a block, both inclusive, numbers within the block. */
type Range = { readonly block: number; readonly from: number; readonly to: number }

/**
 * Removes texts from the index. Terms of an older normaliser may stay; searches ignore them, because document numbers
 * are never reused.
 */
export async function removeFromIndex(tx: Executor, texts: readonly IndexedText[]): Promise<void> {
  await lockIndex(tx)
  const byBlock = Map.groupBy(texts, (t) => blockOf(t.docId))
  for (const [block, inBlock] of byBlock) {
    const locals = inBlock.map((t) => t.docId % blockSize)
    const from = locals.reduce((a, b) => Math.min(a, b))
    const to = locals.reduce((a, b) => Math.max(a, b))
    const terms = [
      ...new Set(inBlock.flatMap((t) => [...documentTerms(t.text, t.headings).frequencies.keys()])),
    ]
    for (let at = 0; at < terms.length; at += batchRows) {
      await removeTerms(tx, terms.slice(at, at + batchRows), { block, from, to })
    }
  }
}

async function removeTerms(tx: Executor, terms: readonly string[], range: Range): Promise<void> {
  const { block, from, to } = range
  const { rows } = await tx.execute<{ term: string; data: Buffer }>(sql`
    select term, data from search_postings
    where block = any(array[${block}::int]) and term = any(${sql.param(terms)}::text[])`)
  const kept = rows.map(({ term, data }) => ({
    term,
    data: bytesOf(withoutDocuments(readPostings(data), from, to)),
  }))
  // The block stands in a list: see `appendTo` in `write-rows.ts`.
  await tx.execute(sql`
    update search_postings p set documents = length(t.data) / ${postingBytes}::int, data = t.data
    from unnest(${sql.param(kept.map((k) => k.term))}::text[], ${sql.param(kept.map((k) => k.data))}::bytea[]) as t (term, data)
    where p.term = t.term and p.block = any(array[${block}::int])`)
  const emptied = kept.filter(({ data }) => data.length === 0)
  await tx.execute(sql`
    delete from search_postings
    where block = any(array[${block}::int]) and term = any(${sql.param(emptied.map((k) => k.term))}::text[])`)
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
