import {
  countLetters,
  minLetters,
  type PreparedQuote,
  type PreparedText,
  type QuoteReading,
  type Span,
} from '../quotations/prepare.ts'
import { findWording, wholeWords, wordsInOrder } from './find-words.ts'
import { type Budget, nearestWindow } from './similarity.ts'

/** Minimum character similarity of a close wording. Similar systems use 0.85 to 0.92. */
export const minSimilarity = 0.85

/** Position of a quotation in a text: `start` and `end` in UTF-16 units, `original` the text between them. */
export type QuoteLocation = {
  readonly result: 'verbatim' | 'fuzzy'
  readonly original: string
  readonly start: number
  readonly end: number
  readonly similarity: number
  /** Ranges of its parts, in UTF-16 units. */
  readonly pieces: readonly Span[]
}

/** Finds the quotation word for word in one of its readings: in one piece, or its parts in order. */
export function locateVerbatim(quote: PreparedQuote, passage: PreparedText): QuoteLocation | undefined {
  for (const reading of [quote, ...quote.others]) {
    const spans = spansOf(reading, passage)
    if (spans !== undefined) return toLocation('verbatim', spans, passage, 1)
  }
  return undefined
}

function spansOf(reading: QuoteReading, { padded }: PreparedText): readonly Span[] | undefined {
  const whole = findWording(reading.folded, padded, 0)
  if (whole !== undefined) return [whole]
  if (reading.parts.length === 1 && reading.parts[0] === reading.folded) return undefined
  const enough = reading.parts.reduce((sum, part) => sum + countLetters(part), 0) >= minLetters
  return enough ? wordsInOrder(reading.parts, padded) : undefined
}

/** The range of a passage that is most similar to a quotation, or one range for each of its parts. */
export type NearestSpans = { readonly spans: readonly Span[]; readonly similarity: number }

/**
 * Finds the most similar wording in one piece. For a quotation with ellipses it also tries part by part in order;
 * then every part must reach the minimum similarity.
 * @returns ranges in folded text, however similar; undefined when the comparison is too costly.
 */
export async function nearestSpans(
  quote: QuoteReading,
  passage: PreparedText,
  budget: Budget,
): Promise<NearestSpans | undefined> {
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
): Promise<NearestSpans | undefined> {
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

/** Converts ranges of folded text to ranges of the original text. */
export function toLocation(
  result: QuoteLocation['result'],
  spans: readonly Span[],
  passage: PreparedText,
  similarity: number,
): QuoteLocation {
  const pieces = spans.map((span) => originalPlace(span, passage))
  return {
    result,
    original: pieces.map((place) => passage.text.slice(place.start, place.end)).join(' … '),
    start: pieces[0]?.start ?? 0,
    end: pieces.at(-1)?.end ?? 0,
    similarity: roundDown(similarity),
    pieces,
  }
}

/**
 * Finds the end of a word in the original text. The fold drops quotation marks, so a closing mark after the last word
 * must be excluded here.
 */
function originalPlace(span: Span, { offsets, text }: PreparedText): Span {
  const start = offsets[span.start] ?? 0
  let next = span.end
  while (next < offsets.length - 1 && offsets[next] === offsets[span.end - 1]) next += 1
  const end = offsets[next] ?? text.length
  return { start, end: end - (/["”“»«„]*$/.exec(text.slice(Math.max(start, end - 4), end))?.[0].length ?? 0) }
}

/** Rounds down, so that a value below the threshold is never shown as the threshold. */
export function roundDown(similarity: number): number {
  return Math.floor(similarity * 1000) / 1000
}
