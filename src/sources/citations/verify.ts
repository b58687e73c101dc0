import type { OfferedSource } from '../../agent/tools.ts'
import { explainRef } from '../refs/grammar/ref-trace.ts'
import { type Attribution, maxQuotations, readAttributions } from './attribution/attribution.ts'
import { type NamedRef, type RefCheck, toRefChecks, type VerifyLookups } from './attribution/named-refs.ts'
import { QuoteChecker } from './comparison/checker.ts'
import type { Explanation } from './comparison/explanation.ts'
import type { QuoteCheck, QuoteResult } from './comparison/quote-check.ts'
import { areInOtherScript } from './comparison/stretch.ts'
import { Doc } from './quotations/doc.ts'
import type { NoQuotation, Quotation } from './quotations/quotes.ts'
import { containedIn, fillsMarks, type Span } from './quotations/spans.ts'
import { longestTitle, type Unsourced, unsourcedWords } from './unsourced-words.ts'

export type { NamedRef, RefCheck, VerifyLookups } from './attribution/named-refs.ts'

/**
 * The check of one quotation. `ref` is the ref it was compared with, a range if it runs over several passages. It is
 * absent if the text attributes the quotation to nothing.
 */
export type VerifiedQuote = QuoteCheck & { readonly ref?: string }

