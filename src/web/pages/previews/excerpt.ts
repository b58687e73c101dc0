type Span = { readonly start: number; readonly end: number }

/** A part of a text that begins and ends with whole words, with the spans that lie in it. */
export type Excerpt = {
  readonly text: string
  readonly spans: readonly Span[]
}

/** Characters before the first span. */
const lead = 40

/**
 * Cuts a text to about `length` characters, around its first span if there is one. No word is cut; `…` stands for what
 * is left out.
 * @param spans ranges of `text` in UTF-16 units, in order.
 */
export function excerptOf(text: string, spans: readonly Span[], length = 220): Excerpt {
  const wanted = Math.max(0, (spans[0]?.start ?? 0) - lead)
  const from = text.length <= length ? 0 : wordStart(text, Math.min(wanted, text.length - length))
  const to = wordEnd(text, Math.min(text.length, from + length))
  const before = from > 0 ? '… ' : ''
  const shift = before.length - from
  return {
    text: `${before}${text.slice(from, to)}${to < text.length ? ' …' : ''}`,
    spans: spans
      .filter(({ start, end }) => start < to && end > from)
      .map(({ start, end }) => ({ start: Math.max(start, from) + shift, end: Math.min(end, to) + shift })),
  }
}

/** The start of the first whole word at or after a position; the position itself in a text without spaces. */
function wordStart(text: string, at: number): number {
  if (at === 0 || /\s/.test(text[at - 1] ?? '')) return at
  const space = text.slice(at, at + lead).search(/\s/)
  return space === -1 ? at : at + space + 1
}

/** The end of the last whole word at or before a position. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length || /\s/.test(text[at] ?? '')) return at
  const space = text.slice(0, at).search(/\s\S*$/)
  return space <= 0 ? at : space
}
