import { fold } from '../fold.ts'
import { type Budget, nearestWindow } from './similarity.ts'

/** Quotations with fewer letters are words in quotation marks, which prove nothing wherever they are found. */
export const fewestLetters = 12
/** Parts between ellipses with fewer letters are not looked for. */
const fewestLettersInPart = 4
/** The least character similarity that counts as close wording (peers use 0.85 to 0.92). */
export const leastSimilarity = 0.85

/** A text made ready for many comparisons. */
export type Prepared = {
  readonly text: string
  readonly offsets: readonly number[]
  /** Folded, with a blank before and after, so that a search for whole words is one search. */
  readonly padded: string
}

/** A quotation ready to be compared. */
export type PreparedQuote = {
  readonly folded: string
  readonly letters: number
  /** What stands between ellipses and bracketed insertions, folded; the whole if there are none. */
  readonly parts: readonly string[]
}

/** Where a quotation stands in a passage: `start` and `end` in UTF-16 units, `original` the characters there. */
export type Located = {
  readonly result: 'verbatim' | 'fuzzy'
  readonly original: string
  readonly start: number
  readonly end: number
  readonly similarity: number
}

/** Places in folded text. */
type Span = { readonly start: number; readonly end: number }

const tags = /<\/?[a-z][^<>]{0,200}>/gi
const ellipsis = /…|\.{3,}|\. \. \.|\[[^\]]{0,200}\]|(?<![א-ת])ו(?:כו|גו)(?:['׳’]|(?![א-ת]))/u

/** Emphasis and tags are made invisible to the fold, letter for letter, so that offsets stay true. */
function clean(text: string): string {
  return text.replace(tags, (tag) => (/^<br/i.test(tag) ? ' ' : '\u2060').repeat(tag.length))
}

export function prepareText(text: string): Prepared {
  const { folded, offsets } = fold(clean(text))
  return { text, offsets, padded: ` ${folded} ` }
}

/** Yields wherever it may be interrupted: a quotation can be as long as an answer. */
export function* prepareQuote(quote: string): Generator<undefined, PreparedQuote> {
  const cleaned = clean(quote).replaceAll('*', '\u2060')
  yield
  const { folded } = fold(cleaned)
  const written = cleaned.split(ellipsis)
  const parts: string[] = []
  for (const part of written) {
    yield
    const words = written.length === 1 ? folded : fold(part).folded
    if (countLetters(words) >= fewestLettersInPart) parts.push(words)
  }
  yield
  return { folded, letters: countLetters(folded), parts: parts.length === 0 ? [folded] : parts }
}

function countLetters(folded: string): number {
  return folded.replaceAll(' ', '').length
}

/** The quotation letter for letter: in one piece, or its parts in their order. */
export function locateVerbatim(quote: PreparedQuote, passage: Prepared): Located | undefined {
  const whole = findWords(quote.folded, passage.padded, 0)
  if (whole !== undefined) return located('verbatim', [whole], passage, 1)
  if (quote.parts.length === 1 && quote.parts[0] === quote.folded) return undefined
  const enough = quote.parts.reduce((sum, part) => sum + countLetters(part), 0) >= fewestLetters
  const spans = enough ? wordsInOrder(quote.parts, passage.padded) : undefined
  return spans && located('verbatim', spans, passage, 1)
}

/**
 * The nearest wording, in one piece or, if the quotation has ellipses, part by part in their order; every part must
 * be near enough by itself.
 *
 * @returns the place if it is near enough; else, as far as it was computed, only how near it comes.
 */
export async function locateFuzzy(
  quote: PreparedQuote,
  passage: Prepared,
  budget: Budget,
): Promise<Located | { readonly result: 'none'; readonly similarity?: number }> {
  const inside = passage.padded.slice(1, -1)
  const whole = await nearestWindow(quote.folded, inside, 0, budget)
  if (whole !== undefined && whole.similarity >= leastSimilarity) {
    return located('fuzzy', [wholeWords(whole, inside)], passage, whole.similarity)
  }
  let weighted = 0
  const spans = await inOrder(quote.parts, async (part, from) => {
    const window = await nearestWindow(part, inside, from, budget)
    if (window === undefined || window.similarity < leastSimilarity) return undefined
    weighted += window.similarity * part.length
    return wholeWords(window, inside)
  })
  if (spans !== undefined && quote.parts.length > 1) {
    return located('fuzzy', spans, passage, weighted / quote.parts.join('').length)
  }
  return { result: 'none', ...(whole && { similarity: rounded(whole.similarity) }) }
}

async function inOrder(
  parts: readonly string[],
  find: (part: string, from: number) => Promise<Span | undefined>,
): Promise<readonly Span[] | undefined> {
  const spans: Span[] = []
  for (const part of parts) {
    const span = await find(part, spans.at(-1)?.end ?? 0)
    if (span === undefined) return undefined
    spans.push(span)
  }
  return spans
}

function wordsInOrder(parts: readonly string[], padded: string): readonly Span[] | undefined {
  const spans: Span[] = []
  for (const part of parts) {
    const span = findWords(part, padded, spans.at(-1)?.end ?? 0)
    if (span === undefined) return undefined
    spans.push(span)
  }
  return spans
}

/** Prefixed letters that a quotation may leave off: it begins in the middle of a word then. */
const prefixed = / [ושהבכלמד]{1,3}$/
const mostAttempts = 50

/** Finds whole words in padded text, from a place in the unpadded one; a Hebrew first word may lack its prefixes. */
function findWords(words: string, padded: string, from: number): Span | undefined {
  if (words === '') return undefined
  const at = padded.indexOf(` ${words} `, from)
  if (at >= 0) return { start: at, end: at + words.length }
  if (!/^[א-ת]/.test(words)) return undefined
  let inner = padded.indexOf(`${words} `, from + 1)
  for (let attempt = 0; inner >= 0 && attempt < mostAttempts; attempt += 1) {
    if (prefixed.test(padded.slice(Math.max(0, inner - 4), inner))) {
      return { start: inner - 1, end: inner - 1 + words.length }
    }
    inner = padded.indexOf(`${words} `, inner + 1)
  }
  return undefined
}

const longestWord = 40

/** Widens a window that begins or ends within a word, and leaves out blanks at its ends. */
function wholeWords({ start, end }: Span, folded: string): Span {
  const before = /\S*$/.exec(folded.slice(Math.max(0, start - longestWord), start))?.[0].length ?? 0
  const after = /^\S*/.exec(folded.slice(end, end + longestWord))?.[0].length ?? 0
  return {
    start: folded[start] === ' ' ? start + 1 : start - before,
    end: folded[end - 1] === ' ' ? end - 1 : end + after,
  }
}

function located(
  result: Located['result'],
  spans: readonly Span[],
  passage: Prepared,
  similarity: number,
): Located {
  const places = spans.map((span) => originalPlace(span, passage))
  return {
    result,
    original: places.map((place) => passage.text.slice(place.start, place.end)).join(' … '),
    start: places[0]?.start ?? 0,
    end: places.at(-1)?.end ?? 0,
    similarity: rounded(similarity),
  }
}

/** The fold drops quotation marks, so one that closes behind the last word must be left out here. */
function originalPlace(span: Span, { offsets, text }: Prepared): Span {
  const start = offsets[span.start] ?? 0
  const end = offsets[span.end] ?? text.length
  return { start, end: end - (/["”“»«„]*$/.exec(text.slice(Math.max(start, end - 4), end))?.[0].length ?? 0) }
}

/** Down, so that nothing below the threshold reads as if it reached it. */
function rounded(similarity: number): number {
  return Math.floor(similarity * 1000) / 1000
}
