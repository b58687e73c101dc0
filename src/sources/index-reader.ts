import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import {
  type CollectionFacts,
  type ConceptPostings,
  type DocumentRanges,
  mergeConcept,
  type PostingRow,
} from './bm25.ts'
import { clean } from './clean.ts'
import { readPostings } from './postings.ts'
import type { Concept } from './query.ts'
import { worksNamed } from './title-lookup.ts'
import { type Script, skeletonOf } from './tokens.ts'

/** A concept with the terms of it that the library has, and in how many documents they occur, at most. */
export type FoundConcept = {
  readonly concept: Concept
  readonly terms: ReadonlyMap<string, number>
  readonly documents: number
}

/** How much an occurrence of another spelling counts beside the word's own. */
const spellingWeight = 0.8

/**
 * A Hebrew word that is found in so few documents, and in so small a share of them, is looked for in other spellings
 * too. Where it is common they only dilute it (measured: for every word they lower MRR by 0.01, for rare ones they
 * raise it by 0.02).
 */
const rareDocuments = 3
const rareShare = 0.001

type TermRow = { readonly term: string; readonly documents: number }

/** Finds out which terms of the concepts exist and how common they are. */
export async function findConcepts(
  executor: Executor,
  concepts: readonly Concept[],
  facts: Readonly<Record<Script, CollectionFacts>>,
): Promise<readonly FoundConcept[]> {
  const rare = Math.max(rareDocuments, facts.he.documents * rareShare)
  const terms = [...new Set(concepts.flatMap((c) => [...c.terms.keys()]))]
  const found = await executor.execute<TermRow>(sql`
    select term, sum(documents)::int as documents from search_postings
    where term = any(${sql.param(terms)}::text[]) group by term`)
  const documents = new Map(found.rows.map((row) => [row.term, row.documents]))
  const own = concepts.map((concept) => withTerms(concept, new Map(), documents))
  const wanting = new Map(
    own
      .filter(({ concept, documents: few }) => concept.script === 'en' || few <= rare)
      .map((one) => [one, skeletonsOf(one.concept)] as const)
      .filter(([, skeletons]) => skeletons.length > 0),
  )
  if (wanting.size === 0) return own
  const spellings = await findSpellings(executor, [...new Set([...wanting.values()].flat())])
  return own.map((one) => {
    const others = (wanting.get(one) ?? []).flatMap((skeleton) => spellings.get(skeleton) ?? [])
    if (others.length === 0) return one
    for (const row of others) documents.set(row.term, row.documents)
    return withTerms(one.concept, new Map(others.map((row) => [row.term, spellingWeight])), documents)
  })
}

function skeletonsOf(concept: Concept): readonly string[] {
  return concept.respelled.map(skeletonOf).filter((skeleton) => skeleton !== undefined)
}

function withTerms(
  concept: Concept,
  others: ReadonlyMap<string, number>,
  documents: ReadonlyMap<string, number>,
): FoundConcept {
  const terms = new Map([...others, ...concept.terms].filter(([term]) => documents.has(term)))
  const sum = [...terms.keys()].reduce((total, term) => total + (documents.get(term) ?? 0), 0)
  return { concept, terms, documents: sum }
}

/** The most spellings of one class that are looked at: hostile input could have made thousands. */
const mostSpellings = 64

async function findSpellings(
  executor: Executor,
  skeletons: readonly string[],
): Promise<ReadonlyMap<string, readonly TermRow[]>> {
  const found = await executor.execute<TermRow & { skeleton: string }>(sql`
    select s.skeleton, s.term, sum(p.documents)::int as documents
    from search_spellings s join search_postings p on p.term = s.term
    where s.skeleton = any(${sql.param(skeletons)}::text[]) group by s.skeleton, s.term order by documents desc, s.term`)
  const bySkeleton = Map.groupBy(found.rows, (row) => row.skeleton)
  return new Map([...bySkeleton].map(([skeleton, rows]) => [skeleton, rows.slice(0, mostSpellings)]))
}

/** Loads the posting lists of concepts, merged; only those of some blocks when they are given. */
export async function loadPostings(
  executor: Executor,
  concepts: readonly FoundConcept[],
  blocks?: readonly number[],
): Promise<readonly ConceptPostings[]> {
  const terms = [...new Set(concepts.flatMap((c) => [...c.terms.keys()]))]
  const inBlocks = blocks ? sql`and block = any(${sql.param(blocks)}::int[])` : sql``
  const loaded = await executor.execute<{ term: string; block: number; data: Buffer }>(
    sql`select term, block, data from search_postings where term = any(${sql.param(terms)}::text[]) ${inBlocks}`,
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
  const when = (value: string | undefined, condition: (cleaned: string) => SQL): void => {
    if (value) conditions.push(condition(clean(value)))
  }
  when(filter.language, (language) => sql`v.language = ${language}`)
  when(filter.license, (license) => sql`lower(v.license) = lower(${license})`)
  if (filter.work) {
    const named = await worksNamed(executor, clean(filter.work))
    conditions.push(sql`w.id = any(${sql.param(named)}::int[])`)
  }
  when(filter.author, (author) => sql`lower(w.author) = lower(${author})`)
  when(
    filter.category,
    (category) => sql`exists (select 1 from unnest(w.categories) c where lower(c) = lower(${category}))`,
  )
  if (conditions.length === 0) return undefined
  const found = await executor.execute<{ first: number; last: number }>(sql`
    select v.first_doc as first, v.first_doc + v.doc_count - 1 as last
    from versions v join works w on w.id = v.work_id
    where v.doc_count > 0 and ${sql.join(conditions, sql` and `)}
    order by v.first_doc`)
  return found.rows.map((row) => [row.first, row.last] as const)
}
