import type { QuoteSpan } from './quote-marks.ts'

/** `*words*` and `_words_`, not `**bold**`; one class and a bound, so that reading is linear. */
const italics =
  /(?<![*\p{L}\p{N}\\])\*(?![*\s])([^*\n]{12,4000})(?<!\s)\*(?![*\p{L}\p{N}])|(?<![_\p{L}\p{N}\\])_(?![_\s])([^_\n]{12,4000})(?<!\s)_(?![_\p{L}\p{N}])/gu

/** Words that lead to a quotation, or a colon. */
const leadsTo =
  /(?::|(?:says?|said|writes?|wrote|written|states?|stated|teach(?:es)?|taught|reads?|words|quotes?|quoted|explains?|אומר(?:ת|ים)?|אמרו?|כתבו?|כותב(?:ת|ים)?|כתוב|נאמר|שנאמר|לשונו?|לשון|וז"ל|וז״ל|וזה לשונו|דבריו|דברי|מובא|ככתוב|פסק))[,:]?\s*[–—-]?\s*$/iu

/** A place behind them in brackets, or behind a dash. */
const placeFollows = /^[.,;]?\s*(?:[([]\s?[\p{L}\d]|[—–]\s*\p{L})/u

/**
 * Italics that frame a quotation: words introduced as one, with a place or a mark right behind them, or alone in their
 * block. Others are emphasis.
 * @param taken spans in quotation marks, in order: what overlaps one of them is no quotation of its own.
 */
export function italicSpans(
  text: string,
  block: QuoteSpan,
  taken: readonly QuoteSpan[],
  marks: readonly QuoteSpan[],
): readonly QuoteSpan[] {
  const inBlock = text.slice(block.start, block.end)
  const found: QuoteSpan[] = []
  for (const match of inBlock.matchAll(italics)) {
    const start = block.start + match.index
    const end = start + match[0].length
    const before = text.slice(Math.max(block.start, start - 30), start)
    const after = text.slice(end, Math.min(block.end, end + 6))
    const isMarked = marks.some((mark) => mark.start >= end && mark.start <= end + 3)
    const isAlone = before.trim() === '' && inBlock.trim().length === match[0].length
    if (!isMarked && !isAlone && !leadsTo.test(before) && !placeFollows.test(after)) continue
    if (taken.some((span) => span.start < end && span.end > start)) continue
    found.push({ start: start + 1, end: end - 1 })
  }
  return found
}
