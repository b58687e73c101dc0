import { isFunctionWord, type Token } from '../tokens.ts'

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
export function hasRun(tokens: readonly Pick<Token, 'term'>[], run: readonly string[]): boolean {
  const last = tokens.length - run.length
  for (let at = 0; at <= last; at += 1) {
    if (run.every((term, i) => tokens[at + i]?.term === term)) return true
  }
  return false
}

/** The most telling words of a query that stand in a text in one unbroken run of the query's order. */
export function longestRun(tokens: readonly Pick<Token, 'term'>[], asked: readonly Token[]): number {
  const places = Map.groupBy(
    asked
      .slice(0, 4 * maxWholeWords)
      .map((token, at) => ({ at, term: token.term, telling: !isFunctionWord(token) })),
    ({ term }) => term,
  )
  let [best, runs] = [0, new Map<number, number>()]
  for (const { term } of tokens) {
    const next = new Map<number, number>()
    for (const { at, telling } of places.get(term) ?? []) {
      const length = (runs.get(at - 1) ?? 0) + (telling ? 1 : 0)
      best = Math.max(best, length)
      next.set(at, length)
    }
    runs = next
  }
  return best
}
