import type { PassageRef } from './passage-ref.ts'
import { packPosting } from './postings.ts'
import { TermCounter } from './term-counter.ts'
import { headingsOf, headingTerms } from './terms.ts'

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
  /** Each term once. The list may have terms of earlier texts, and later calls may append to it. */
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

/** The counter of this thread. Its words and terms stay for the next texts. */
let counter = new TermCounter()
let headingNumbers = new Map<string, readonly number[]>()

/** Maximum number of cached headings. Passages of one section are consecutive. */
const maxCachedHeadings = 1_000

function numbersOfHeading(heading: string): readonly number[] {
  const known = headingNumbers.get(heading)
  if (known) return known
  if (headingNumbers.size >= maxCachedHeadings) headingNumbers.clear()
  const made = headingTerms(heading).map((term) => counter.numberOf(term))
  headingNumbers.set(heading, made)
  return made
}

/** Tokenises texts into the terms of the index. */
export function indexTermsOf(texts: Iterable<TextToIndex>): IndexTerms {
  if (counter.isFull) {
    counter = new TermCounter()
    headingNumbers = new Map()
  }
  const numbers = new GrowingArray()
  const postings = new GrowingArray()
  const counts = new GrowingArray()
  let sum = 0
  for (const { text, headings } of texts) {
    const length = counter.countText(text)
    for (const heading of headings) for (const number of numbersOfHeading(heading)) counter.countTerm(number)
    const { seen, seenTerms, frequencies } = counter
    const ofLength = packPosting(0, 0, length)
    for (let i = 0; i < seen; i += 1) {
      const term = seenTerms[i] as number
      numbers.push(term)
      postings.push((ofLength | ((frequencies[term] as number) << 16)) >>> 0)
    }
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
