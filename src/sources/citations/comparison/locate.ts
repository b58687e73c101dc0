import { countLetters, type PreparedText } from '../quotations/prepare.ts'
import type { PreparedQuote, QuotePart } from '../quotations/readings.ts'
import type { Span } from '../quotations/spans.ts'
import { changesIn } from './apparatus.ts'
import type { Difference } from './quote-check.ts'
import { type Budget, nearestWindow } from './similarity.ts'
import { countOmitted, type Edit, type Wording, wordingsIn } from './wording.ts'

/** Minimum character similarity of a close wording. Similar systems use 0.85 to 0.92. */
export const minSimilarity = 0.85

/** Position of a quotation in a text: `start` and `end` in UTF-16 units, `original` the text between them. */
export type QuoteLocation = {
  readonly result: 'verbatim' | 'edited' | 'fuzzy'
  readonly original: string
  readonly start: number
  readonly end: number
  readonly similarity: number
  /** Ranges of its parts, in UTF-16 units. */
  readonly pieces: readonly Span[]
}

/** A place that has the words of the quotation, with what was edited and how many words its ellipses leave out. */
export type FoundWording = QuoteLocation & {
  readonly differences: readonly Difference[]
  readonly omitted: number
}

/** Finds the places that have the words of a quotation: first those word for word, then those that it edits. */
export function locateWording(quote: PreparedQuote, passage: PreparedText): readonly FoundWording[] {
  return wordingsIn(quote, passage)
    .map((wording) => foundWording(wording, passage))
    .toSorted((a, b) => Number(a.result !== 'verbatim') - Number(b.result !== 'verbatim'))
}

function foundWording(wording: Wording, passage: PreparedText): FoundWording {
  const changes = changesIn(wording, passage)
  const result = changes.length === 0 ? 'verbatim' : 'edited'
  const differences = changes.flatMap((edit) => differenceOf(edit, passage) ?? [])
  return {
    ...toLocation(result, wording.spans, passage, 1),
    differences,
    omitted: countOmitted(wording.edits, passage),
  }
}

function differenceOf(edit: Edit, passage: PreparedText): Difference | undefined {
  const text = edit.at.end > edit.at.start ? shown(originalText(edit.at, passage)) : ''
  switch (edit.kind) {
    case 'inserted':
      return { kind: text === '' ? 'added' : 'changed', quote: edit.words.written, text }
    case 'prefix':
      return { kind: 'changed', quote: edit.written, text }
    default:
      return text === '' ? undefined : { kind: 'left_out', quote: '', text }
  }
}

function originalText(span: Span, passage: PreparedText): string {
  const { start, end } = originalPlace(span, passage)
  const words = passage.text.slice(start, end).trim()
  const next = passage.text.charAt(end)
  return /[)\]}>]/.test(next) && /[([{<]/.test(words) ? words + next : words
}

const longestShown = 300

/** The words of a gap, or its beginning and end. */
export function shown(words: string): string {
  if (words.length <= longestShown) return words
  const half = longestShown / 2
  return `${words.slice(0, half).replace(/\S*$/u, '')}… ${words.slice(-half).replace(/^\S*/u, '').trim()}`
}

/** The range of a passage that is most similar to a quotation, or one range for each of its parts. */
export type NearestSpans = { readonly spans: readonly Span[]; readonly similarity: number }

/**
 * Finds the most similar wording in one piece. For a quotation with ellipses it also tries part by part in order;
 * then every part must reach the minimum similarity.
 * @returns ranges in folded text, however similar; undefined when the comparison is too costly.
 */
export function nearestSpans(
  quote: Pick<PreparedQuote, 'folded' | 'parts'>,
  passage: PreparedText,
  budget: Budget,
): NearestSpans | undefined {
  const inside = passage.padded.slice(1, -1)
  const whole = nearestWindow(quote.folded, inside, 0, budget)
  if (quote.parts.length > 1 && (whole === undefined || whole.similarity < minSimilarity)) {
    const parts = nearestParts(quote.parts, passage, budget)
    if (parts !== undefined) return parts
  }
  return whole && { spans: [wholeWords(whole, inside)], similarity: whole.similarity }
}

/** Parts with fewer letters are similar to too much, so they must be there letter for letter. */
const fewLetters = 4

function nearestParts(
  parts: readonly QuotePart[],
  { padded }: PreparedText,
  budget: Budget,
): NearestSpans | undefined {
  const inside = padded.slice(1, -1)
  const spans: Span[] = []
  let [weighted, length] = [0, 0]
  for (const { folded } of parts) {
    const from = spans.at(-1)?.end ?? 0
    const isShort = countLetters(folded) < fewLetters
    const exact = isShort ? padded.indexOf(` ${folded} `, from) : -1
    const window = isShort
      ? exact < 0
        ? undefined
        : { start: exact, end: exact + folded.length, similarity: 1 }
      : nearestWindow(folded, inside, from, budget)
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

/** The range in the original text, without a closing mark behind the last word, which the fold drops. */
function originalPlace(span: Span, { offsets, text }: PreparedText): Span {
  const start = offsets[span.start] ?? 0
  let next = span.end
  while (next < offsets.length - 1 && offsets[next] === offsets[span.end - 1]) next += 1
  const end = offsets[next] ?? text.length
  return { start, end: end - (/["”“»«„]*$/.exec(text.slice(Math.max(start, end - 4), end))?.[0].length ?? 0) }
}

const longestWord = 40

/** Widens a window to whole words and removes spaces at its ends. */
function wholeWords({ start, end }: Span, folded: string): Span {
  const before = /\S*$/.exec(folded.slice(Math.max(0, start - longestWord), start))?.[0].length ?? 0
  const after = /^\S*/.exec(folded.slice(end, end + longestWord))?.[0].length ?? 0
  return {
    start: folded[start] === ' ' ? start + 1 : start - before,
    end: folded[end - 1] === ' ' ? end - 1 : end + after,
  }
}

/** Rounds down, so that a value below the threshold is never shown as the threshold. */
export function roundDown(similarity: number): number {
  return Math.floor(similarity * 1000) / 1000
}
