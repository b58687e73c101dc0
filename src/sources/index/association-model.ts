import { withoutPrefixes } from '../hebrew.ts'
import { Slices } from '../slices.ts'
import { wordsOf } from '../tokens.ts'

/** The telling words of one passage in both languages, each once. */
export type AlignedTerms = { readonly he: readonly string[]; readonly en: readonly string[] }

export type Association = {
  readonly en: string
  readonly he: string
  /** Dice's coefficient of the passages that have either word: 1 when none has one without the other. */
  readonly strength: number
}

/** Terms of one passage and language that are read: a longer passage tells little about which words belong together. */
const maxTerms = 300

/** Words in fewer passages say too little, and words in a larger part of all go with everything. */
const minPassages = 3
const maxShare = 0.3

/**
 * Least log-likelihood ratio: by chance one pair in ten thousand exceeds 15.13 (chi-squared, one degree of freedom).
 */
const minRatio = 15.13
const minStrength = 0.3

/** A pair is kept when each word is among this many best partners of the other. */
const maxPartners = 3

/** Co-occurrences that are counted at most; the commonest words, which come last, then go without partners. */
const maxCounted = 20_000_000

/** Reads the terms of a passage. */
export function alignedTerms(he: string, en: string): AlignedTerms {
  const termsOf = (text: string, script: 'he' | 'en'): readonly string[] => {
    const terms = new Set<string>()
    for (const word of wordsOf(text)) {
      if (terms.size >= maxTerms) break
      if (word.telling && word.script === script && /\p{L}{2}/u.test(word.term)) terms.add(word.term)
    }
    return [...terms]
  }
  return { he: termsOf(he, 'he'), en: termsOf(en, 'en') }
}

/**
 * Learns which words of two languages belong together from passages that stand in both: pairs with a high
 * log-likelihood ratio (T. Dunning, "Accurate Methods for the Statistics of Surprise and Coincidence", 1993) in which
 * each word is among the best partners of the other (after I. D. Melamed, "Models of Translational Equivalence among
 * Words", 2000). The event loop turns every few milliseconds.
 * @param passages their Hebrew words may bear prefixes; those of the pairs bear none.
 * @throws the reason of `signal` when it is aborted.
 */
export async function learnAssociations(
  passages: readonly AlignedTerms[],
  signal?: AbortSignal,
): Promise<readonly Association[]> {
  const slices = new Slices()
  const breathe = async (): Promise<void> => {
    await slices.pause()
    signal?.throwIfAborted()
  }
  const he = await vocabularyOf(await withoutHebrewPrefixes(passages, breathe), passages.length, breathe)
  const en = await vocabularyOf(
    passages.map((passage) => passage.en),
    passages.length,
    breathe,
  )
  const pairs = await countPairs(en, he, passages.length, breathe)
  return mutual(pairs).map(({ a, b, strength }) => ({
    en: en.terms[a] ?? '',
    he: he.terms[b] ?? '',
    strength,
  }))
}

/** Turns the event loop now and then, and stops when it is asked to. */
type Breathe = () => Promise<void>

/** What is left of a word without its first letters is that word when it stands in this part as many passages. */
const leastOfBase = 0.2

/** Each Hebrew word without the prefixes that it bears, as far as the other words tell. */
async function withoutHebrewPrefixes(
  passages: readonly AlignedTerms[],
  breathe: Breathe,
): Promise<readonly (readonly string[])[]> {
  const counts = new Map<string, number>()
  for (const { he } of passages) {
    for (const term of he) counts.set(term, (counts.get(term) ?? 0) + 1)
    await breathe()
  }
  const bases = new Map<string, string>()
  const baseOf = (term: string): string => {
    const known = bases.get(term)
    if (known !== undefined) return known
    const own = counts.get(term) ?? 0
    const base =
      withoutPrefixes(term).findLast((form) => (counts.get(form) ?? 0) >= own * leastOfBase) ?? term
    bases.set(term, base)
    return base
  }
  const based: (readonly string[])[] = []
  for (const { he } of passages) {
    based.push([...new Set(he.map(baseOf))])
    await breathe()
  }
  return based
}

