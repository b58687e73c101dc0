import { fold } from '../../text/fold.ts'
import { hideMarkup } from './markup.ts'
import { foldNames } from './names-of-god.ts'
import { firstAfter, type Span } from './spans.ts'

/** A text prepared for many comparisons. */
export type PreparedText = {
  readonly text: string
  readonly offsets: readonly number[]
  /**
   * The folded text with a space before and after it, so that a search for whole words is a plain substring search.
   */
  readonly padded: string
  /** The words in brackets, in folded offsets, by their start. */
  readonly brackets: ReadonlyMap<number, Bracket>
}

/** Words that an edition or a writer puts into brackets. Range in the folded text. */
export type Bracket = Span & { readonly opener: string }

/** Folds a text; offsets refer to the original text. */
export function prepareText(text: string): PreparedText {
  return prepared(text, hideMarkup(text))
}

/** Like `prepareText`, without what stands in brackets: references of editors. Undefined for a text without any. */
export function prepareWithoutBrackets(text: string): PreparedText | undefined {
  if (!/[[(]/.test(text)) return undefined
  const cleaned = hideMarkup(text)
  const bare = cleaned.replace(bracketed, (inside) => ' '.repeat(inside.length))
  return bare === cleaned ? undefined : prepared(text, bare)
}

/** Brackets of any kind with their content. */
export const bracketed = /\[[^[\]]{0,400}\]|\([^()]{0,400}\)|\{[^{}]{0,400}\}|<[^<>]{0,400}>/g

/** @param cleaned the text without markup. */
export function prepared(text: string, cleaned: string): PreparedText {
  const { folded, offsets } = foldNames(fold(cleaned), cleaned)
  return { text, offsets, padded: ` ${folded} `, brackets: bracketsIn(cleaned, offsets, folded) }
}

/** Brackets around whole words. Those within a word are hidden with the markup. */
function bracketsIn(
  cleaned: string,
  offsets: readonly number[],
  folded: string,
): ReadonlyMap<number, Bracket> {
  const found = new Map<number, Bracket>()
  if (!/[[({<]/.test(cleaned)) return found
  for (const { 0: written, index } of cleaned.matchAll(bracketed)) {
    const start = foldedAt(offsets, index)
    const end = foldedAt(offsets, index + written.length)
    const from = folded[start] === ' ' ? start + 1 : start
    const to = folded[end - 1] === ' ' ? end - 1 : end
    if (to <= from || (from > 0 && folded[from - 1] !== ' ')) continue
    if (to < folded.length && folded[to] !== ' ') continue
    found.set(from, { start: from, end: to, opener: written.charAt(0) })
  }
  return found
}

/** The first folded letter at or after an offset of the original text. */
function foldedAt(offsets: readonly number[], at: number): number {
  return Math.min(
    firstAfter(offsets, (offset) => offset < at),
    offsets.length - 1,
  )
}

export function foldedWords(text: string): string {
  return foldNames(fold(text), text).folded
}

export function countLetters(folded: string): number {
  return folded.replaceAll(' ', '').length
}
