import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import {
  type CollectionFacts,
  type ConceptPostings,
  type DocumentRanges,
  mergeConcept,
  type PostingRow,
} from './bm25.ts'
import { readPostings } from './postings.ts'
import type { Concept } from './query.ts'
import type { Script } from './tokens.ts'

/** A concept with the terms of it that the library has, and in how many documents they occur, at most. */
export type FoundConcept = {
  readonly concept: Concept
  readonly terms: ReadonlyMap<string, number>
  readonly documents: number
}

/** How much an occurrence of another spelling counts beside the word's own. */
const spellingWeight = 0.8

/** Finds out which terms of the concepts exist and how common they are. */
export async function findConcepts(
  executor: Executor,
  concepts: readonly Concept[],
): Promise<readonly FoundConcept[]> {
  const terms = [...new Set(concepts.flatMap((c) => [...c.terms.keys()]))]
  const skeletons = [...new Set(concepts.flatMap((c) => c.skeletons))]
  const found = await executor.execute<{ term: string; skeleton: string | null; documents: number }>(sql`
    select term, null as skeleton, sum(documents)::int as documents from search_postings
    where term = any(${sql.param(terms)}::text[]) group by term
    union all
    select s.term, s.skeleton, sum(p.documents)::int from search_spellings s join search_postings p on p.term = s.term
    where s.skeleton = any(${sql.param(skeletons)}::text[]) group by s.term, s.skeleton`)
  return concepts.map((concept) => {
    const own = new Map<string, number>()
    let documents = 0
    for (const row of found.rows) {
      const weight =
        row.skeleton === null
          ? concept.terms.get(row.term)
          : concept.skeletons.includes(row.skeleton)
            ? spellingWeight
            : undefined
      if (weight === undefined || own.has(row.term)) continue
      own.set(row.term, weight)
      documents += row.documents
    }
    return { concept, terms: own, documents }
  })
}

/** Loads the posting lists of concepts, merged. */
export async function loadPostings(
  executor: Executor,
  concepts: readonly FoundConcept[],
): Promise<readonly ConceptPostings[]> {
  const terms = [...new Set(concepts.flatMap((c) => [...c.terms.keys()]))]
  const loaded = await executor.execute<{ term: string; block: number; data: Buffer }>(
    sql`select term, block, data from search_postings where term = any(${sql.param(terms)}::text[])`,
  )
  const byTerm = Map.groupBy(loaded.rows, (row) => row.term)
  return concepts.map((concept) => {
    const rows: PostingRow[] = []
    for (const [term, weight] of concept.terms) {
      for (const row of byTerm.get(term) ?? []) {
        rows.push({ block: row.block, weight, postings: readPostings(row.data) })
      }
    }
    return mergeConcept(rows, concept.concept.weight)
  })
}

const hebrewScriptLanguages = ['he', 'arc', 'yi', 'jrb', 'lad']

/** Size of the library in each script, which the weights of terms are relative to. */
export async function collectionFacts(
  executor: Executor,
): Promise<Readonly<Record<Script, CollectionFacts>>> {
  const found = await executor.execute<{ hebrew: boolean; documents: string; words: string }>(sql`
    select language = any(${sql.param(hebrewScriptLanguages)}::text[]) as hebrew, sum(doc_count) as documents,
      sum(word_count) as words
    from versions group by 1`)
  const factsOf = (hebrew: boolean): CollectionFacts => {
    const row = found.rows.find((r) => r.hebrew === hebrew)
    const documents = Number(row?.documents ?? 0)
    return { documents, averageLength: documents > 0 ? Number(row?.words) / documents : 1 }
  }
  return { he: factsOf(true), en: factsOf(false) }
}

export type LibraryFilter = {
  readonly language?: string | undefined
  readonly work?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
  readonly license?: string | undefined
}

/** The documents that a filter lets through; undefined when it lets all through. */
export async function documentRanges(
  executor: Executor,
  filter: LibraryFilter,
): Promise<DocumentRanges | undefined> {
  const conditions: SQL[] = []
  if (filter.language) conditions.push(sql`v.language = ${filter.language}`)
  if (filter.license) conditions.push(sql`lower(v.license) = lower(${filter.license})`)
  if (filter.work)
    conditions.push(sql`(lower(w.title) = lower(${filter.work}) or w.he_title = ${filter.work})`)
  if (filter.author) conditions.push(sql`lower(w.author) = lower(${filter.author})`)
  if (filter.category) {
    conditions.push(
      sql`exists (select 1 from unnest(w.categories) c where lower(c) = lower(${filter.category}))`,
    )
  }
  if (conditions.length === 0) return undefined
  const found = await executor.execute<{ first: number; last: number }>(sql`
    select v.first_doc as first, v.first_doc + v.doc_count - 1 as last
    from versions v join works w on w.id = v.work_id
    where v.doc_count > 0 and ${sql.join(conditions, sql` and `)}
    order by v.first_doc`)
  return found.rows.map((row) => [row.first, row.last] as const)
}
