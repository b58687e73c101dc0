import type { Word } from '../text/tokens.ts'
import type { PassageRef } from './passage-ref.ts'
import { packPosting } from './postings.ts'
import { countTerms, headingsOf, headingTerms } from './terms.ts'

export type TextToIndex = {
  readonly text: string
  /** Its headings, one per language. */
  readonly headings: readonly string[]
}

/** Pairs texts with the headings of their places. */
export function textsToIndex(
  texts: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, PassageRef>,
): readonly TextToIndex[] {
  return [...texts].map(([ref, text]) => ({
    text,
    headings: headingsOf(places.get(ref) ?? { ref, heRef: '' }),
  }))
}

/**
 * The terms of consecutive texts, ready for the index with any document numbers. It consists of plain arrays, so that
 * threads can send it.
 */
export type IndexTerms = {
  /** Each term once. */
  readonly terms: readonly string[]
  /** For each posting, the index of its term in `terms`. The postings of a text are contiguous. */
  readonly numbers: Uint32Array<ArrayBuffer>
  /** Postings as if for document 0 of a block. */
  readonly postings: Uint32Array<ArrayBuffer>
  /** Number of postings of each text. */
  readonly counts: Uint32Array<ArrayBuffer>
  /** Words in all texts, including function words. */
  readonly length: number
}

/** Maximum number of cached headings. Passages of one section are consecutive. */
const maxCachedHeadings = 1_000

/** Tokenises texts into the terms of the index. */
export function indexTermsOf(texts: Iterable<TextToIndex>): IndexTerms {
  const numbers = new GrowingArray()
  const postings = new GrowingArray()
  const counts = new GrowingArray()
  const counter = new TermCounter()
  const headings = new Map<string, readonly string[]>()
  const termsOf = (heading: string) => {
    const known = headings.get(heading)
    if (known) return known
    if (headings.size >= maxCachedHeadings) headings.clear()
    const made = headingTerms(heading)
    headings.set(heading, made)
    return made
  }
  let sum = 0
  for (const { text, headings: above } of texts) {
    const length = countTerms(text, (term, word) => counter.count(term, word))
    for (const heading of above) for (const term of termsOf(heading)) counter.count(term)
    const seen = counter.take((number, frequency) => {
      numbers.push(number)
      postings.push(packPosting(0, frequency, length))
    })
    counts.push(seen)
    sum += length
  }
  return {
    terms: counter.terms,
    numbers: numbers.whole(),
    postings: postings.whole(),
    counts: counts.whole(),
    length: sum,
  }
}

/** Assigns numbers to terms in order of first occurrence, and counts their occurrences in the current text. */
class TermCounter {
  readonly terms: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #frequencies: number[] = []
  #seen: number[] = []

  /** @param word caches the number of its term, so that a repeated form needs no look-up. */
  count(term: string, word?: Word): void {
    const number = word ? this.#ofWord(term, word) : this.#ofTerm(term)
    const before = this.#frequencies[number] ?? 0
    if (before === 0) this.#seen.push(number)
    this.#frequencies[number] = before + 1
  }

  #ofWord(term: string, word: Word): number {
    const { counted } = word
    if (counted.by !== this) {
      counted.by = this
      counted.number = this.#ofTerm(term)
    }
    return counted.number
  }

  #ofTerm(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.terms.push(term) - 1
    this.#numbers.set(term, number)
    this.#frequencies.push(0)
    return number
  }

  /**
   * Ends the current text.
   * @returns the number of its different terms.
   */
  take(each: (number: number, frequency: number) => void): number {
    const seen = this.#seen
    this.#seen = []
    for (const number of seen) {
      each(number, this.#frequencies[number] ?? 0)
      this.#frequencies[number] = 0
    }
    return seen.length
  }
}

/** A growing array of unsigned 32-bit numbers; a book has millions. */
class GrowingArray {
  #values = new Uint32Array(1024)
  #length = 0

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length] = value
    this.#length += 1
  }

  whole(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.#length)
  }
}
