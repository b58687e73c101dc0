import { fold } from '../../text/fold.ts'
import { foldNames, foldNamesFreely, joinNames } from './names-of-god.ts'

/** Minimum letters of a quotation. Shorter ones occur in many texts and prove nothing. */
export const minLetters = 12
/** Shorter parts between ellipses are ignored. */
const minLettersInPart = 4

/** A range, `end` exclusive. */
export type Span = { readonly start: number; readonly end: number }

/** A text prepared for many comparisons. */
export type PreparedText = {
  readonly text: string
  readonly offsets: readonly number[]
  /**
   * The folded text with a space before and after it, so that a search for whole words is a plain substring search.
   */
  readonly padded: string
}

/** One reading of a quotation. */
export type QuoteReading = {
  readonly folded: string
  /** The folded text between ellipses and bracketed insertions; the whole text if there are none. */
  readonly parts: readonly string[]
}

/** A quotation prepared for comparison. */
export type PreparedQuote = QuoteReading & {
  readonly letters: number
  readonly words: number
  /** The quotation as written. Differences are reported in its words. */
  readonly written: PreparedText
  /** Other readings. The quotation is verbatim if one of them is. */
  readonly others: readonly QuoteReading[]
}

const tags = /<\/?[a-z][^<>]{0,200}>/gi
const ellipsis =
  /\(\s?(?:…|\.{2,}|⋯)\s?\)|…|⋯|\.{2,}|\. \. \.|\[[^\]]{0,200}\]|(?<![א-ת])ו?(?:כו|גו)(?:['׳’]|(?![א-ת]))|(?<![א-ת])ו(?:כולי|גומר)(?![א-ת])/u
const insertion = /\([^()]{0,200}\)/g

/** Matches an editor's brackets within a word: `[T]he`, `ה[ו]א`. */
const bracketedLetters =
  /(?:(?<=[\p{L}\p{M}])[[(]([\p{L}\p{M}]{1,12})[\])]|[[(]([\p{L}\p{M}]{1,12})[\])](?=\p{L}))/gu

/**
 * Replaces emphasis and tags by characters that the fold ignores. The length stays the same, so offsets stay valid.
 */
function hideMarkup(text: string): string {
  return joinNames(
    text
      .replace(tags, (tag) => (/^<br/i.test(tag) ? ' ' : '\u2060').repeat(tag.length))
      .replace(bracketedLetters, (written) => `\u2060${written.slice(1, -1)}\u2060`),
  )
}

/** Folds a text; offsets refer to the original text. */
export function prepareText(text: string): PreparedText {
  return prepared(text, hideMarkup(text))
}

/**
 * Like `prepareText`, without the content of brackets and parentheses, where editors put references. Undefined for a
 * text without any.
 */
export function prepareWithoutBrackets(text: string): PreparedText | undefined {
  if (!/[[(]/.test(text)) return undefined
  const cleaned = hideMarkup(text)
  const bare = cleaned.replace(/\[[^[\]]{0,400}\]|\([^()]{0,400}\)/g, (inside) => ' '.repeat(inside.length))
  return bare === cleaned ? undefined : prepared(text, bare)
}

function prepared(text: string, cleaned: string): PreparedText {
  const { folded, offsets } = foldNames(fold(cleaned), cleaned)
  return { text, offsets, padded: ` ${folded} ` }
}

/**
 * Prepares a quotation. It yields at points where the caller may pause it, because a quotation can be as long as an
 * answer.
 */
export function* prepareQuote(quote: string): Generator<undefined, PreparedQuote> {
  const cleaned = hideMarkup(quote).replaceAll('*', '\u2060')
  yield
  const written = prepared(quote, cleaned)
  const folded = written.padded.slice(1, -1)
  yield
  const parts = yield* partsOf(cleaned, folded, foldedWords)
  const others: QuoteReading[] = []
  const free = foldFreely(cleaned)
  if (free !== folded) others.push({ folded: free, parts: yield* partsOf(cleaned, free, foldFreely) })
  const bare = cleaned.replace(insertion, '…')
  if (bare !== cleaned) {
    const whole = foldedWords(bare)
    others.push({ folded: whole, parts: yield* partsOf(bare, whole, foldedWords) })
  }
  return { folded, parts, written, others, letters: countLetters(folded), words: countWords(folded) }
}

function* partsOf(
  cleaned: string,
  whole: string,
  foldPart: (part: string) => string,
): Generator<undefined, readonly string[]> {
  const written = cleaned.split(ellipsis)
  if (written.length === 1) return [whole]
  const parts: string[] = []
  for (const part of written) {
    yield
    const words = foldPart(part)
    if (countLetters(words) >= minLettersInPart) parts.push(words)
  }
  return parts.length === 0 ? [whole] : parts
}

function foldedWords(text: string): string {
  return foldNames(fold(text), text).folded
}

function foldFreely(text: string): string {
  return foldNamesFreely(foldNames(fold(text), text), text).folded
}

export function countLetters(folded: string): number {
  return folded.replaceAll(' ', '').length
}

function countWords(folded: string): number {
  return folded.split(' ').length
}
