import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { readPostingLists } from '../../index/stored-postings.ts'
import { classesToSearch } from '../../text/inflections.ts'
import { type Script, skeletonOf } from '../../text/tokens.ts'
import type { Concept } from '../expansion/query.ts'
import { type CollectionStats, type ConceptPostings, mergeConcept, type PostingList } from './bm25.ts'
import { findClasses, type TermRow } from './spelling-classes.ts'

/** A concept with those of its terms that the library has. */
export type FoundConcept = {
  readonly concept: Concept
  /** Weight of an occurrence of each term. */
  readonly terms: ReadonlyMap<string, number>
  /** Frequency of the concept in documents. Forms other than the query's count less. */
  readonly documents: number
  /** Number of postings of all terms. */
  readonly postings: number
}

/** Weight of an occurrence of another spelling. */
export const spellingWeight = 0.8

/**
 * Limits below which other spellings of a Hebrew word are added: number and fraction of its documents. For frequent
 * words they only dilute it: used for every word they lower MRR by 0.01, for rare ones they raise it by 0.02.
 */
const rareDocuments = 3
const rareShare = 0.001

/** Weight of an occurrence of another inflection. Values from 0.35 to 0.7 gave the same MRR. */
const inflectionWeight = 0.4

/**
 * Weight of a document with only another form in the frequency of a concept. With full weight, many inflections make
 * a rare word look frequent: MRR of 82 questions 0.67 instead of 0.71.
 */
const formShare = 0.3

/** What the index knows about the terms of a query. */
export type Found = {
  readonly concepts: readonly FoundConcept[]
  /** Number of documents per term. Terms that the library lacks are missing. */
  readonly documents: ReadonlyMap<string, number>
}

/**
 * Reads which terms of the concepts exist, and their frequencies.
 * @param also further terms to count.
 */
export async function findConcepts(
  executor: Executor,
  concepts: readonly Concept[],
  facts: Readonly<Record<Script, CollectionStats>>,
  also: readonly string[],
): Promise<Found> {
  const rare = Math.max(rareDocuments, facts.he.documents * rareShare)
  const terms = [...new Set([...concepts.flatMap((c) => [...c.terms.keys()]), ...also])]
  const found = await executor.execute<TermRow>(sql`
    select term, sum(documents)::int as documents from search_postings
    where term = any(${sql.param(terms)}::text[]) group by term`)
  const documents = new Map(found.rows.map((row) => [row.term, row.documents]))
  const own = concepts.map((concept) => withTerms(concept, new Map(), documents))
  const classes = own.map((one) => classesOf(one, one.concept.script === 'en' || one.documents <= rare))
  const wanted = new Set(classes.flatMap((weights) => [...weights.keys()]))
  if (wanted.size === 0) return { concepts: own, documents }
  const members = await findClasses(executor, [...wanted])
  const joined = own.map((one, i) => {
    const others = new Map<string, number>()
    for (const [name, weight] of classes[i] ?? []) {
      for (const row of members.get(name) ?? []) {
        others.set(row.term, Math.max(weight, others.get(row.term) ?? 0))
        documents.set(row.term, row.documents)
      }
    }
    return others.size === 0 ? one : withTerms(one.concept, others, documents)
  })
  return { concepts: joined, documents }
}

/** The index classes of other forms of a concept, each with the weight of such a form. */
function classesOf({ concept }: FoundConcept, respell: boolean): ReadonlyMap<string, number> {
  const classes = new Map<string, number>()
  for (const word of concept.inflected)
    for (const name of classesToSearch(word)) classes.set(name, inflectionWeight)
  for (const term of respell ? concept.respelled : []) {
    const skeleton = skeletonOf(term)
    if (skeleton !== undefined) classes.set(skeleton, spellingWeight)
  }
  return classes
}

/**
 * Computes the terms and the frequency of a concept. If the library has its own terms, these decide the frequency.
 */
function withTerms(
  concept: Concept,
  others: ReadonlyMap<string, number>,
  documents: ReadonlyMap<string, number>,
): FoundConcept {
  const terms = new Map([...others, ...likelyTerms(concept, documents)])
  let [asked, forms] = [0, 0]
  for (const term of terms.keys()) {
    const count = documents.get(term) ?? 0
    if ((concept.terms.get(term) ?? 0) > inflectionWeight) asked += count
    else forms += count
  }
  const common = asked === 0 ? forms : Math.round(asked + formShare * forms)
  return { concept, terms, documents: common, postings: asked + forms }
}

/**
 * The terms of a concept that the library has. If the library never has the rest of a word alone, its first letters
 * are probably not a prefix. Then forms of the rest are dropped, or count like inflections if there are no others.
 * Otherwise `דינו` would find `כינו`: MRR of 50 harder Hebrew questions 0.48 instead of 0.52.
 */
function likelyTerms(
  { terms, rests }: Concept,
  documents: ReadonlyMap<string, number>,
): readonly (readonly [term: string, weight: number])[] {
  const known = [...terms].filter(([term]) => documents.has(term))
  const isLikely = (term: string): boolean => documents.has(rests.get(term) ?? term)
  const hasLikely = known.some(([term, weight]) => weight === 1 && isLikely(term))
  return known.flatMap(([term, weight]) =>
    isLikely(term) ? [[term, weight] as const] : hasLikely ? [] : [[term, inflectionWeight] as const],
  )
}

/** Loads the merged posting lists of concepts; if blocks are given, only those of these blocks. */
export async function loadPostings(
  executor: Executor,
  concepts: readonly FoundConcept[],
  blocks?: readonly number[],
): Promise<readonly ConceptPostings[]> {
  const terms = [...new Set(concepts.flatMap((c) => [...c.terms.keys()]))]
  const byTerm = await readPostingLists(executor, terms, blocks)
  return concepts.map((concept) => {
    const lists = [...concept.terms].flatMap(([term, weight]): readonly PostingList[] =>
      (byTerm.get(term) ?? []).map(({ block, postings }) => ({ block, postings, weight })),
    )
    const merged = mergeConcept(lists, concept.concept.weight)
    return { ...merged, documents: Math.min(merged.documents, concept.documents) }
  })
}

const hebrewScriptLanguages = ['he', 'arc', 'yi', 'jrb', 'lad']

/** Size of the library in each script. Weights of terms are relative to it. */
export async function loadCollectionStats(
  executor: Executor,
): Promise<Readonly<Record<Script, CollectionStats>>> {
  const found = await executor.execute<{ hebrew: boolean; documents: string; words: string }>(sql`
    select language = any(${sql.param(hebrewScriptLanguages)}::text[]) as hebrew, sum(doc_count) as documents,
      sum(word_count) as words
    from versions group by 1`)
  const factsOf = (hebrew: boolean): CollectionStats => {
    const row = found.rows.find((r) => r.hebrew === hebrew)
    const documents = Number(row?.documents ?? 0)
    return { documents, averageLength: documents > 0 ? Number(row?.words) / documents : 1 }
  }
  return { he: factsOf(true), en: factsOf(false) }
}
