import { type Compound, compoundsIn, headingsOf, termsIn } from '../../index/terms.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import { memoize } from '../../text/lazy.ts'
import { placedWords, type Word } from '../../text/tokens.ts'

/** The words of a passage or heading. Properties that few passages need are computed on first use. */
export class PassageWords {
  readonly words: readonly Word[]
  /** Start and end of each word, in UTF-16 units. */
  readonly #places: Uint32Array
  #compounds: readonly Compound[] | undefined
  #terms: ReadonlySet<string> | undefined

  constructor(text: string) {
    const { words, places } = placedWords(text)
    this.words = words
    this.#places = places
  }

  startOf(word: number): number {
    return this.#places[2 * word] ?? 0
  }

  endOf(word: number): number {
    return this.#places[2 * word + 1] ?? 0
  }

  get compounds(): readonly Compound[] {
    this.#compounds ??= compoundsIn(this.words)
    return this.#compounds
  }

  /** The terms of the text in the index. */
  get terms(): ReadonlySet<string> {
    this.#terms ??= new Set(termsIn(this.words, this.compounds))
    return this.#terms
  }
}

/** Maximum size of the cache, in UTF-16 units of text: about 20 MB with the words, or 4,000 ordinary passages. */
const maxUnits = 4_000_000

/** Cached words by text, for candidates of earlier searches. It is cleared when full. */
const passages = new Map<string, PassageWords>()
let units = 0

/** The words of a passage. They are cached, because consecutive searches have the same candidates. */
export function passageWords({ text }: PassageRow): PassageWords {
  const known = passages.get(text)
  if (known) return known
  const words = new PassageWords(text)
  if (units + text.length > maxUnits) {
    passages.clear()
    units = 0
  }
  if (text.length <= maxUnits) {
    passages.set(text, words)
    units += text.length
  }
  return words
}

/** The words of a heading or a part of one. The cache takes about 10 MB. */
export const headingWords = memoize(10_000, (heading) => new PassageWords(heading))

/** The index terms of a passage and of its headings. */
export type PassageTerms = Pick<ReadonlySet<string>, 'has'>

export function passageTerms(row: PassageRow): PassageTerms {
  const { terms } = passageWords(row)
  const headings = headingsOf({ ref: row.ref, heRef: row.he_ref }).map(
    (heading) => headingWords(heading).terms,
  )
  return { has: (term) => terms.has(term) || headings.some((heading) => heading.has(term)) }
}
