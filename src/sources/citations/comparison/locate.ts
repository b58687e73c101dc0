import { bracketedWords, countLetters, type PreparedText, type Span } from '../quotations/prepare.ts'
import {
  type Insertion,
  minLetters,
  type PreparedQuote,
  type QuotePart,
  type QuoteReading,
} from '../quotations/readings.ts'
import { findWording, placesInOrder, wholeWords } from './find-words.ts'
import { isAlteredByEllipsis } from './omissions.ts'
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

/**
 * Finds the quotation word for word in one of its readings: in one piece, or its parts in order. It is `fuzzy` if its
 * ellipses alter it, see `isAlteredByEllipsis`.
 */
export function locateVerbatim(quote: PreparedQuote, passage: PreparedText): QuoteLocation | undefined {
  let altered: QuoteLocation | undefined
  for (const reading of [quote, ...quote.others]) {
    for (const spans of spansOf(reading, passage)) {
      const located = toLocation('verbatim', spans, passage, 1)
      if (!isAlteredByEllipsis(passage.text, located.pieces)) return located
      altered ??= { ...located, result: 'fuzzy' }
    }
  }
  return altered
}

/** The places of a reading in a passage. */
function* spansOf(reading: QuoteReading, passage: PreparedText): Generator<readonly Span[]> {
  const { folded, parts } = reading
  const hasInsertions = parts.some(({ insertions }) => insertions.length > 0)
  if (!hasInsertions) {
    const whole = findWording(folded, passage.padded, 0)
    if (whole !== undefined) yield [whole]
    if (whole !== undefined || parts.length === 1) return
  }
  if (parts.reduce((sum, part) => sum + countLetters(part.folded), 0) < minLetters) return
  const words = parts.map((part) => part.folded)
  for (const spans of placesInOrder(words, passage.padded)) {
    const isBorne = spans.every((span, i) => isBorneOut(parts[i], span, passage))
    if (isBorne && !isCompleted(parts, spans, passage)) yield spans
  }
}

/**
 * Whether words in brackets at the edge of the quotation stand where the passage has others in the same clause: `[Levi]
 * says` for `Nachman says`. They take the place of these words.
 */
function isCompleted(
  parts: readonly QuotePart[],
  spans: readonly Span[],
  { text, offsets }: PreparedText,
): boolean {
  const [first, last] = [spans[0], spans.at(-1)]
  const end = parts.at(-1)
  const gap = (from: number, to: number): string => text.slice(offsets[from] ?? 0, offsets[to] ?? text.length)
  const begins = first !== undefined && isAddedAt(parts[0], 0)
  if (begins && first.start >= 2 && !/[.;:!?…׃—–]/.test(gap(first.start - 2, first.start))) return true
  if (last === undefined || !isAddedAt(end, end?.folded.length)) return false
  return last.end + 1 < offsets.length - 1 && !/[.,;:!?…׃—–]/.test(gap(last.end - 1, last.end + 1))
}

function isAddedAt(part: QuotePart | undefined, at: number | undefined): boolean {
  return part?.insertions.some((one) => one.isAdded && one.at === at) ?? false
}

/** Whether the words in brackets of a part can be left out where the part stands in the passage. */
function isBorneOut(part: QuotePart | undefined, span: Span, passage: PreparedText): boolean {
  return (part?.insertions ?? []).every((insertion) => isNothingReplaced(insertion, span, passage))
}

/**
 * The passage has the same words in brackets there, or goes on without a gap and the quotation says that the words
 * are added.
 */
function isNothingReplaced(
  { at, folded, isAdded }: Insertion,
  span: Span,
  { text, offsets }: PreparedText,
): boolean {
  const place = span.start + at
  // The letters around the brackets, or around the edge of the part.
  const [last, next] = at === 0 ? [place - 2, place] : [place - 1, place + 1]
  const between = text.slice(offsets[last] ?? 0, offsets[next] ?? text.length)
  const there = bracketedWords(between)
  return there.length === 0 ? isAdded : there.includes(folded)
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
    const parts = await nearestParts(quote.parts, passage, budget)
    if (parts !== undefined) return parts
  }
  return whole && { spans: [wholeWords(whole, inside)], similarity: whole.similarity }
}

/** Parts with fewer letters are similar to too much, so they must be there letter for letter. */
const fewLetters = 4

async function nearestParts(
  parts: readonly QuotePart[],
  { padded }: PreparedText,
  budget: Budget,
): Promise<NearestSpans | undefined> {
  const inside = padded.slice(1, -1)
  const spans: Span[] = []
  let [weighted, length] = [0, 0]
  for (const { folded } of parts) {
    const from = spans.at(-1)?.end ?? 0
    const isShort = countLetters(folded) < fewLetters
    const exact = isShort ? findWording(folded, padded, from) : undefined
    const window = isShort
      ? exact && { ...exact, similarity: 1 }
      : await nearestWindow(folded, inside, from, budget)
    if (window === undefined || window.similarity < minSimilarity) return undefined
    weighted += window.similarity * folded.length
    length += folded.length
    spans.push(wholeWords(window, inside))
  }
  return { spans, similarity: weighted / length }
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
