import type { Anchor, Quotation } from '../quotations/quotes.ts'
import { firstFrom, type Span } from '../quotations/spans.ts'

const superscripts = '[¹²³⁰⁴-⁹]{1,3}'
/** The number of a footnote directly behind a quotation: `“…”[^1]`, `“…”.¹`. */
const marker = new RegExp(
  `^["”“»«״’'›*_.,;:!?)\\u2060]{0,6}\\s?(?:\\[\\^(?<name>[\\p{L}\\p{N}_-]{1,20})\\]|(?<number>${superscripts}))(?!:)`,
  'u',
)
/** A footnote: a line that begins with its number. */
const footnote = new RegExp(
  `^[ \\t]{0,3}(?:\\[\\^(?<name>[\\p{L}\\p{N}_-]{1,20})\\]:|(?<number>${superscripts}))[^\\n]*`,
  'gmu',
)

/**
 * Returns a function that finds the refs in the footnote of a quotation.
 * @param refs in order, without overlaps.
 */
export function footnoteRefs(
  text: string,
  refs: readonly Anchor[],
): (quotation: Quotation) => readonly Anchor[] {
  if (!/\[\^|[¹²³⁰⁴-⁹]/.test(text)) return () => []
  const notes = new Map<string, Span>()
  for (const match of text.matchAll(footnote)) {
    const { name, number } = match.groups ?? {}
    const key = name === undefined ? `${number}` : `^${name}`
    if (!notes.has(key)) notes.set(key, { start: match.index, end: match.index + match[0].length })
  }
  return ({ end }) => {
    const { name, number } = marker.exec(text.slice(end, end + 40))?.groups ?? {}
    const note = notes.get(name === undefined ? `${number}` : `^${name}`)
    return note ? refs.slice(firstFrom(refs, note.start), firstFrom(refs, note.end)) : []
  }
}
