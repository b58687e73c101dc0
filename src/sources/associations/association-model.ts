import { runInTimeSlices } from '../text/time-slices.ts'
import type { AlignedTexts } from './aligned-words.ts'
import { withoutHebrewPrefixes } from './hebrew-bases.ts'
import { minPassages, type WordLists, wordLists } from './word-lists.ts'

export type Association = {
  readonly en: string
  readonly he: string
  /** Dice's coefficient of the two words over the passages: 1 if they always occur together. */
  readonly strength: number
}

/**
 * Minimum log-likelihood ratio. One pair in ten thousand exceeds 15.13 by chance (chi-squared, one degree of
 * freedom).
 */
const minRatio = 15.13
const minStrength = 0.3

/** A pair is kept when each word is among this number of best partners of the other. */
const maxPartners = 3

/**
 * Maximum number of co-occurrences that are counted. The most frequent words are processed last, so they may get no
 * partners.
 */
const maxCounted = 20_000_000

/** Co-occurrences counted between two checks of the clock: about 0.2 ms. */
const countedPerStep = 50_000

/**
 * Learns which words of two languages belong together, from passages in both languages. It keeps pairs with a high
 * log-likelihood ratio (T. Dunning, "Accurate Methods for the Statistics of Surprise and Coincidence", 1993) in which
 * each word is among the best partners of the other (after I. D. Melamed, "Models of Translational Equivalence among
 * Words", 2000). It yields to the event loop every few milliseconds.
 * @param aligned its Hebrew words may have prefixes; the words of the result have none.
 * @throws the reason of `signal` when it is aborted.
 */
export function learnAssociations(
  aligned: AlignedTexts,
  signal?: AbortSignal,
): Promise<readonly Association[]> {
  return runInTimeSlices(learn(aligned), signal)
}

function* learn(aligned: AlignedTexts): Generator<undefined, readonly Association[]> {
  const he = yield* wordLists(yield* withoutHebrewPrefixes(aligned.he))
  const en = yield* wordLists(aligned.en)
  const pairs: Association[] = []
  for (const [b, partners] of (yield* mutualPairs(en, he, aligned.size)).entries()) {
    for (const { a, strength } of partners ?? [])
      pairs.push({ en: en.terms[a] ?? '', he: he.terms[b] ?? '', strength })
    yield
  }
  return pairs
}

type Pair = { readonly a: number; readonly b: number; readonly ratio: number; readonly strength: number }

/** Returns, by word of the second language, the pairs in which each word is among the best partners of the other. */
function* mutualPairs(
  first: WordLists,
  second: WordLists,
  all: number,
): Generator<undefined, readonly (readonly Pair[] | undefined)[]> {
  const partners: (readonly Pair[] | undefined)[] = new Array(second.terms.length)
  const counter = new Counter(second)
  // Rare words first: they cost least, and the lexicon already has the frequent words.
  for (const a of rarestFirst(first.counts)) {
    if (counter.counted > maxCounted) break
    const mine = first.counts[a] ?? 0
    let best: readonly Pair[] = []
    for (const [b, both] of yield* counter.count(first.passagesOf.of(a))) {
      const pair = pairOf(a, b, both, mine, second.counts[b] ?? 0, all)
      if (pair) best = withPair(best, pair)
    }
    for (const pair of best) partners[pair.b] = withPair(partners[pair.b] ?? [], pair)
    yield
  }
  return partners
}

/** Counts in how many passages each word occurs. */
class Counter {
  readonly #words: WordLists
  readonly #counts: Uint32Array
  counted = 0

  constructor(words: WordLists) {
    this.#words = words
    this.#counts = new Uint32Array(words.terms.length)
  }

  /** Returns the words that occur in enough of the passages, with the number of these passages. */
  *count(passages: Uint32Array): Generator<undefined, readonly (readonly [word: number, count: number])[]> {
    const touched: number[] = []
    let next = this.counted + countedPerStep
    for (const passage of passages) {
      this.#add(this.#words.wordsIn.of(passage), touched)
      if (this.counted < next) continue
      next = this.counted + countedPerStep
      yield
    }
    const found: (readonly [number, number])[] = []
    for (const word of touched) {
      const count = this.#counts[word] ?? 0
      this.#counts[word] = 0
      if (count >= minPassages) found.push([word, count])
    }
    return found
  }

  #add(words: Uint32Array, touched: number[]): void {
    for (const word of words) {
      const count = this.#counts[word] ?? 0
      if (count === 0) touched.push(word)
      this.#counts[word] = count + 1
    }
    this.counted += words.length
  }
}

/**
 * Sorts word numbers by frequency. Sorting one combined number per word takes a tenth of the time of a comparison
 * function.
 */
function rarestFirst(counts: Uint32Array): Uint32Array {
  const keys = Float64Array.from(counts, (count, word) => count * counts.length + word).sort()
  return Uint32Array.from(keys, (key) => key % counts.length)
}

/** Inserts a pair into the list of best pairs. */
function withPair(pairs: readonly Pair[], pair: Pair): readonly Pair[] {
  const last = pairs.at(-1)
  if (last && pairs.length === maxPartners && compare(pair, last) > 0) return pairs
  return [...pairs, pair].sort(compare).slice(0, maxPartners)
}

function compare(x: Pair, y: Pair): number {
  return y.ratio - x.ratio || x.a - y.a || x.b - y.b
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

/** Dunning's log-likelihood ratio of four counts: both words, only the first, only the second, neither. */
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
