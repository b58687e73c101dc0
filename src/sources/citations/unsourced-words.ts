import type { QuoteCheck } from './comparison/quote-check.ts'
import { type CueRole, cuesOf } from './quotations/cues.ts'

/** Words in quotation marks, in their text. */
type Quoted = { readonly start: number; readonly end: number; readonly text: string; readonly words: number }

/** Maximum number of words in a title that only its form or the word before it tells. */
export const longestTitle = 8
const longestLook = 80

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []

/** Whether words begin with a phrase of a role, or with `fromEnd` end with one. */
function hasCue(words: readonly string[], role: CueRole, fromEnd: boolean): boolean {
  const at = (list: readonly string[], i: number): string | undefined => list.at(fromEnd ? -1 - i : i)
  const matches = (phrase: readonly string[], i: number, from: number): boolean => {
    if (i === phrase.length) return true
    if (at(phrase, i) === '*') return matches(phrase, i + 1, from) || matches(phrase, i + 1, from + 1)
    return at(phrase, i) === at(words, from) && matches(phrase, i + 1, from + 1)
  }
  return cuesOf(role).some((phrase) => matches(phrase.split(' '), 0, 0))
}

/** Words before the quotation mark. At the mark stands nothing but a colon or a comma. */
const opened = /^([\s\S]*?)[:,]?\s?["“„«״'‘*_]{1,3}$/u
const readerLine = /(?:^|\n)[\s*_>#]*(\p{L}+)\d{0,2}[*_]{0,2}[:.][*_]{0,2}$/u
const maxFillers = 2

function isOfReader(before: string): boolean {
  const led = opened.exec(before)?.[1]
  if (led === undefined) return false
  if (
    hasCue(
      wordsIn(readerLine.exec(before.replace(/\s?["“„«״'‘*_]{1,3}$/u, ''))?.[1] ?? ''),
      'reader_line',
      true,
    )
  )
    return true
  if (/[.;!?:,]\s*$/u.test(led)) return false
  const words = wordsIn(led)
  for (let fillers = 0; fillers <= maxFillers; fillers += 1) {
    const rest = words.slice(0, words.length - fillers)
    if (hasCue(rest, 'reader', true)) return true
    if (!hasCue(rest, 'filler', true)) return false
  }
  return false
}

/** Between one of these and the next: `things like “…” or “…”`. */
const alsoAsked = /^["”»״'’*_]{0,3},? ?(?:or|and|או|ו)? ?["“„«״'‘*_]{1,3}$/iu

/** Words that a title writes small. */
const small = new Set(cuesOf('title_word'))

/** Why words in quotation marks claim no source. */
export type Unsourced = 'said_missing' | 'of_the_reader' | 'title'

/**
 * Returns a function that says why words in quotation marks claim no source: titles, and words of the reader's own.
 * It counts only for words that the library does not have and that the text attributes to nothing. Call it for all
 * quotations in order.
 */
export function unsourcedWords(
  text: string,
): (quoted: Quoted, check: Pick<QuoteCheck, 'result'> & { readonly ref?: string }) => Unsourced | undefined {
  let end = Number.NEGATIVE_INFINITY
  return (quoted, { result, ref }) => {
    if (result !== 'verbatim' && isSaidMissing(text, quoted)) return 'said_missing'
    if (result !== 'not_found' || ref !== undefined) return undefined
    const before = text.slice(Math.max(0, quoted.start - longestLook), quoted.start)
    const follows = quoted.start - end < longestLook && alsoAsked.test(text.slice(end, quoted.start))
    if (isOfReader(before) || follows) {
      end = quoted.end
      return 'of_the_reader'
    }
    return isTitle(before, quoted) ? 'title' : undefined
  }
}

/** Whether the words are a title that the text says the library lacks. */
function isSaidMissing(text: string, { end, words }: Quoted): boolean {
  const behind = /^[^\p{L}\p{N}\s,.]{0,6},? ([\s\S]*)/u.exec(text.slice(end, end + 60))?.[1]
  return words <= longestTitle && behind !== undefined && hasCue(wordsIn(behind), 'missing', false)
}

function isTitle(before: string, { text, words }: Quoted): boolean {
  if (words > 2 * longestTitle || /[.;!?…]/.test(text)) return false
  const isNamed = hasCue(wordsIn(opened.exec(before)?.[1] ?? ''), 'title', true)
  // Longer words are a title only if both say so: `the essay “The Inner Life of the Tzaddik and his Court”`.
  return words > longestTitle ? isNamed && isInTitleCase(text) : isNamed || isInTitleCase(text)
}

/** Whether all words but small ones begin with a capital: `The Ladder of Silence`. */
function isInTitleCase(written: string): boolean {
  const words = written.match(/[\p{L}\p{M}'’-]+/gu) ?? []
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word))
  return capitals.length > 1 && words.every((word, i) => /^\p{Lu}/u.test(word) || (i > 0 && small.has(word)))
}
