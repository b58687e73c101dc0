import type { OfferedSource } from '../../../agent/tools.ts'
import type { WorkInText } from '../../refs/in-text/works-in-text.ts'
import { runInTimeSlices } from '../../text/time-slices.ts'
import type { Attribution as Claims } from '../comparison/checker.ts'
import type { NamedPlace } from '../comparison/stretch.ts'
import { type Anchor, findQuotations, type NoQuotation, type Quotation } from '../quotations/quotes.ts'
import { withUsualMarks } from '../quotations/usual-marks.ts'
import { attributeQuotations, findMarks } from './anchors.ts'
import { claimedWork } from './claimed-works.ts'
import { edgeRefs } from './edge-refs.ts'
import { lookUpRefs, type NamedRef, type VerifyLookups } from './named-refs.ts'
import { pairWithRefs } from './pairing.ts'

/** A text without any of these characters contains no quotation. Then only refs with numbers are looked up. */
const mayQuote = /["'“”„«»‘’‹›״׳<>*_]|^[ \t]{0,3}:[ \t]/mu

/** Whether a text has any character that begins a quotation. */
export function mayHaveQuotations(text: string): boolean {
  return mayQuote.test(withUsualMarks(text))
}

/** Where a text says that a quotation comes from, with its marks resolved to sources. */
export type Attribution = Claims & { readonly marked: readonly OfferedSource[] }

const toNothing: Attribution = { marked: [], named: [], hinted: [] }

/** The quotations and refs of a text, and which belong together. */
export type ReadText = {
  readonly quotations: readonly Quotation[]
  readonly others: readonly NoQuotation[]
  /** Refs found in the text, followed by the requested refs. */
  readonly refs: readonly NamedRef[]
  /** @param i index of the quotation. */
  readonly attributionOf: (i: number) => Promise<Attribution>
}

/**
 * Finds the quotations, marks and refs of a text.
 * @throws errors of the look-ups.
 */
export async function readAttributions(
  text: string,
  lookups: VerifyLookups | undefined,
  options: { readonly offered?: readonly OfferedSource[]; readonly refs?: readonly string[] },
): Promise<ReadText> {
  const usual = withUsualMarks(text)
  const numbersOnly = !mayQuote.test(usual)
  const inText = (await lookups?.refsIn(usual, { numbersOnly })) ?? []
  const asked = await lookUpRefs(options.refs ?? [], lookups?.resolveRef)
  const refs = [...inText, ...asked]
  if (numbersOnly) return { quotations: [], others: [], refs, attributionOf: async () => toNothing }
  const byMark = new Map((options.offered ?? []).map((source) => [source.mark, source]))
  const marks = await runInTimeSlices(findMarks(text, (mark) => byMark.has(mark)))
  const anchors = inText.map(({ start, end }, i) => ({ start, end, keys: [String(i)] }))
  const passages = (options.offered ?? []).map((source) => source.text)
  const edges = edgeRefs(usual, anchors, marks, passages)
  const found = await runInTimeSlices(findQuotations(text, marks, edges, anchors))
  const marked = attributeQuotations(usual, found, marks)
  const named = pairWithRefs(usual, found, anchors)
  const placeOf = placesOf(inText, lookups)
  const isPlaced = ({ keys }: Anchor): boolean => inText[Number(keys[0])]?.outcome !== 'unplaced'
  const isOpen = found.quotations.some((_, i) => !marked[i] && !named[i]?.named.some(isPlaced))
  const works = isOpen && asked.length === 0 ? ((await lookups?.worksIn(usual)) ?? []) : []
  const places = (of: readonly Anchor[] = []): Promise<readonly NamedPlace[]> =>
    Promise.all(of.flatMap(({ keys }) => keys.map((key) => placeOf(inText[Number(key)]))))
  return {
    quotations: found.quotations,
    others: found.others,
    refs,
    async attributionOf(i) {
      const own = (marked[i]?.keys ?? []).flatMap((mark) => byMark.get(mark) ?? [])
      const inSentence = await places(named[i]?.named.filter(isPlaced))
      const isBare = own.length === 0 && inSentence.length === 0
      const claimed = isBare && asked.length > 0 ? await Promise.all(asked.map(placeOf)) : inSentence
      const quotation = found.quotations[i]
      const hasPlace = own.length > 0 || claimed.length > 0 || quotation === undefined
      const unplaced = named[i]?.named.find((ref) => !isPlaced(ref))
      const work = hasPlace ? undefined : (workOf(unplaced, works) ?? claimedWork(usual, quotation, works))
      const hinted = await places(named[i]?.hinted.filter(isPlaced))
      return { marked: own, named: claimed, hinted, ...(work && { work }) }
    },
  }
}

/** The work of a ref whose place is not known: the words must stand in it. */
function workOf(ref: Anchor | undefined, works: readonly WorkInText[]): WorkInText | undefined {
  return ref && works.find(({ start, end }) => ref.start <= start && end <= ref.end)
}

/** Caches the passages of each ref, so that each ref is read once. */
function placesOf(
  refs: readonly NamedRef[],
  lookups: VerifyLookups | undefined,
): (ref: NamedRef | undefined) => Promise<NamedPlace> {
  const read = new Map<string, ReturnType<VerifyLookups['stretches']>>()
  const stretchesOf = (ref: string) => {
    const reading = read.get(ref) ?? lookups?.stretches(ref) ?? Promise.resolve([])
    read.set(ref, reading)
    return reading
  }
  return async (named = refs[0]) => {
    if (named === undefined) return { ref: '', stretches: [] }
    const ref = named.ref ?? named.asked
    const refsMeant = named.outcome === 'ambiguous' ? named.nearest : named.ref === null ? [] : [ref]
    return { ref, stretches: (await Promise.all(refsMeant.map(stretchesOf))).flat() }
  }
}
