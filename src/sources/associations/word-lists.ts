import { countPassages, type NumberedTexts } from './aligned-words.ts'

/** Words in fewer passages have too little evidence; words in too many passages correlate with everything. */
export const minPassages = 3
const maxShare = 0.3

/** Numbered words of one language that may have partners. */
export type WordLists = {
  readonly terms: readonly string[]
  /** Number of passages that contain each word. */
  readonly counts: Uint32Array
  /** For each word, the passages that contain it, in ascending order. */
  readonly passagesOf: Lists
  /** For each passage, its words. */
  readonly wordsIn: Lists
}

/** Lists of numbers, stored one after the other in one array. */
class Lists {
  readonly #ends: Uint32Array
  readonly #numbers: Uint32Array

  /** @param sizes length of each list. */
  constructor(sizes: Uint32Array) {
    this.#ends = new Uint32Array(sizes.length)
    let sum = 0
    for (const [list, size] of sizes.entries()) {
      this.#ends[list] = sum
      sum += size
    }
    this.#numbers = new Uint32Array(sum)
  }

  /** Appends a number. While lists are being filled, `ends` holds their next free index. */
  add(list: number, number: number): void {
    const end = this.#ends[list] ?? 0
    this.#numbers[end] = number
    this.#ends[list] = end + 1
  }

  /** Returns a list, once all lists are full. */
  of(list: number): Uint32Array {
    return this.#numbers.subarray(list === 0 ? 0 : this.#ends[list - 1], this.#ends[list])
  }
}

/** Keeps words that are neither rare nor in most passages. It yields at points where the caller may pause it. */
export function* wordLists(own: NumberedTexts): Generator<undefined, WordLists> {
  const { terms, texts } = own
  const { words, kept, counts } = keptWords(yield* countPassages(own), texts.length)
  yield
  const sizes = new Uint32Array(texts.length)
  for (const [passage, text] of texts.entries()) {
    for (const term of text) if ((words[term] ?? -1) >= 0) sizes[passage] = (sizes[passage] ?? 0) + 1
    yield
  }
  const lists = { passagesOf: new Lists(counts), wordsIn: new Lists(sizes) }
  for (const [passage, text] of texts.entries()) {
    for (const term of text) addTo(lists, words[term] ?? -1, passage)
    yield
  }
  return { ...lists, counts, terms: kept.map((term) => terms[term] ?? '') }
}

function addTo(
  { passagesOf, wordsIn }: Pick<WordLists, 'passagesOf' | 'wordsIn'>,
  word: number,
  passage: number,
): void {
  if (word < 0) return
  passagesOf.add(word, passage)
  wordsIn.add(passage, word)
}

/** For each term, its number among the kept words, or -1. */
function keptWords(counts: Uint32Array, passages: number) {
  const words = new Int32Array(counts.length).fill(-1)
  const kept: number[] = []
  for (const [term, count] of counts.entries()) {
    if (count >= minPassages && count <= passages * maxShare) words[term] = kept.push(term) - 1
  }
  return { words, kept, counts: Uint32Array.from(kept, (term) => counts[term] ?? 0) }
}
