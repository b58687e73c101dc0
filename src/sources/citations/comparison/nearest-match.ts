import { bracketed, type PreparedText } from '../quotations/prepare.ts'
import type { Quotation } from '../quotations/quotes.ts'
import { type NearWording, nearWording } from './differences.ts'
import { type FoundWording, locateWording, nearestSpans, roundDown } from './locate.ts'
import type { NearestWording, QuoteCheck } from './quote-check.ts'
import type { Budget } from './similarity.ts'
import {
  isOneText,
  ownPassages,
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
  /** What was compared is added here. */
  readonly compared?: ComparedPlace[]
}

/** The position in some stretches that is most similar to a quotation. */
export type NearestMatch = {
  readonly result: 'verbatim' | 'edited' | 'fuzzy'
  readonly similarity: number
  /** False if the nearest position is not similar enough to count as close wording. */
  readonly isNear: boolean
  readonly place: PlaceInStretch
  readonly ref: string
  /** If it is not near: its wording, as far as it was compared. */
  readonly nearest?: NearestWording
  /** The part of the check that this position gives. */
  readonly check: Omit<QuoteCheck, 'quote'> & { readonly result: 'verbatim' | 'edited' | 'fuzzy' }
}

/** One place that a quotation was compared with. `none`: nothing there is similar enough. */
export type ComparedPlace = {
  readonly ref: string
  readonly version?: string
  readonly result: NearestMatch['result'] | 'none'
  /** Absent when the comparison was not made: another place had the words already, or it was too costly. */
  readonly similarity?: number
}

/**
 * Finds a quotation in stretches: word for word in any of them, otherwise at the most similar position.
 * @param only with `verbatim`, close wordings are not searched.
 * @returns undefined when there is nothing to compare with, or when the comparison is too costly.
 */
export function findNearestMatch(
  quotation: Quotation,
  stretches: readonly Stretch[],
  state: SearchState,
  only?: 'verbatim',
): NearestMatch | undefined {
  let edited: NearestMatch | undefined
  for (const one of stretches) {
    // It is folded only if those before it lack the words.
    const stretch = prepare(one, state)
    const found = wordingIn(quotation, stretch)
    if (found !== undefined || only === 'verbatim') state.compared?.push(comparedPlace(stretch, found))
    if (found?.result === 'verbatim') return found
    edited ??= found
  }
  if (only === 'verbatim' || edited !== undefined) return only === 'verbatim' ? undefined : edited
  let best: NearestMatch | undefined
  for (const one of stretches) {
    const stretch = prepare(one, state)
    const near = nearIn(quotation, stretch, state.budget)
    state.compared?.push(comparedPlace(stretch, near))
    if (near !== undefined && near.similarity > (best?.similarity ?? 0)) best = near
  }
  return best
}

function comparedPlace({ stretch }: PreparedStretch, found: NearestMatch | undefined): ComparedPlace {
  const own = ownPassages(stretch)
  const [first, last] = [own[0], own.at(-1)]
  const whole = first === undefined || last === undefined ? '' : spanRef(first.ref, last.ref)
  const version = first?.version
  return {
    ref: found?.isNear ? found.ref : whole,
    ...(version && { version }),
    result: found?.isNear ? found.result : 'none',
    ...(found && { similarity: found.similarity }),
  }
}

function prepare(stretch: Stretch, { prepared }: SearchState): PreparedStretch {
  const made = prepared.get(stretch) ?? prepareStretch(stretch)
  prepared.set(stretch, made)
  return made
}

/** The first place in the passages that are meant: word for word before edited. */
function wordingIn({ prepared }: Quotation, stretch: PreparedStretch): NearestMatch | undefined {
  for (const located of locateWording(prepared, stretch.whole)) {
    const finding = findingOf(located, stretch)
    if (finding !== undefined) return finding
  }
  return undefined
}

function nearIn({ prepared }: Quotation, stretch: PreparedStretch, budget: Budget): NearestMatch | undefined {
  let best: NearestMatch | undefined
  for (const text of [stretch.whole, stretch.bare()]) {
    if (text === undefined || (best?.isNear ?? false)) continue
    const finding = nearInText(prepared, text, stretch, budget)
    if (finding === undefined || finding.similarity <= (best?.similarity ?? 0)) continue
    best = text === stretch.whole ? finding : withBrackets(finding)
  }
  return best
}

/** Adds the brackets of the passage that a close wording leaves out to its differences. */
function withBrackets(finding: NearestMatch): NearestMatch {
  const { original = '', differences = [] } = finding.check
  const leftOut = [...original.matchAll(bracketed)].map(([words]) => words.slice(1, -1).trim())
  const all = [...differences, ...leftOut.map((text) => ({ kind: 'left_out' as const, quote: '', text }))]
  return { ...finding, check: { ...finding.check, ...(all.length > 0 && { differences: all }) } }
}

function nearInText(
  quote: Quotation['prepared'],
  text: PreparedText,
  stretch: PreparedStretch,
  budget: Budget,
): NearestMatch | undefined {
  const near = nearestSpans(quote, text, budget)
  if (near === undefined) return undefined
  const wording = nearWording(quote, near, text, budget)
  if (wording.result !== 'none') return findingOf(wording, stretch)
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
      ...nearestAt(wording.nearest, stretch),
    }
  )
}

function nearestAt(
  wording: NearWording | undefined,
  stretch: PreparedStretch,
): { readonly nearest?: NearestWording } {
  const place = wording && placeIn(stretch, wording)
  if (wording === undefined || !place?.isOwn) return {}
  const { original, differences } = wording
  return { nearest: { ref: spanRef(place.first.ref, place.last.ref), original, differences } }
}

function findingOf(located: FoundWording | NearWording, stretch: PreparedStretch): NearestMatch | undefined {
  const place = placeIn(stretch, located)
  if (place === undefined || !place.isOwn) return undefined
  const { result, similarity, pieces, differences } = located
  if (pieces.length > 1 && !isOneText(place.first.ref, place.last.ref)) return undefined
  const oneText = place.first === place.last
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
      ...('omitted' in located && pieces.length > 1 && { omitted_words: located.omitted }),
    },
  }
}

/** By how much close wording elsewhere must be nearer than at the named place, from 0 to 1. */
const muchNearer = 0.1

/** Whether words are found only in close wording, and one of the places that were named has them nearly as close. */
export function isNoNearer(
  { result, similarity }: NearestMatch,
  named: readonly { readonly found: NearestMatch | undefined }[],
): boolean {
  return result === 'fuzzy' && named.some(({ found }) => (found?.similarity ?? 0) > similarity - muchNearer)
}

/** Whether the finding is another version of the same passages. */
export function standsIn({ place }: NearestMatch, stretches: readonly Stretch[]): boolean {
  const refs = new Set(stretches.flatMap(ownPassages).map(({ ref }) => ref))
  return refs.has(place.first.ref) || refs.has(place.last.ref)
}
