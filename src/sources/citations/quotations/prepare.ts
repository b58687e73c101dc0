import { fold } from '../../text/fold.ts'
import { foldNames, foldNamesFreely, joinNames } from './names-of-god.ts'

/** Quotations with fewer letters are words in quotation marks, which prove nothing wherever they are found. */
export const minLetters = 12
/** Parts between ellipses with fewer letters are not looked for. */
const minLettersInPart = 4

/** A range, `end` exclusive. */
export type Span = { readonly start: number; readonly end: number }

/** A text made ready for many comparisons. */
export type Prepared = {
  readonly text: string
  readonly offsets: readonly number[]
  /** Folded, with a blank before and after, so that a search for whole words is one search. */
  readonly padded: string
}

/** One way to read the letters of a quotation. */
export type QuoteReading = {
  readonly folded: string
  /** What stands between ellipses and bracketed insertions, folded; the whole if there are none. */
  readonly parts: readonly string[]
}

/** A quotation ready to be compared. */
export type PreparedQuote = QuoteReading & {
  readonly letters: number
  readonly words: number
  /** The quotation itself, by whose words differences are named. */
  readonly written: Prepared
  /** Other ways to read it; it is verbatim if one of them is. */
  readonly others: readonly QuoteReading[]
}

const tags = /<\/?[a-z][^<>]{0,200}>/gi
const ellipsis =
  /\(\s?(?:…|\.{2,}|⋯)\s?\)|…|⋯|\.{2,}|\. \. \.|\[[^\]]{0,200}\]|(?<![א-ת])ו?(?:כו|גו)(?:['׳’]|(?![א-ת]))|(?<![א-ת])ו(?:כולי|גומר)(?![א-ת])/u
const insertion = /\([^()]{0,200}\)/g

/** Letters that an editor has put into brackets within a word: `[T]he`, `ה[ו]א`. */
const bracketedLetters =
  /(?:(?<=[\p{L}\p{M}])[[(]([\p{L}\p{M}]{1,12})[\])]|[[(]([\p{L}\p{M}]{1,12})[\])](?=\p{L}))/gu

/** Emphasis and tags are made invisible to the fold, letter for letter, so that offsets stay true. */
function clean(text: string): string {
  return joinNames(
    text
      .replace(tags, (tag) => (/^<br/i.test(tag) ? ' ' : '\u2060').repeat(tag.length))
      .replace(bracketedLetters, (written) => `\u2060${written.slice(1, -1)}\u2060`),
  )
}

/** Folds a text; places are those of the text itself. */
export function prepareText(text: string): Prepared {
  return prepared(text, clean(text))
}

/** The same without what stands in brackets and parentheses: editors put references there. Undefined without any. */
export function prepareWithoutBrackets(text: string): Prepared | undefined {
  if (!/[[(]/.test(text)) return undefined
  const cleaned = clean(text)
  const bare = cleaned.replace(/\[[^[\]]{0,400}\]|\([^()]{0,400}\)/g, (inside) => ' '.repeat(inside.length))
  return bare === cleaned ? undefined : prepared(text, bare)
}

function prepared(text: string, cleaned: string): Prepared {
  const { folded, offsets } = foldNames(fold(cleaned), cleaned)
  return { text, offsets, padded: ` ${folded} ` }
}

/** Yields wherever it may be interrupted: a quotation can be as long as an answer. */
export function* prepareQuote(quote: string): Generator<undefined, PreparedQuote> {
  const cleaned = clean(quote).replaceAll('*', '\u2060')
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
