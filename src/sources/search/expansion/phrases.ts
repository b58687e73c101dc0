import { isStopWord, type Token } from '../../text/tokens.ts'

/** A range of query words, both ends inclusive, that is searched word for word. */
export type Phrase = { readonly first: number; readonly last: number }

/** Minimum words of a quoted phrase. A single quoted word is irony or a term. */
const minQuotedWords = 2

/** Minimum words of an unquoted query that is searched as a phrase. The next constant is the maximum. */
const minWholeWords = 3
const maxWholeWords = 40

/** Maximum number of phrases per query. */
const maxPhrases = 4

/**
 * Matches quotation marks around a phrase: an opening mark follows a space, a closing mark precedes a space or
 * punctuation. Gershayim do neither.
 */
const quotation = /(?<![\p{L}\p{N}])["“”„«״]([^"“”„«»״\n]{3,400})["“”»״](?![\p{L}\p{N}])/gu

/** The phrases in quotation marks. */
export function quotedPhrases(text: string, tokens: readonly Token[]): readonly Phrase[] {
  const phrases: Phrase[] = []
  for (const match of withoutInnerMarks(text).matchAll(quotation)) {
    const [from, to] = [match.index, match.index + match[0].length]
    const first = tokens.findIndex((token) => token.start >= from)
    const last = tokens.findLastIndex((token) => token.end <= to)
    if (first >= 0 && last - first + 1 >= minQuotedWords) phrases.push({ first, last })
    if (phrases.length === maxPhrases) break
  }
  return phrases
}

/** Whether the word at this index of the query belongs to one of the phrases. */
export function isInPhrase(phrases: readonly Phrase[], at: number): boolean {
  return phrases.some(({ first, last }) => at >= first && at <= last)
}

/** Replaces gershayim inside words, which are not quotation marks. The text keeps its length. */
function withoutInnerMarks(text: string): string {
  return text.replace(/(?<=\p{L})["״](?=\p{L})/gu, '·')
}

/** The whole query as a phrase, if it has several words and not only function words. */
export function wholePhrase(tokens: readonly Token[]): Phrase | undefined {
  const contentWords = tokens.filter((token) => !isStopWord(token)).length
  if (tokens.length < minWholeWords || tokens.length > maxWholeWords || contentWords < 2) return undefined
  return { first: 0, last: tokens.length - 1 }
}

/** Whether the terms occur in a text in unbroken order. */
export function hasRun(words: readonly Pick<Token, 'term'>[], run: readonly string[]): boolean {
  const last = words.length - run.length
  for (let at = 0; at <= last; at += 1) {
    let met = 0
    while (met < run.length && words[at + met]?.term === run[met]) met += 1
    if (met === run.length) return true
  }
  return false
}

/**
 * Returns a function that counts the words of the longest run: distinctive query words that a text has in the query's
 * order without a break.
 */
export function longestRun(asked: readonly Token[]): (words: readonly PlacedTerm[]) => number {
  const runs = new Runs(asked.slice(0, 4 * maxWholeWords))
  const weights = asked.map((token) => (isStopWord(token) ? 0 : 1))
  return (words) => runs.best(words, weights)
}

/** A term and its position in a text. Terms that no query word has may be left out. */
type PlacedTerm = { readonly term: string; readonly at: number }

/** Finds runs: words that a text has in the order of the query, without a break. */
export class Runs {
  readonly #places: ReadonlyMap<string, readonly number[]>
  /** For each query word: the weight and the number of words of the run that ends with it. */
  readonly #worths: Float64Array
  readonly #lengths: Int32Array
  /** For each query word: index of the last text word that continued its run. */
  readonly #lastAt: Int32Array

  constructor(asked: readonly Pick<Token, 'term'>[]) {
    // Later positions first, so that a run is read before it is overwritten.
    this.#places = Map.groupBy(asked.keys().toArray().reverse(), (at) => asked[at]?.term ?? '')
    this.#worths = new Float64Array(asked.length)
    this.#lengths = new Int32Array(asked.length)
    this.#lastAt = new Int32Array(asked.length)
  }

  /**
   * The largest weight of a run; 0 when there is none.
   * @param worths weight of each query word.
   * @param minLength minimum number of words in a run.
   */
  best(words: readonly PlacedTerm[], worths: ArrayLike<number>, minLength = 1): number {
    this.#lastAt.fill(-2)
    let best = 0
    for (const { term, at } of words) {
      for (const place of this.#places.get(term) ?? none) {
        const worth = this.#continue(place, at, worths[place] ?? 0)
        if (worth > best && (this.#lengths[place] ?? 0) >= minLength) best = worth
      }
    }
    return best
  }

  /**
   * Records that a query word occurs at a position of the text.
   * @returns the weight of the run that ends there.
   */
  #continue(place: number, at: number, own: number): number {
    const goesOn = place > 0 && this.#lastAt[place - 1] === at - 1
    const worth = own + (goesOn ? (this.#worths[place - 1] ?? 0) : 0)
    this.#lengths[place] = 1 + (goesOn ? (this.#lengths[place - 1] ?? 0) : 0)
    this.#worths[place] = worth
    this.#lastAt[place] = at
    return worth
  }
}

const none: readonly never[] = []
