import type { PassageRow } from '../../library/passage-row.ts'
import { Runs } from '../expansion/phrases.ts'
import type { Query } from '../expansion/query.ts'
import type { AskedWord, AskedWords } from '../phrases/asked-words.ts'
import { passageWords } from '../phrases/passage-words.ts'
import {
  type CollectionStats,
  inverseFrequency,
  type ScoredDocument,
  termSaturation,
} from '../scoring/bm25.ts'
import type { FoundConcept } from '../scoring/index-reader.ts'
import { noSignals } from '../scoring/signals.ts'
import { type ByTerm, conceptsByTerm, type TitleMatch, titleMatcher } from './title-match.ts'

/** Maximum distance, in words, of two query words that count as close to each other. */
const nearby = 4

/** Gain for two close words, as a fraction of the weight of the rarer one. */
const nearbyWorth = 0.5

/** Minimum number of query words in unbroken order that form a phrase. A shorter query is a phrase as a whole. */
const shortestPhrase = 3

/** Factor of the gain for a passage whose title is the whole query; multiplied by the weight of the title's words. */
const titleWorth = 2

/** A concept prepared for comparison with passages. */
export type WeightedConcept = {
  readonly concept: FoundConcept
  /** Its weight in the ranking. */
  readonly worth: number
  /** True when it has too many postings to read. Its score is then added during reranking. */
  readonly missing: boolean
}

/** Computes the weights of concepts for a list of results. */
export function weightConcepts(
  found: readonly FoundConcept[],
  read: ReadonlySet<FoundConcept>,
  collection: CollectionStats,
): readonly WeightedConcept[] {
  return found.map((concept) => ({
    concept,
    worth: concept.concept.weight * inverseFrequency(concept.documents, collection),
    missing: !read.has(concept),
  }))
}

/**
 * Reranks the candidates of one list. It adds the BM25 score of words whose postings were not read, and prefers
 * passages with the query words close together or in order. Best first; ties by ref.
 */
export function rerank(
  candidates: readonly ScoredDocument[],
  rows: ReadonlyMap<number, PassageRow>,
  query: Query,
  concepts: readonly WeightedConcept[],
  collection: CollectionStats,
  wordsIn: AskedWords,
): readonly ScoredDocument[] {
  const byTerm = conceptsByTerm(concepts.map(({ concept }) => concept))
  const matchTitles = titleMatcher(byTerm)
  const proximityScore = proximityScorer(query, concepts, byTerm, collection)
  const total = worthAsked(query, concepts, collection)
  const scored = candidates.flatMap(({ doc, score }) => {
    const row = rows.get(doc)
    if (!row) return []
    const titles = titleScores(matchTitles(row), concepts, total)
    const { order, unread } = proximityScore(wordsIn(row), passageWords(row).words.length)
    const titled = titles.mention > 0 && { titled: true as const }
    const signals = { ...noSignals, bm25: score + unread, order, title: titles.whole, ...titled }
    const whole = signals.bm25 + order + titles.whole
    return [{ doc, ref: row.ref, work: row.work, score: whole, mention: titles.mention, signals }]
  })
  return mentionedFirst(scored).sort(
    (a, b) => b.score - a.score || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : a.doc - b.doc),
  )
}

type Scored = Required<ScoredDocument> & {
  readonly ref: string
  readonly work: string
  readonly mention: number
}

/**
 * Puts the passages of each work in another order: those whose title the query mentions gain. The work as a whole keeps
 * its places among other works. A title tells which entry of its work is meant; it is no reason to prefer the work to others. With a gain over
 * all works, entries of the starter library would displace chapters of books that treat the question.
 */
function mentionedFirst(scored: readonly Scored[]): Scored[] {
  if (scored.every(({ mention }) => mention === 0)) return [...scored]
  return [...Map.groupBy(scored, ({ work }) => work).values()].flatMap((ofWork) => {
    const places = ofWork.map(({ score }) => score).sort((a, b) => b - a)
    const inOrder = ofWork.toSorted((a, b) => b.score + b.mention - a.score - a.mention)
    return inOrder.map((one, at) => {
      const score = places[at] ?? one.score
      const title = one.signals.title + score - one.score
      return { ...one, score, signals: { ...one.signals, title } }
    })
  })
}