type Vocabulary = {
  readonly terms: readonly string[]
  /** For each term the passages that have it. */
  readonly passagesOf: readonly (readonly number[])[]
  /** For each passage its terms. */
  readonly termsIn: readonly (readonly number[])[]
}

async function vocabularyOf(
  texts: readonly (readonly string[])[],
  all: number,
  breathe: Breathe,
): Promise<Vocabulary> {
  const places = new Map<string, number[]>()
  for (const [passage, terms] of texts.entries()) {
    for (const term of terms) {
      const known = places.get(term)
      if (known) known.push(passage)
      else places.set(term, [passage])
    }
    await breathe()
  }
  const kept = [...places].filter(([, at]) => at.length >= minPassages && at.length <= all * maxShare)
  const termsIn = texts.map((): number[] => [])
  for (const [number, [, at]] of kept.entries()) {
    for (const passage of at) termsIn[passage]?.push(number)
    await breathe()
  }
  return { terms: kept.map(([term]) => term), passagesOf: kept.map(([, at]) => at), termsIn }
}

type Pair = { readonly a: number; readonly b: number; readonly ratio: number; readonly strength: number }

/** The pairs that stand together more often than by chance, the best of each word of the first language. */
async function countPairs(
  first: Vocabulary,
  second: Vocabulary,
  all: number,
  breathe: Breathe,
): Promise<readonly Pair[]> {
  const counter = new Counter(second)
  const pairs: Pair[] = []
  // The rarest first: they cost least, and the common words are those that a lexicon has.
  const inOrder = [...first.passagesOf.entries()].sort(([, x], [, y]) => x.length - y.length)
  for (const [a, places] of inOrder) {
    if (counter.counted > maxCounted) break
    const mine: Pair[] = []
    counter.count(places, (b, both) => {
      const pair = pairOf(a, b, both, places.length, second.passagesOf[b]?.length ?? 0, all)
      if (pair) mine.push(pair)
    })
    pairs.push(...best(mine))
    await breathe()
  }
  return pairs
}

/** Counts in how many of some passages each word stands. */
class Counter {
  readonly #words: Vocabulary
  readonly #counts: Uint32Array
  counted = 0

  constructor(words: Vocabulary) {
    this.#words = words
    this.#counts = new Uint32Array(words.terms.length)
  }

  /** Calls `each` with the words that stand in enough of the passages. */
  count(passages: readonly number[], each: (word: number, count: number) => void): void {
    const counts = this.#counts
    const touched: number[] = []
    for (const passage of passages) {
      for (const word of this.#words.termsIn[passage] ?? []) {
        if (counts[word] === 0) touched.push(word)
        counts[word] = (counts[word] ?? 0) + 1
        this.counted += 1
      }
    }
    for (const word of touched) {
      const count = counts[word] ?? 0
      counts[word] = 0
      if (count >= minPassages) each(word, count)
    }
  }
}

function pairOf(
  a: number,
  b: number,
  both: number,
  mine: number,
  theirs: number,
  all: number,
): Pair | undefined {
  const strength = (2 * both) / (mine + theirs)
  if (strength < minStrength) return undefined
  const ratio = logLikelihoodRatio(both, mine - both, theirs - both, all - mine - theirs + both)
  return ratio < minRatio ? undefined : { a, b, ratio, strength }
}

/** Dunning's statistic of a table of four counts: both, the first alone, the second alone, neither. */
export function logLikelihoodRatio(both: number, first: number, second: number, neither: number): number {
  const all = both + first + second + neither
  const part = (count: number, row: number, column: number): number =>
    count > 0 ? count * Math.log((count * all) / (row * column)) : 0
  return (
    2 *
    (part(both, both + first, both + second) +
      part(first, both + first, first + neither) +
      part(second, second + neither, both + second) +
      part(neither, second + neither, first + neither))
  )
}

function best(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.toSorted((x, y) => y.ratio - x.ratio || x.b - y.b).slice(0, maxPartners)
}

/** Of pairs that are among the best of their first word those that are among the best of their second too. */
function mutual(pairs: readonly Pair[]): readonly Pair[] {
  return [...Map.groupBy(pairs, ({ b }) => b).values()].flatMap((same) =>
    same.toSorted((x, y) => y.ratio - x.ratio || x.a - y.a).slice(0, maxPartners),
  )
}
