import type { OfferedSource } from '../../agent/tools.ts'
import { inSlices, Slices } from '../slices.ts'
import { attribute, attributeToNearest, findMarks } from './anchors.ts'
import { Checker, type FindVerbatim, longestPart, type Passage, type QuoteCheck } from './checker.ts'
import { locateVerbatim, prepareText } from './locate.ts'
import { findPlainRefs, type RefCheck, type RefLookup, resolvePlainRefs } from './plain-refs.ts'
import { findQuotations, type Quotation } from './quotes.ts'

export type { RefCheck, RefLookup } from './plain-refs.ts'

/** A check of one quotation; `ref` is what it was compared with, absent if the text attributes it to nothing. */
export type VerifiedQuote = QuoteCheck & { readonly ref?: string }

/** The reply of `POST /v1/sources/verify`. */
export type Verification = {
  readonly object: 'source.verification'
  readonly quotes: readonly VerifiedQuote[]
  readonly refs: readonly RefCheck[]
  /** Quotations that were left out because the text has more than 500, or because the time was over. */
  readonly unchecked: number
}

/** Each may cost a look-up of some milliseconds. */
const mostQuotations = 500

/** Everything that verifying asks of the library. */
export type VerifyLookups = {
  readonly findVerbatim: FindVerbatim
  readonly resolveRef: RefLookup
  /** All versions of an existing ref. */
  readonly passages: (ref: string) => Promise<readonly Passage[]>
}

/**
 * Checks any text against the library: the refs it names and every quotation of 12 letters or more. A quotation
 * belongs to its mark, if `offered` knows that; else to the nearest ref in its paragraph; else to any of `refs`. One
 * that belongs to nothing is looked for in the whole library: `verbatim` with `found_ref`, or `not_found`.
 *
 * @param options.offered passages that marks such as `[S1]` in the text stand for.
 * @param options.refs refs to check besides those in the text.
 * @param options.enough asked before each quotation: true leaves it and all after it unchecked.
 * @throws what the look-ups throw.
 */
export async function verifyText(
  text: string,
  options: VerifyLookups & {
    readonly offered?: readonly OfferedSource[]
    readonly refs?: readonly string[]
    readonly enough?: () => boolean
  },
): Promise<Verification> {
  const byMark = new Map((options.offered ?? []).map((source) => [source.mark, source]))
  const marks = await inSlices(findMarks(text, (mark) => byMark.has(mark)))
  const inText = await resolvePlainRefs(findPlainRefs(text), options.resolveRef)
  const asked = await Promise.all((options.refs ?? []).map((ref) => checkRef(ref, options.resolveRef)))
  const found = await inSlices(findQuotations(text, marks))
  const marked = attribute(text, found, marks)
  const near = attributeToNearest(
    text,
    found,
    inText.map(({ anchor }) => anchor),
  )
  const readVersions = remembering(options.passages)
  const checker = new Checker(options.offered ?? [], options.findVerbatim)
  const existing = [...inText.map(({ check }) => check), ...asked].filter((check) => check.exists)
  const isExisting = new Set(existing.map((check) => check.ref))

  async function passagesFor(i: number): Promise<readonly Passage[]> {
    const offered = (marked[i]?.keys ?? []).flatMap((mark) => byMark.get(mark) ?? [])
    if (offered.length > 0) return offered
    const refs = near[i]?.keys ?? asked.map((check) => check.ref)
    return (await Promise.all(refs.filter((ref) => isExisting.has(ref)).map(readVersions))).flat()
  }

  const slices = new Slices()
  const quotes: VerifiedQuote[] = []
  let checked = 0
  for (const [i, quotation] of found.quotations.slice(0, mostQuotations).entries()) {
    if (options.enough?.()) break
    await slices.pause()
    checked += 1
    const passages = await passagesFor(i)
    const judged = passages.length > 0 ? await checker.check(quotation, passages) : undefined
    if (judged) quotes.push({ ...judged.check, ref: judged.passage.ref })
    else if (passages.length === 0)
      quotes.push(await checkAnywhere(quotation, near[i]?.keys[0], options.findVerbatim))
  }
  return {
    object: 'source.verification',
    quotes,
    refs: distinct([...inText.map(({ check }) => check), ...asked]),
    unchecked: found.quotations.length - checked,
  }
}

/** For a quotation without a passage to compare with; `missing` is the ref it was given, which does not exist. */
async function checkAnywhere(
  { text, prepared }: Quotation,
  missing: string | undefined,
  findVerbatim: FindVerbatim,
): Promise<VerifiedQuote> {
  const found = await findVerbatim(longestPart(prepared))
  const place = found?.text === undefined ? undefined : locateVerbatim(prepared, prepareText(found.text))
  const ref = missing === undefined ? {} : { ref: missing }
  if (found === undefined || (prepared.parts.length > 1 && place === undefined)) {
    return { quote: text, result: 'not_found', ...ref }
  }
  const result = missing === undefined ? 'verbatim' : 'misattributed'
  return { quote: text, ...place, result, found_ref: found.ref, ...ref }
}

async function checkRef(ref: string, resolve: RefLookup): Promise<RefCheck> {
  const { exists, nearest } = await resolve(ref, true)
  return { ref, exists, nearest: exists ? null : (nearest[0] ?? null) }
}

function distinct(checks: readonly RefCheck[]): readonly RefCheck[] {
  return [...new Map(checks.map((check) => [check.ref, check])).values()]
}

function remembering(read: VerifyLookups['passages']): VerifyLookups['passages'] {
  const kept = new Map<string, ReturnType<typeof read>>()
  return (ref) => {
    const reading = kept.get(ref) ?? read(ref)
    kept.set(ref, reading)
    return reading
  }
}
