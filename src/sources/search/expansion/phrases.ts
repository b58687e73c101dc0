import { isFunctionWord, type Token } from '../../text/tokens.ts'

/** Words of a query, by their places among its words, both ends inclusive, that are looked for as they stand. */
export type Phrase = { readonly first: number; readonly last: number }

/** Words that a phrase in quotation marks has at least: a single word is a mark of irony or a term. */
const minQuotedWords = 2

/** An unquoted query that is looked for as a whole has at least this many words, and at most so many. */
const minWholeWords = 3
const maxWholeWords = 40

/** Phrases of one query that are looked for. */
const maxPhrases = 4

/** An opening mark stands after a blank, a closing one before a blank or punctuation: gershayim do neither. */
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

/** Whether the word at a place of the query belongs to one of the phrases. */
export function isWithin(phrases: readonly Phrase[], at: number): boolean {
  return phrases.some(({ first, last }) => at >= first && at <= last)
}

/** Gershayim inside a word are no quotation marks; the text keeps its length. */
function withoutInnerMarks(text: string): string {
  return text.replace(/(?<=\p{L})["״](?=\p{L})/gu, '·')
}

/** The whole query as a phrase, when it has several words and something telling in them. */
export function wholePhrase(tokens: readonly Token[]): Phrase | undefined {
  const telling = tokens.filter((token) => !isFunctionWord(token)).length
  if (tokens.length < minWholeWords || tokens.length > maxWholeWords || telling < 2) return undefined
  return { first: 0, last: tokens.length - 1 }
}

/** Whether the terms stand in a text in unbroken order. */
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
 * Prepares to count the most telling words of a query that stand in a text in one unbroken run of the query's order.
 */
export function longestRun(asked: readonly Token[]): (words: readonly Pick<Token, 'term'>[]) => number {
  const runs = new Runs(asked.slice(0, 4 * maxWholeWords))
  const telling = asked.map((token) => (isFunctionWord(token) ? 0 : 1))
  return (words) => runs.best(words, telling)
}

/** Finds the runs in texts of words in the order of a query. */
export class Runs {
  readonly #places: ReadonlyMap<string, readonly number[]>
  /** For each word of the query what the run is worth that ends with it, and the words of it. */
  readonly #worths: Float64Array
  readonly #lengths: Int32Array
  /** The last word of the text that continued it. */
  readonly #lastAt: Int32Array

  constructor(asked: readonly Pick<Token, 'term'>[]) {
    // A later place first: the run before it is read before it is overwritten.
    this.#places = Map.groupBy(asked.keys().toArray().reverse(), (at) => asked[at]?.term ?? '')
    this.#worths = new Float64Array(asked.length)
    this.#lengths = new Int32Array(asked.length)
    this.#lastAt = new Int32Array(asked.length)
  }

  /**
   * The most that the words of a run are worth, 0 when there is none.
   * @param worths of each word of the query.
   * @param minLength words that a run has at least.
   */
  best(words: readonly Pick<Token, 'term'>[], worths: ArrayLike<number>, minLength = 1): number {
    this.#lastAt.fill(-2)
    let best = 0
    for (let at = 0; at < words.length; at += 1) {
      for (const place of this.#places.get(words[at]?.term ?? '') ?? none) {
        const worth = this.#continue(place, at, worths[place] ?? 0)
        if (worth > best && (this.#lengths[place] ?? 0) >= minLength) best = worth
      }
    }
    return best
  }

  /** Notes that a word of the query stands at a place of the text. @returns what the run is worth that ends there. */
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
