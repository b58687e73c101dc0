import { fold } from '../../text/fold.ts'
import { hideMarkup } from './markup.ts'
import { foldNames } from './names-of-god.ts'

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
