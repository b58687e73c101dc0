import { documentTerms } from '../../../src/sources/index/terms.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import type { SyntheticPassage } from '../synthetic-corpus.ts'

type Question = { readonly text: string; readonly target: string }

/** Kept apart from the service's own: a reference that shares the formula's code would share its mistakes. */
const k1 = 1.2
const b = 0.75

type Posting = { readonly doc: number; readonly frequency: number; readonly length: number }

/**
 * The rank of each question's target among all passages by BM25 in full precision over every posting, each word's
 * variants as one term; 0 beyond `depth`. Ties go to the earlier passage.
 */
export function exhaustiveRanks(
  questions: readonly Question[],
  passages: Iterable<SyntheticPassage>,
  refOf: (index: number) => string,
  depth: number,
): readonly number[] {
  const wanted = new Set(questions.map(({ target }) => target))
  const targets = new Map<string, number>()
  const concepts = questions.map((question) =>
    parseQuery(question.text).concepts.map((c) => [...c.terms.keys()]),
  )
  const postings = new Map<string, Posting[]>(concepts.flat(2).map((term) => [term, []]))
  const totals = { he: { documents: 0, words: 0 }, en: { documents: 0, words: 0 } }
  for (const passage of passages) {
    const ref = refOf(passage.index)
    if (wanted.has(ref)) targets.set(ref, passage.index)
    const { frequencies, length } = documentTerms(passage.text)
    totals[passage.language].documents += 1
    totals[passage.language].words += length
    for (const [term, frequency] of frequencies)
      postings.get(term)?.push({ doc: passage.index, frequency, length })
  }
  return questions.map((question, i) => {
    const scores = new Map<number, number>()
    for (const terms of concepts[i] ?? []) {
      const hebrew = /[א-ת]/.test(terms[0] ?? '')
      const { documents, words } = hebrew ? totals.he : totals.en
      const found = terms.flatMap((term) => postings.get(term) ?? [])
      addConcept(scores, found, documents, words / documents)
    }
    return rankOf(targets.get(question.target) ?? -1, scores, depth)
  })
}

function rankOf(target: number, scores: ReadonlyMap<number, number>, depth: number): number {
  const own = scores.get(target) ?? 0
  if (own === 0) return 0
  let rank = 1
  for (const [doc, score] of scores) if (score > own || (score === own && doc < target)) rank += 1
  return rank <= depth ? rank : 0
}

function addConcept(
  scores: Map<number, number>,
  all: readonly Posting[],
  documents: number,
  average: number,
): void {
  const merged = new Map<number, { frequency: number; length: number }>()
  for (const { doc, frequency, length } of all) {
    const before = merged.get(doc)
    merged.set(doc, { frequency: (before?.frequency ?? 0) + frequency, length })
  }
  const idf = Math.log(1 + (documents - merged.size + 0.5) / (merged.size + 0.5))
  for (const [doc, { frequency, length }] of merged) {
    const share = (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / average))
    scores.set(doc, (scores.get(doc) ?? 0) + idf * share)
  }
}
