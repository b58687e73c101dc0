import type { PreparedText } from '../quotations/prepare.ts'
import type { Quotation } from '../quotations/quotes.ts'
import { contextWarning } from './context.ts'
import { type Difference, type NearWording, nearWording } from './differences.ts'
import { locateVerbatim, nearestSpans, type QuoteLocation, roundDown } from './locate.ts'
import { alteringBracket, alteringOmission, countOmitted } from './omissions.ts'
import type { QuoteCheck } from './quote-check.ts'
import type { Budget } from './similarity.ts'
import {
  isOneText,
  type PlaceInStretch,
  type PreparedStretch,
  placeIn,
  prepareStretch,
  type Stretch,
  spanRef,
} from './stretch.ts'

/** State that all comparisons of one text share. */
export type SearchState = {
  readonly budget: Budget
  /** Stretches that are already folded. */
  readonly prepared: Map<Stretch, PreparedStretch>
}

/** The position in some stretches that is most similar to a quotation. */
export type NearestMatch = {
  readonly result: 'verbatim' | 'fuzzy'
  readonly similarity: number
  /** False if the nearest position is not similar enough to count as close wording. */
  readonly isNear: boolean
  readonly place: PlaceInStretch
  readonly ref: string
  /** The part of the check that this position gives. */
  readonly check: Omit<QuoteCheck, 'quote'> & { readonly result: 'verbatim' | 'fuzzy' }
}

/**
 * Finds a quotation in stretches: word for word in any of them, otherwise at the most similar position.
 * @param only with `verbatim`, close wordings are not searched.
 * @returns undefined when there is nothing to compare with, or when the comparison is too costly.
 */
export async function findNearestMatch(
  quotation: Quotation,
  stretches: readonly Stretch[],
  state: SearchState,
  only?: 'verbatim',
): Promise<NearestMatch | undefined> {
  const ready = stretches.map((stretch) => prepare(stretch, state))
  let altered: NearestMatch | undefined
  for (const stretch of ready) {
    const exact = exactIn(quotation, stretch)
    if (exact?.result === 'verbatim') return exact
    altered ??= exact
  }
  if (only === 'verbatim' || altered !== undefined) return only === 'verbatim' ? undefined : altered
  let best: NearestMatch | undefined
  for (const stretch of ready) {
    const near = await nearIn(quotation, stretch, state.budget)
    if (near !== undefined && near.similarity > (best?.similarity ?? 0)) best = near
  }
  return best
}

function prepare(stretch: Stretch, { prepared }: SearchState): PreparedStretch {
  const made = prepared.get(stretch) ?? prepareStretch(stretch)
  prepared.set(stretch, made)
  return made
}

function exactIn({ prepared }: Quotation, stretch: PreparedStretch): NearestMatch | undefined {
  let altered: NearestMatch | undefined
  const readings = [() => locateVerbatim(prepared, stretch.whole), () => withoutBrackets(prepared, stretch)]
  for (const reading of readings) {
    const located = reading()
    const finding = located && findingOf(located, stretch)
    if (finding?.result === 'verbatim') return finding
    altered ??= finding
  }
  return altered
}

/**
 * Finds the quotation in the text without its brackets. It is `fuzzy` if the brackets within it have words that alter
 * it: `is (not) literal`.
 */
function withoutBrackets(
  quote: Quotation['prepared'],
  stretch: PreparedStretch,
): QuoteLocation | NearWording | undefined {
  const text = stretch.bare()
  const located = text && locateVerbatim(quote, text)
  if (located === undefined) return undefined
  const words = alteringBracket(text?.text ?? '', located.pieces)
  if (words === undefined) return located
  return { ...located, result: 'fuzzy', differences: [{ kind: 'left_out', quote: '', text: words }] }
}

async function nearIn(
  { prepared }: Quotation,
  stretch: PreparedStretch,
  budget: Budget,
): Promise<NearestMatch | undefined> {
  let best: NearestMatch | undefined
  for (const text of [stretch.whole, stretch.bare()]) {
    if (text === undefined || (best?.isNear ?? false)) continue
    const finding = await nearInText(prepared, text, stretch, budget)
    if (finding !== undefined && finding.similarity > (best?.similarity ?? 0)) best = finding
  }
  return best
}

async function nearInText(
  quote: Quotation['prepared'],
  text: PreparedText,
  stretch: PreparedStretch,
  budget: Budget,
): Promise<NearestMatch | undefined> {
  const near = await nearestSpans(quote, text, budget)
  if (near === undefined) return undefined
  const wording = await nearWording(quote, near, text, budget)
  if (wording.result === 'fuzzy') return findingOf(wording, stretch)
  const place = placeIn(stretch, { start: 0, end: 0 })
  const similarity = roundDown(wording.similarity)
  return (
    place && {
      result: 'fuzzy',
      similarity,
      isNear: false,
      place,
      ref: place.first.ref,
      check: { result: 'fuzzy' },
    }
  )
}

function findingOf(located: QuoteLocation | NearWording, stretch: PreparedStretch): NearestMatch | undefined {
  const place = placeIn(stretch, located)
  if (place === undefined || !place.isOwn) return undefined
  const { result, similarity, pieces } = located
  if (pieces.length > 1 && !isOneText(place.first.ref, place.last.ref)) return undefined
  const oneText = place.first === place.last
  const { text } = stretch.whole
  const warning = contextWarning(text, pieces)
  const differences = 'differences' in located ? located.differences : leftOut(text, located)
  return {
    result,
    similarity,
    isNear: true,
    place,
    ref: spanRef(place.first.ref, place.last.ref),
    check: {
      result,
      similarity,
      original: oneText ? located.original : located.original.replaceAll('\n', ' '),
      start: place.start,
      end: oneText ? place.end : place.first.text.length,
      ...(differences.length > 0 && { differences }),
      ...(pieces.length > 1 && { omitted_words: countOmitted(text, pieces) }),
      ...(warning && { context_warning: warning }),
    },
  }
}

/** The words that the ellipses of a quotation leave out and that alter it. */
function leftOut(text: string, { result, pieces }: QuoteLocation): readonly Difference[] {
  const omission = result === 'fuzzy' ? alteringOmission(text, pieces) : undefined
  return omission === undefined ? [] : [{ kind: 'left_out', quote: '', text: omission.words }]
}
