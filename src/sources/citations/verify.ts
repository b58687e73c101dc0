import type { OfferedSource } from '../../agent/tools.ts'
import { TimeSlices } from '../text/time-slices.ts'
import { type Attribution, readAttributions } from './attribution/attribution.ts'
import { type NamedRef, type RefCheck, toRefChecks, type VerifyLookups } from './attribution/named-refs.ts'
import { QuoteChecker } from './comparison/checker.ts'
import type { QuoteCheck } from './comparison/quote-check.ts'
import type { Quotation } from './quotations/quotes.ts'
import { containedIn, fillsMarks } from './quotations/spans.ts'
import { longestTitle, unsourcedWords } from './unsourced-words.ts'

export type { NamedRef, RefCheck, VerifyLookups } from './attribution/named-refs.ts'

/**
 * The check of one quotation. `ref` is the ref it was compared with, a range if it runs over several passages. It is
 * absent if the text attributes the quotation to nothing.
 */
export type VerifiedQuote = QuoteCheck & { readonly ref?: string }

/** The reply of `POST /v1/sources/verify`. */
export type Verification = {
  readonly object: 'source.verification'
  readonly quotes: readonly VerifiedQuote[]
  readonly refs: readonly RefCheck[]
  /** Number of quotations left out because the text has more than 500, or because time ran out. */
  readonly unchecked: number
}

/** Each quotation may cost a query of some milliseconds. */
const maxQuotations = 500

/** The result for one quotation. `marked` is the offered passage that it belongs to. */
export type CheckedQuote = { readonly check: VerifiedQuote; readonly marked?: OfferedSource }

/** The result for a whole text. */
export type CheckedText = {
  readonly quotes: readonly CheckedQuote[]
  readonly refs: readonly NamedRef[]
  /** The `refs` that are not within words quoted from the library. */
  readonly ownRefs: readonly NamedRef[]
  readonly unchecked: number
}

export type CheckOptions = {
  /** The passages of marks such as `[S1]` in the text. */
  readonly offered?: readonly OfferedSource[]
  /** Refs to check besides those in the text. */
  readonly refs?: readonly string[]
  /** Called before each quotation. If it returns true, this quotation and all after it stay unchecked. */
  readonly enough?: () => boolean
  readonly maxLookups?: number
}

/**
 * Checks a text against the library: its refs and every quotation (see `findQuotations`). A quotation belongs to the
 * mark next to it and to the refs of its sentence, otherwise to any of `refs`. One that belongs to nothing is
 * searched in the whole library; the result is `verbatim` or `fuzzy` with `found_ref`, or `not_found`.
 * @throws errors of the look-ups.
 */
export async function verifyText(
  text: string,
  { refsIn, worksIn, resolveRef, isTitle, candidates, stretches, ...options }: VerifyLookups & CheckOptions,
): Promise<Verification> {
  const lookups = { refsIn, worksIn, resolveRef, isTitle, candidates, stretches }
  const checked = await checkText(text, lookups, { maxLookups: maxQuotations, ...options })
  return {
    object: 'source.verification',
    quotes: checked.quotes.map(({ check }) => check),
    refs: toRefChecks(checked.refs),
    unchecked: checked.unchecked,
  }
}

/** Does the work of `verifyText`, also for answers. Without look-ups it only compares the passages of marks. */
export async function checkText(
  text: string,
  lookups: VerifyLookups | undefined,
  options: CheckOptions,
): Promise<CheckedText> {
  const read = await readAttributions(text, lookups, options)
  const checker = new QuoteChecker(options.offered ?? [], lookups, options.maxLookups)
  const slices = new TimeSlices()
  const quotes: CheckedQuote[] = []
  const confirmed: Quotation[] = []
  // Words in quotation marks that are only a ref, even of no existing place.
  const isRef = fillsMarks(read.refs.filter(({ written }) => written !== ''))
  const isUnsourced = unsourcedWords(text)
  let checked = 0
  for (const [i, quotation] of read.quotations.slice(0, maxQuotations).entries()) {
    if (options.enough?.()) break
    await slices.pause()
    checked += 1
    if (isRef(quotation)) continue
    const quote = await checkQuote(quotation, await read.attributionOf(i), checker, lookups)
    if (quote === undefined || isUnsourced({ ...quotation, words: quotation.prepared.words }, quote.check))
      continue
    quotes.push(quote)
    if (quote.check.result === 'verbatim' || quote.check.result === 'fuzzy') confirmed.push(quotation)
  }
  const isConfirmed = containedIn(confirmed)
  const ownRefs = read.refs.filter((ref) => !isConfirmed(ref))
  return { quotes, refs: read.refs, ownRefs, unchecked: read.quotations.length - checked }
}

/** @returns undefined for a title in quotation marks. */
async function checkQuote(
  quotation: Quotation,
  attribution: Attribution,
  checker: QuoteChecker,
  lookups: VerifyLookups | undefined,
): Promise<CheckedQuote | undefined> {
  const judged = await checker.check(quotation, attribution)
  if (judged === undefined) return undefined
  const mayBeTitle = judged.check.result === 'not_found' && quotation.prepared.words <= longestTitle
  if (mayBeTitle && (await lookups?.isTitle(quotation.text))) return undefined
  const check = { ...judged.check, ...(judged.ref !== undefined && { ref: judged.ref }) }
  const marked = attribution.marked.find((source: OfferedSource) => source === judged.passage)
  return marked === undefined ? { check } : { check, marked }
}
