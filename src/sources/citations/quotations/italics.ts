import { firstFrom, type Span } from './spans.ts'

/** Matches `*words*` and `_words_`, not `**bold**`. One character class and a bound keep the match linear. */
const italics =
  /(?<![*\p{L}\p{N}\\])\*(?![*\s])([^*\n]{12,4000})(?<!\s)\*(?![*\p{L}\p{N}])|(?<![_\p{L}\p{N}\\])_(?![_\s])([^_\n]{12,4000})(?<!\s)_(?![_\p{L}\p{N}])/gu

/** Words that introduce a quotation, or a colon. */
const leadsTo =
  /(?::|(?:says?|said|writes?|wrote|written|states?|stated|teach(?:es)?|taught|reads?|words|quotes?|quoted|explains?|אומר(?:ת|ים)?|אמרו?|כתבו?|כותב(?:ת|ים)?|כתוב|נאמר|שנאמר|לשונו?|לשון|וז"ל|וז״ל|וזה לשונו|דבריו|דברי|מובא|ככתוב|פסק))[,:]?\s*[–—-]?\s*$/iu

/** A ref in brackets or after a dash. */
const placeFollows = /^[.,;]?\s*(?:[([]\s?[\p{L}\d]|[—–]\s*\p{L})/u

type Beside = {
  readonly marks: readonly Span[]
  readonly refs: readonly Span[]
  readonly onEmphasis: (span: Span) => void
}

/**
 * Finds italics that mark a quotation: words that are introduced as one, that have a ref or mark directly after them,
 * or that are alone in their block. Other italics are emphasis.
 * @param taken spans in quotation marks, in order. Italics that overlap one of them are skipped.
 * @param beside the marks and refs of the text, in order, and what is called for the other italics.
 */
export function italicSpans(
  text: string,
  block: Span,
  taken: readonly Span[],
  { marks, refs, onEmphasis }: Beside,
): readonly Span[] {
  const inBlock = text.slice(block.start, block.end)
  const lengthAlone = inBlock.trim().length
  const found: Span[] = []
  for (const match of inBlock.matchAll(italics)) {
    const start = block.start + match.index
    const end = start + match[0].length
    const before = text.slice(Math.max(block.start, start - 30), start)
    const after = text.slice(end, Math.min(block.end, end + 6))
    const isMarked = (marks[firstFrom(marks, end)]?.start ?? Infinity) <= end + 3
    const ref = refs[firstFrom(refs, end)]
    const isCited =
      ref !== undefined && ref.start <= end + 2 && /^[,;:]?\s?$/.test(text.slice(end, ref.start))
    const isAlone = before.trim() === '' && lengthAlone === match[0].length
    if (!isMarked && !isCited && !isAlone && !leadsTo.test(before) && !placeFollows.test(after)) {
      onEmphasis({ start: start + 1, end: end - 1 })
      continue
    }
    // The spans do not overlap each other, so only the last one before `end` can reach behind `start`.
    if ((taken[firstFrom(taken, end) - 1]?.end ?? 0) > start) continue
    found.push({ start: start + 1, end: end - 1 })
  }
  return found
}
