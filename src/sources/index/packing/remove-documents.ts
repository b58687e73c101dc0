import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import type { TextToIndex } from '../index-terms.ts'
import { lockIndex } from '../index-watermark.ts'
import { blockOf, blockSize, withoutDocuments } from '../postings.ts'
import { documentTerms } from '../terms.ts'
import { dataOf, listsIn, type PostingRow } from './packed-rows.ts'

/** Rows per statement. A packed row has up to 32 KB. */
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
  // Of the packed rows of a term, only the one that begins last before the block can have it.
  const { rows } = await tx.execute<PostingRow & { term: string }>(sql`
    select p.term, p.block, p.documents, p.data from unnest(${sql.param(terms)}::text[]) t (term)
      cross join lateral (
        (select * from search_postings where term = t.term and block = ${range.block})
        union all
        (select * from search_postings where term = t.term and block between ${-1 - range.block} and -1
         order by block limit 1)) p`)
  const kept = rows
    .filter((row) => listsIn(row).some(({ block }) => block === range.block))
    .map((row) => ({ term: row.term, ...withoutRange(row, range) }))
  // The blocks stand in a list: see `appendTo` in `write-rows.ts`.
  await tx.execute(sql`
    update search_postings p set documents = t.documents, data = t.data
    from unnest(${sql.param(kept.map((k) => k.term))}::text[], ${sql.param(kept.map((k) => k.block))}::int[], ${sql.param(kept.map((k) => k.documents))}::int[], ${sql.param(kept.map((k) => k.data))}::bytea[])
      as t (term, block, documents, data)
    where p.term = t.term and p.block = t.block`)
  const emptied = kept.filter((k) => k.documents === 0)
  await tx.execute(sql`
    delete from search_postings p
    using unnest(${sql.param(emptied.map((k) => k.term))}::text[], ${sql.param(emptied.map((k) => k.block))}::int[])
      as t (term, block)
    where p.term = t.term and p.block = t.block`)
}

function withoutRange(row: PostingRow, { block, from, to }: Range): PostingRow {
  const lists = listsIn(row)
    .map((list) =>
      list.block === block ? { block, postings: withoutDocuments(list.postings, from, to) } : list,
    )
    .filter(({ postings }) => postings.length > 0)
  const documents = lists.reduce((sum, { postings }) => sum + postings.length, 0)
  return { block: row.block, documents, data: dataOf(row.block, lists) }
}
