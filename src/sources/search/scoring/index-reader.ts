import type { Executor } from '../../../db/client.ts'
import { readPostingLists } from '../../index/stored-postings.ts'
import { classesToSearch } from '../../text/inflections.ts'
import { skeletonOf } from '../../text/tokens.ts'
import type { Concept } from '../expansion/query.ts'
import { type ConceptPostings, mergeConcept, type PostingList } from './bm25.ts'
import { type IndexLookup, lookUp, type TermFrequencies } from './index-lookup.ts'

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
export type Found = Pick<IndexLookup, 'documents' | 'facts'> & { readonly concepts: readonly FoundConcept[] }

/**
 * Reads which terms of the concepts exist, and their frequencies.
 * @param also further terms to count.
 */
export async function findConcepts(
  executor: Executor,
  concepts: readonly Concept[],
  also: readonly string[],
): Promise<Found> {
  const terms = new Set(also)
  for (const concept of concepts) for (const term of concept.terms.keys()) terms.add(term)
  const ofInflections = concepts.map(inflectionClasses)
  const ofSpellings = concepts.map(spellingClasses)
  const classes = new Set([...ofInflections, ...ofSpellings].flatMap((weights) => [...weights.keys()]))
  const { documents: asked, facts, inClasses } = await lookUp(executor, [...terms], [...classes])
  const documents = new Map(asked)
  const rare = Math.max(rareDocuments, facts.he.documents * rareShare)
  const own = concepts.map((concept) => withTerms(concept, new Map(), documents))
  const wanted = own.map(({ concept, documents }, i) => {
    const isRespelled = concept.script === 'en' || documents <= rare
    return new Map([...(ofInflections[i] ?? []), ...((isRespelled && ofSpellings[i]) || [])])
  })
  const members = await inClasses(new Set(wanted.flatMap((weights) => [...weights.keys()])))
  const joined = own.map((one, i) => {
    const others = new Map<string, number>()
    for (const [name, weight] of wanted[i] ?? []) {
      for (const [term, count] of members.get(name) ?? []) {
        others.set(term, Math.max(weight, others.get(term) ?? 0))
        documents.set(term, count)
      }
    }
    return others.size === 0 ? one : withTerms(one.concept, others, documents)
  })
  return { concepts: joined, documents, facts }
}

/** Index classes of other forms of a concept, each with the weight of such a form. */
type Classes = ReadonlyMap<string, number>

function inflectionClasses({ inflected }: Concept): Classes {
  return new Map(inflected.flatMap(classesToSearch).map((name) => [name, inflectionWeight]))
}

function spellingClasses({ respelled }: Concept): Classes {
  return new Map(respelled.flatMap((term) => skeletonOf(term) ?? []).map((name) => [name, spellingWeight]))
}

/**
 * Computes the terms and the frequency of a concept. If the library has its own terms, these decide the frequency.
 */
function withTerms(
  concept: Concept,
  others: ReadonlyMap<string, number>,
  documents: TermFrequencies,
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
  documents: TermFrequencies,
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
