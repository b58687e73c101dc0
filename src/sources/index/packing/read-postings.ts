import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { type BlockPostings, listsIn, type PostingRow } from './packed-rows.ts'

export type { BlockPostings } from './packed-rows.ts'

/**
 * Reads the posting lists of terms, each in ascending order of blocks. Terms without postings are missing. One statement.
 * @param blocks the only blocks to return; undefined for all.
 */
export async function readPostingLists(
  executor: Executor,
  terms: readonly string[],
  blocks?: readonly number[],
): Promise<ReadonlyMap<string, readonly BlockPostings[]>> {
  const wanted = blocks && new Set(blocks)
  const inBlocks = blocks ? sql`and (block = any(${sql.param(blocks)}::int[]) or block < 0)` : sql``
  const { rows } = await executor.execute<PostingRow & { term: string }>(sql`
    select term, block, documents, data from search_postings
    where term = any(${sql.param(terms)}::text[]) ${inBlocks}`)
  const lists = new Map<string, BlockPostings[]>()
  for (const row of rows) {
    const found = listsIn(row).filter(({ block }) => !wanted || wanted.has(block))
    const known = lists.get(row.term)
    if (known) known.push(...found)
    else if (found.length > 0) lists.set(row.term, [...found])
  }
  for (const list of lists.values()) list.sort((a, b) => a.block - b.block)
  return lists
}
