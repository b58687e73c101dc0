import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import type { BlockRows } from './posting-rows.ts'
import { postingBytes } from './postings.ts'
import { type ListedTerms, spellingRowsOf, writeSpellings } from './spelling-rows.ts'

/** Rows per statement: enough to save round trips, few enough to stay far below the statement timeout. */
const batchRows = 5_000

const postingsTable = {
  table: 'search_postings',
  columns: ['term', 'block', 'documents', 'data'],
} as const

/**
 * Appends rows to a block of the index, with the spellings of its new terms. The documents of the rows follow those
 * already in the block.
 * @param isNew whether the index has nothing of this block yet.
 * @param listed the terms whose spellings need no second listing.
 */
export async function writeRows(
  tx: Executor,
  rows: BlockRows,
  isNew: boolean,
  listed: ListedTerms,
): Promise<void> {
  const known = isNew ? new Set<string>() : await knownTerms(tx, rows)
  const [added, grown]: [number[], number[]] = [[], []]
  for (const [i, term] of rows.terms.entries()) (known.has(term) ? grown : added).push(i)
  const terms = added.length === rows.terms.length ? rows.terms : added.map((i) => rows.terms[i] as string)
  // Made while Postgres receives the postings.
  const spellings = spellingRowsOf(listed.add(terms))
  await copyRows(tx, postingsTable, added.length, (writer, n) => {
    const i = added[n] as number
    const [from, to] = rangeOf(rows, i)
    writer.text(rows.terms[i] as string)
    writer.int4(rows.block)
    writer.int4((to - from) / postingBytes)
    writer.bytes(rows.data, from, to)
  })
  for (let from = 0; from < grown.length; from += batchRows)
    await appendTo(tx, rows, grown.slice(from, from + batchRows))
  await writeSpellings(tx, rows.block, await spellings, isNew)
}

/** Where the postings of a term are in the data, in bytes. */
function rangeOf({ starts }: BlockRows, term: number): readonly [from: number, to: number] {
  return [(starts[term] as number) * postingBytes, (starts[term + 1] as number) * postingBytes]
}

async function knownTerms(tx: Executor, { block, terms }: BlockRows): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (let from = 0; from < terms.length; from += batchRows) {
    const batch = terms.slice(from, from + batchRows)
    const found = await tx.execute<{ term: string }>(
      sql`select term from search_postings where block = ${block} and term = any(${sql.param(batch)}::text[])`,
    )
    for (const { term } of found.rows) known.add(term)
  }
  return known
}

/**
 * Appends postings to rows that exist. Statistics from before this block promise the planner a single row of it, and it
 * would compare each row of the block with all terms. So the block stands in the list, and each row is found by its key.
 */
async function appendTo(tx: Executor, rows: BlockRows, terms: readonly number[]): Promise<void> {
  const grown = terms.map((i) => {
    const [from, to] = rangeOf(rows, i)
    return {
      term: rows.terms[i] as string,
      documents: (to - from) / postingBytes,
      data: rows.data.subarray(from, to),
    }
  })
  await tx.execute(sql`set local enable_hashjoin = off`)
  await tx.execute(sql`set local enable_mergejoin = off`)
  await tx.execute(sql`
    update search_postings p set documents = p.documents + t.documents, data = p.data || t.data
    from unnest(${sql.param(grown.map((row) => row.term))}::text[], ${sql.param(grown.map(() => rows.block))}::int[], ${sql.param(grown.map((row) => row.documents))}::int[], ${sql.param(grown.map((row) => row.data))}::bytea[])
      as t (term, block, documents, data)
    where p.term = t.term and p.block = t.block`)
  await tx.execute(sql`set local enable_hashjoin to default`)
  await tx.execute(sql`set local enable_mergejoin to default`)
}
