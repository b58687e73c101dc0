import { splitPrefixes } from '../text/hebrew.ts'
import { isStopWord, type ScriptTerm } from '../text/tokens.ts'

/** Maximum number of function words between two words of a phrase: `garments of the soul`. */
export const maxBetween = 3

type Known<T> = { readonly order: number; readonly terms: readonly string[]; readonly value: T }

export type FoundPhrase<T> = {
  readonly value: T
  /** Number of words of the text, from the first to the last word of the phrase. */
  readonly length: number
}

export type LongestPhrase<T> = { readonly length: number; readonly values: readonly T[] }

/** The phrases that may begin with a word. */
export type Begun<T> = readonly Known<T>[]

const none: readonly never[] = []

/** Finds phrases in texts. A Hebrew phrase may have prefixes, and any of its words may have the article. */
export class PhraseFinder<T> {
  /**
   * Phrases by their first word without prefixes. Storing each with every prefix would take forty times as many
   * entries.
   */
  readonly #byFirst = new Map<string, Known<T>[]>()
  readonly #seconds = new Set<string>()
  #added = 0

  /** @param terms two or more. */
  add(terms: readonly string[], value: T): void {
    const [first = '', second = ''] = terms
    this.#seconds.add(second)
    const phrase = { order: this.#added, terms, value }
    this.#added += 1
    const known = this.#byFirst.get(first)
    if (known) known.push(phrase)
    else this.#byFirst.set(first, [phrase])
  }

  /** Whether a word is the second word of any phrase. */
  continues({ term }: ScriptTerm): boolean {
    return (
      this.#seconds.has(term) ||
      this.#seconds.has(`ה${term}`) ||
      (term.startsWith('ה') && this.#seconds.has(term.slice(1)))
    )
  }

  /** The phrases that may begin with a word, in the order in which they were added. */
  begunBy(term: string): Begun<T> {
    const own = this.#byFirst.get(term) ?? none
    const others = splitPrefixes(term).flatMap((rest) => this.#byFirst.get(rest) ?? [])
    return others.length === 0 ? own : [...own, ...others].sort((a, b) => a.order - b.order)
  }

  /**
   * The phrases that begin at `words[at]`, in the order in which they were added.
   * @param begun the result of `begunBy` for that word, if known.
   */
  at(words: readonly ScriptTerm[], at: number, begun?: Begun<T>): readonly FoundPhrase<T>[] {
    const first = words[at]
    const found: FoundPhrase<T>[] = []
    if (!first) return found
    for (const { terms, value } of begun ?? this.begunBy(first.term)) {
      const end = phraseEnd(words, at, terms)
      if (end !== undefined) found.push({ value, length: end - at })
    }
    return found
  }

  /** The longest phrase that begins at `words[at]`. Several phrases of equal length give several values. */
  longestAt(words: readonly ScriptTerm[], at: number): LongestPhrase<T> | undefined {
    const found = this.at(words, at)
    if (found.length === 0) return undefined
    const length = Math.max(...found.map((phrase) => phrase.length))
    return { length, values: found.filter((phrase) => phrase.length === length).map(({ value }) => value) }
  }
}

/** The end of a phrase whose first word is `words[at]`, if its other words follow. */
function phraseEnd(words: readonly ScriptTerm[], at: number, terms: readonly string[]): number | undefined {
  let next = at + 1
  for (let i = 1; i < terms.length; i += 1) {
    const wanted = terms[i] ?? ''
    const last = next + maxBetween
    while (next < last && isPassedOver(words[next], wanted)) next += 1
    if (!isSame(words[next], wanted)) return undefined
    next += 1
  }
  return next
}

function isPassedOver(word: ScriptTerm | undefined, wanted: string): boolean {
  return word !== undefined && !isSame(word, wanted) && isStopWord(word)
}

function isSame(word: ScriptTerm | undefined, wanted: string): boolean {
  if (word === undefined) return false
  const { term } = word
  return term === wanted || isWithArticle(term, wanted) || isWithArticle(wanted, term)
}

function isWithArticle(longer: string, word: string): boolean {
  return longer.length === word.length + 1 && longer.startsWith('ה') && longer.endsWith(word)
}
