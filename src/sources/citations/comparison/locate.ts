import {
  countLetters,
  minLetters,
  type Prepared,
  type PreparedQuote,
  type QuoteReading,
  type Span,
} from '../quotations/prepare.ts'
import { findWords, wholeWords, wordsInOrder } from './find-words.ts'
import { type Budget, nearestWindow } from './similarity.ts'

/** The least character similarity that counts as close wording (peers use 0.85 to 0.92). */
export const minSimilarity = 0.85

/** Where a quotation stands in a text: `start` and `end` in UTF-16 units, `original` the characters there. */
export type Located = {
  readonly result: 'verbatim' | 'fuzzy'
  readonly original: string
  readonly start: number
  readonly end: number
  readonly similarity: number
  /** The places of its parts, in UTF-16 units. */
  readonly pieces: readonly Span[]
}

/** The quotation letter for letter, in one of its readings: in one piece, or its parts in their order. */
export function locateVerbatim(quote: PreparedQuote, passage: Prepared): Located | undefined {
  for (const reading of [quote, ...quote.others]) {
    const spans = spansOf(reading, passage)
    if (spans !== undefined) return located('verbatim', spans, passage, 1)
  }
  return undefined
}

function spansOf(reading: QuoteReading, { padded }: Prepared): readonly Span[] | undefined {
  const whole = findWords(reading.folded, padded, 0)
  if (whole !== undefined) return [whole]
  if (reading.parts.length === 1 && reading.parts[0] === reading.folded) return undefined
  const enough = reading.parts.reduce((sum, part) => sum + countLetters(part), 0) >= minLetters
  return enough ? wordsInOrder(reading.parts, padded) : undefined
}

/** Part of a passage that is nearest to a quotation, or the parts that its parts are nearest to. */
export type Near = { readonly spans: readonly Span[]; readonly similarity: number }

/**
 * The nearest wording, in one piece or, if the quotation has ellipses, part by part in their order; then every part is
 * near enough by itself.
 *
 * @returns places in folded text, however near; undefined where it is too costly to compute.
 */
export async function nearestPlace(
  quote: QuoteReading,
  passage: Prepared,
  budget: Budget,
): Promise<Near | undefined> {
  const inside = passage.padded.slice(1, -1)
  const whole = await nearestWindow(quote.folded, inside, 0, budget)
  if (quote.parts.length > 1 && (whole === undefined || whole.similarity < minSimilarity)) {
    const parts = await nearestParts(quote.parts, inside, budget)
    if (parts !== undefined) return parts
  }
  return whole && { spans: [wholeWords(whole, inside)], similarity: whole.similarity }
}

async function nearestParts(
  parts: readonly string[],
  inside: string,
  budget: Budget,
): Promise<Near | undefined> {
  const spans: Span[] = []
  let weighted = 0
  for (const part of parts) {
    const window = await nearestWindow(part, inside, spans.at(-1)?.end ?? 0, budget)
    if (window === undefined || window.similarity < minSimilarity) return undefined
    weighted += window.similarity * part.length
    spans.push(wholeWords(window, inside))
  }
  return { spans, similarity: weighted / parts.join('').length }
}

/** What folded places are in the text itself. */
export function located(
  result: Located['result'],
  spans: readonly Span[],
  passage: Prepared,
  similarity: number,
): Located {
  const pieces = spans.map((span) => originalPlace(span, passage))
  return {
    result,
    original: pieces.map((place) => passage.text.slice(place.start, place.end)).join(' … '),
    start: pieces[0]?.start ?? 0,
    end: pieces.at(-1)?.end ?? 0,
    similarity: rounded(similarity),
    pieces,
  }
}

/**
 * The end of a word is where the next letter of another place begins. The fold drops quotation marks, so one that closes
 * behind the last word must be left out here.
 */
function originalPlace(span: Span, { offsets, text }: Prepared): Span {
  const start = offsets[span.start] ?? 0
  let next = span.end
  while (next < offsets.length - 1 && offsets[next] === offsets[span.end - 1]) next += 1
  const end = offsets[next] ?? text.length
  return { start, end: end - (/["”“»«„]*$/.exec(text.slice(Math.max(start, end - 4), end))?.[0].length ?? 0) }
}

/** Down, so that nothing below the threshold reads as if it reached it. */
export function rounded(similarity: number): number {
  return Math.floor(similarity * 1000) / 1000
}
