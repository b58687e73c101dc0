import { longestPrefix, someWithoutPrefix, splitPrefixes } from '../text/hebrew.ts'
import { isStopWord, type ScriptTerm } from '../text/tokens.ts'
import { WordFilter } from './word-filter.ts'

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
export type Begun<T> = {
  readonly phrases: readonly Known<T>[]
  /** The second words of these phrases, with and without the article. */
  readonly seconds: ReadonlySet<string>
}

const none: Begun<never> = { phrases: [], seconds: new Set() }

/** Finds phrases in texts. A Hebrew phrase may have prefixes, and any of its words may have the article. */
export class PhraseFinder<T> {
  /**
   * Phrases by their first word without prefixes. Storing each with every prefix would take forty times as many
   * entries.
   */
  readonly #byFirst = new Map<string, Known<T>[]>()
  /** The second words of all phrases, with and without the article. */
  readonly #seconds = new Set<string>()
  #first: WordFilter | undefined
  #added = 0

  /** @param terms two or more. */
  add(terms: readonly string[], value: T): void {
    const [first = '', second = ''] = terms
    for (const form of formsOf(second)) this.#seconds.add(form)
    this.#first = undefined
    const phrase = { order: this.#added, terms, value }
    this.#added += 1
    const known = this.#byFirst.get(first)
    if (known) known.push(phrase)
    else this.#byFirst.set(first, [phrase])
  }

  /** Whether a word is the second word of any phrase. */
  continues({ term }: ScriptTerm): boolean {
    return this.#seconds.has(term)
  }

  /** The phrases that may begin with a word, in the order in which they were added. */
  begunBy(term: string): Begun<T> {
    this.#first ??= new WordFilter(this.#byFirst.keys())
    const filter = this.#first
    if (!someWithoutPrefix(term, longestPrefix, (from) => filter.mayHave(term, from))) return none
    const phrases = [term, ...splitPrefixes(term)].flatMap((rest) => this.#byFirst.get(rest) ?? [])
    if (phrases.length === 0) return none
    return {
      phrases: phrases.sort((a, b) => a.order - b.order),
      seconds: new Set(phrases.flatMap(({ terms }) => formsOf(terms[1] ?? ''))),
    }
  }

  /**
   * The phrases that begin at `words[at]`, in the order in which they were added.
   * @param begun the result of `begunBy` for that word, if known.
   */
  at(words: readonly ScriptTerm[], at: number, begun?: Begun<T>): readonly FoundPhrase<T>[] {
    const first = words[at]
    const found: FoundPhrase<T>[] = []
    if (!first) return found
    const { phrases, seconds } = begun ?? this.begunBy(first.term)
    if (!mayFollow(words, at + 1, seconds)) return found
    for (const { terms, value } of phrases) {
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

/** The forms of a word in a text that `isSame` accepts. */
function formsOf(word: string): readonly string[] {
  return word.startsWith('ה') ? [word, `ה${word}`, word.slice(1)] : [word, `ה${word}`]
}

/** Whether one of these words stands at `from`, or after function words from there. */
function mayFollow(words: readonly ScriptTerm[], from: number, wanted: ReadonlySet<string>): boolean {
  if (wanted.size === 0) return false
  for (let at = from; at <= from + maxBetween; at += 1) {
    const word = words[at]
    if (!word) return false
    if (wanted.has(word.term)) return true
    if (!isStopWord(word)) return false
  }
  return false
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