/**
 * Gains of a passage under a title that the query names. `whole` is the product of three factors: the weight of the shared
 * words, the fraction of the title in the query, and the fourth power of the fraction of the query in the title. The
 * power is high, so that a query for a name finds its entry, and a long question that only mentions the name does not.
 * `mention` is for such a question: the weight of a title that it names completely.
 */
function titleScores(
  titles: readonly TitleMatch[],
  concepts: readonly WeightedConcept[],
  total: number,
): { readonly whole: number; readonly mention: number } {
  let [whole, mention] = [0, 0]
  if (total === 0) return { whole, mention }
  for (const { concepts: met, share } of titles) {
    const worth = met.reduce((sum, index) => sum + (concepts[index]?.worth ?? 0), 0)
    whole = Math.max(whole, titleWorth * share * worth * (worth / total) ** 4)
    if (share === 1) mention = Math.max(mention, worth)
  }
  return { whole, mention }
}

/** Total weight of a query. Words that the library lacks in this script count as the rarest. */
function worthAsked(query: Query, concepts: readonly WeightedConcept[], collection: CollectionStats): number {
  const known = new Set<number>()
  let worth = 0
  for (const one of concepts) {
    const { position, length } = one.concept.concept
    for (let at = position; at < position + length; at += 1) known.add(at)
    worth += one.worth
  }
  const asked = new Set(query.concepts.map(({ position }) => position))
  const lacking = new Set([...asked].filter((at) => !known.has(at)))
  return worth + lacking.size * inverseFrequency(1, collection)
}

const none: readonly never[] = []

/** Returns a function that computes what a text gains by its words: by their order, and by words not read before. */
function proximityScorer(
  query: Query,
  concepts: readonly WeightedConcept[],
  byTerm: ByTerm,
  collection: CollectionStats,
): (words: readonly AskedWord[], length: number) => { readonly order: number; readonly unread: number } {
  const phraseWorth = phraseScorer(query, concepts)
  return (words, length) => {
    const counts = new Float64Array(concepts.length)
    const last = new Int32Array(concepts.length).fill(-1_000)
    const together = new Map<number, number>()
    for (const { term, at } of words) {
      for (const index of byTerm.get(term) ?? none) {
        counts[index] = (counts[index] ?? 0) + (concepts[index]?.concept.terms.get(term) ?? 0)
        markNeighbours(concepts, index, at, last, together)
        last[index] = at
      }
    }
    let order = phraseWorth(words)
    for (const worth of together.values()) order += worth
    let unread = 0
    concepts.forEach(({ missing, worth }, index) => {
      const count = counts[index] ?? 0
      if (missing && count > 0) unread += worth * termSaturation(count, length, collection)
    })
    return { order, unread }
  }
}

/** Marks the pairs of consecutive distinctive query words that the word at `at` completes. */
function markNeighbours(
  concepts: readonly WeightedConcept[],
  index: number,
  at: number,
  last: Int32Array,
  together: Map<number, number>,
): void {
  for (const other of [index - 1, index + 1]) {
    const [mine, theirs] = [concepts[index], concepts[other]]
    if (!mine || !theirs || mine.concept.concept.position === theirs.concept.concept.position) continue
    if (at - (last[other] ?? -1_000) > nearby) continue
    together.set(Math.min(index, other), nearbyWorth * Math.min(mine.worth, theirs.worth))
  }
}

/** Scores the longest run of words that a text has in the order of the query. */
function phraseScorer(
  query: Query,
  concepts: readonly WeightedConcept[],
): (words: readonly AskedWord[]) => number {
  const asked = query.tokens
  const worthAt = new Float64Array(asked.length)
  for (const { concept, worth } of concepts) {
    const { position } = concept.concept
    if (position < asked.length) worthAt[position] = Math.max(worthAt[position] ?? 0, worth)
  }
  const shortest = Math.min(shortestPhrase, asked.length)
  if (shortest < 2) return () => 0
  const runs = new Runs(asked)
  return (words) => runs.best(words, worthAt, shortest)
}