/** Why words in quotation marks, in italics or in a `>` block were not compared. */
export type Unchecked = {
  readonly text: string
  /** In UTF-16 units; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly reason: NoQuotation['reason'] | Unsourced | 'ref' | 'name_of_source' | 'limit'
}

/** A quotation with the rule and the comparisons behind its verdict. */
export type ExplainedQuote = VerifiedQuote & { readonly explanation?: Explanation }

/** A ref with how it was read, token by token. */
export type ExplainedRef = RefCheck & { readonly reading?: ReturnType<typeof readingOf> }

/** The reply of `POST /v1/sources/verify`. */
export type Verification = {
  readonly object: 'source.verification'
  readonly quotes: readonly ExplainedQuote[]
  readonly refs: readonly ExplainedRef[]
  /** Words that look like quotations and were not compared. Only with `explain`. */
  readonly not_compared?: readonly Unchecked[]
  /** Number of quotations left out because the text has more than 500, or because time ran out. */
  readonly unchecked: number
}

/** The result for one quotation. `marked` is the offered passage that it belongs to. */
export type CheckedQuote = {
  readonly check: VerifiedQuote
  readonly explanation: Explanation
  readonly marked?: OfferedSource
}

/** The result for a whole text. */
export type CheckedText = {
  readonly quotes: readonly CheckedQuote[]
  readonly refs: readonly NamedRef[]
  /** The `refs` that are not within words quoted from the library. */
  readonly ownRefs: readonly NamedRef[]
  readonly notCompared: readonly Unchecked[]
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
 * searched in the whole library; the result is `verbatim`, `edited` or `fuzzy` with `found_ref`, or `not_found`.
 * @param options.explain adds to each quotation why it has its verdict, and what was not compared.
 * @throws errors of the look-ups.
 */
export async function verifyText(
  text: string,
  { explain = false, ...options }: VerifyLookups & CheckOptions & { readonly explain?: boolean },
): Promise<Verification> {
  const checked = await checkText(text, options, { maxLookups: maxQuotations, ...options })
  return {
    object: 'source.verification',
    quotes: checked.quotes.map(({ check, explanation }) => (explain ? { ...check, explanation } : check)),
    refs: toRefChecks(checked.refs).map((check) =>
      explain ? { ...check, reading: readingOf(check) } : check,
    ),
    ...(explain && { not_compared: checked.notCompared }),
    unchecked: checked.unchecked,
  }
}

function readingOf({ ref, text }: RefCheck) {
  const { normalised, tokens, readings, isPage } = explainRef(text ?? ref)
  return { normalised, tokens, looked_up: readings, is_page: isPage }
}

/** Does the work of `verifyText`, also for answers. Without look-ups it only compares the passages of marks. */
export async function checkText(
  text: string,
  lookups: VerifyLookups | undefined,
  options: CheckOptions,
): Promise<CheckedText> {
  const read = await readAttributions(new Doc(text), lookups, options)
  const checker = new QuoteChecker(options.offered ?? [], lookups, options.maxLookups)
  const compared: Judged[] = []
  const notCompared: Unchecked[] = read.others.map((other) => uncheckedAt(text, other, other.reason))
  // Words in quotation marks that are only a ref, even of no existing place.
  const isRef = fillsMarks(read.refs.filter(({ written }) => written !== ''))
  const isUnsourced = unsourcedWords(text)
  let checked = 0
  for (const [i, quotation] of read.quotations.slice(0, maxQuotations).entries()) {
    if (options.enough?.()) break
    checked += 1
    const skip = (reason: Unchecked['reason']) => notCompared.push(uncheckedAt(text, quotation, reason))
    if (isRef(quotation)) {
      skip('ref')
      continue
    }
    const attribution = read.attributions[i] ?? { marked: [], named: [], hinted: [] }
    const quote = await checkQuote(quotation, attribution, checker)
    if (quote === undefined) skip('name_of_source')
    else compared.push({ ...quote, quotation })
  }
  // All titles are looked up together.
  const titles = await Promise.all(
    compared.map((one) => mayBeTitle(one) && lookups?.isTitle(one.quotation.text)),
  )
  const judged = compared.filter(({ check, quotation }, i) => {
    const words = quotation.prepared.words
    const why = titles[i] ? 'title' : isUnsourced({ ...quotation, words }, check)
    if (why !== undefined) notCompared.push(uncheckedAt(text, quotation, why))
    return why === undefined
  })
  for (const left of read.quotations.slice(checked)) notCompared.push(uncheckedAt(text, left, 'limit'))
  const isConfirmed = containedIn(
    judged.filter(({ check }) => isConfirming(check.result)).map(({ quotation }) => quotation),
  )
  const quotes = await withTranslations(judged, lookups)
  const ownRefs = read.refs.filter((ref) => !isConfirmed(ref))
  const unchecked = read.quotations.length - checked
  return { quotes, refs: read.refs, ownRefs, notCompared, unchecked }
}

function uncheckedAt(text: string, { start, end }: Span, reason: Unchecked['reason']): Unchecked {
  return { text: text.slice(start, end), start, end, reason }
}

type Judged = CheckedQuote & { readonly quotation: Quotation }

/** Maximum distance of a translation from its original, in UTF-16 units. */
const farthestOriginal = 120

/** Calls words that were found nowhere a translation if they stand beside their original, and the library has only that. */
function withTranslations(
  judged: readonly Judged[],
  lookups: VerifyLookups | undefined,
): Promise<readonly CheckedQuote[]> {
  return Promise.all(
    judged.map(async ({ quotation, ...quote }, i) => {
      const beside = [judged[i - 1], judged[i + 1]]
      const original = beside.find((one) => one !== undefined && isBeside(one, { quotation, ...quote }))
      const ref = original?.check.ref ?? original?.check.found_ref
      const versions = ref === undefined ? [] : await lookups?.stretches(ref)
      if (!areInOtherScript(quotation.text, versions ?? [])) return quote
      const { similarity: _, ...own } = quote.check
      const check = { ...own, result: 'translation' as const, ...(ref !== undefined && { ref }) }
      return { ...quote, check, explanation: { ...quote.explanation, rule: 'beside_its_original' as const } }
    }),
  )
}

/** Whether a confirmed quotation stands beside words that were found nowhere and are attributed to no other place. */
function isBeside({ check, quotation }: Judged, { check: other, quotation: words }: Judged): boolean {
  if (other.result !== 'not_found' || !isConfirming(check.result)) return false
  const place = check.ref ?? check.found_ref ?? ''
  const distance = Math.max(words.start - quotation.end, quotation.start - words.end)
  return distance <= farthestOriginal && (other.ref === undefined || place.startsWith(other.ref))
}

/** Whether a result says that the library has the words. */
function isConfirming(result: QuoteResult): boolean {
  return result === 'verbatim' || result === 'edited' || result === 'fuzzy'
}

/** Compares a quotation; undefined if the words are the name of a source. */
async function checkQuote(
  quotation: Quotation,
  attribution: Attribution,
  checker: QuoteChecker,
): Promise<CheckedQuote | undefined> {
  const judged = await checker.check(quotation, attribution)
  if (judged === undefined) return undefined
  const check = { ...judged.check, ...(judged.ref !== undefined && { ref: judged.ref }) }
  const marked = attribution.marked.find((source: OfferedSource) => source === judged.passage)
  return { check, explanation: judged.explanation, ...(marked && { marked }) }
}

/** Whether words that were found nowhere are short enough for a title. */
function mayBeTitle({ check, quotation }: Judged): boolean {
  return check.result === 'not_found' && quotation.prepared.words <= longestTitle
}
