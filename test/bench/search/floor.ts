import type pg from 'pg'
import { isStopWord, tokenize } from '../../../src/sources/text/tokens.ts'

/** Maximum number of postings, as in the search. */
const maxPostings = 250_000

/** What the floor reads for one query. */
export type FloorReads = { readonly terms: readonly string[]; readonly docs: readonly number[] }

/**
 * The floor of a search: the least that an index must read to answer. One prepared statement reads the posting lists
 * of the query's own words, without other forms or translations, the rarest first up to 250,000 postings. A second one
 * reads the hits that the search returned, with their works and versions. Both run on one connection by hand-written
 * SQL, and nothing is scored.
 */
export async function readFloor(client: pg.Client, { terms, docs }: FloorReads): Promise<void> {
  await client.query({
    name: 'floor_postings',
    text: 'select term, block, data from search_postings where term = any($1::text[])',
    values: [terms],
  })
  await client.query({
    name: 'floor_hits',
    text: `select t.doc_id, p.ref, p.he_ref, p.section_ref, p.ordinal, w.title, w.author, t.language, v.title as version,
        v.license, t.text
      from passage_texts t join passages p on p.id = t.passage_id join versions v on v.id = t.version_id
        join works w on w.id = p.work_id
      where t.doc_id = any($1::int[])`,
    values: [docs],
  })
}

/** Chooses what the floor reads. It is not part of the measured time. */
export async function planFloor(
  client: pg.Client,
  query: string,
  refs: readonly string[],
): Promise<FloorReads> {
  const words = [...new Set(tokenize(query).flatMap((token) => (isStopWord(token) ? [] : [token.term])))]
  const counted = await client.query<{ term: string; documents: number }>(
    `select term, sum(documents)::int as documents from search_postings where term = any($1::text[])
      group by term order by documents, term`,
    [words],
  )
  let sum = 0
  const terms = counted.rows.flatMap(({ term, documents }) => {
    sum += documents
    return sum <= maxPostings ? [term] : []
  })
  const found = await client.query<{ doc_id: number }>(
    'select t.doc_id from passages p join passage_texts t on t.passage_id = p.id where p.ref = any($1::text[])',
    [refs],
  )
  return { terms, docs: found.rows.map(({ doc_id }) => doc_id) }
}
