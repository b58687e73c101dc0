import { fold } from '../../text/fold.ts'
import { foldNames, joinNames } from './names-of-god.ts'

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

/** Elements of HTML that texts and answers have. Other words in angle brackets are words. */
const tags =
  /<\/?(?:a|abbr|b|bdi|bdo|big|blockquote|br|center|cite|code|dd|del|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|q|s|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|wbr)(?=[\s/>])[^<>]{0,200}>/gi

/** Matches an editor's brackets within a word: `[T]he`, `ה[ו]א`. */
const bracketedLetters =
  /(?:(?<=[\p{L}\p{M}])[[(]([\p{L}\p{M}]{1,12})[\])]|[[(]([\p{L}\p{M}]{1,12})[\])](?=\p{L}))/gu

/**
 * Replaces emphasis and tags by characters that the fold ignores. The length stays the same, so offsets stay valid.
 */
export function hideMarkup(text: string): string {
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
  const bare = cleaned.replace(bracketed, (inside) => ' '.repeat(inside.length))
  return bare === cleaned ? undefined : prepared(text, bare)
}

/** Brackets or parentheses with their content. */
const bracketed = /\[[^[\]]{0,400}\]|\([^()]{0,400}\)/g

/** The content of the brackets in a part of a text, folded. */
export function bracketedWords(text: string): readonly string[] {
  return [...text.matchAll(bracketed)].map(([inside]) => foldedWords(inside))
}

/** @param cleaned the text without markup. */
export function prepared(text: string, cleaned: string): PreparedText {
  const { folded, offsets } = foldNames(fold(cleaned), cleaned)
  return { text, offsets, padded: ` ${folded} ` }
}

export function foldedWords(text: string): string {
  return foldNames(fold(text), text).folded
}

export function countLetters(folded: string): number {
  return folded.replaceAll(' ', '').length
}
