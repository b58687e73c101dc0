import type { OfferedSource } from '../../../agent/tools.ts'
import type { WorkInText } from '../../refs/in-text/works-in-text.ts'
import type { Attribution as Claims, NamedPlace } from '../comparison/stretch.ts'
import type { Doc } from '../quotations/doc.ts'
import { type Anchor, findQuotations, type NoQuotation, type Quotation } from '../quotations/quotes.ts'
import { attributeQuotations, findMarks } from './anchors.ts'
import { claimedWork } from './claimed-works.ts'
import { edgeRefs } from './edge-refs.ts'
import { lookUpRefs, type NamedRef, type VerifyLookups } from './named-refs.ts'
import { pairWithRefs } from './pairing.ts'

/** Where a text says that a quotation comes from, with its marks resolved to sources. */
export type Attribution = Claims & { readonly marked: readonly OfferedSource[] }

/** Maximum number of quotations of a text that are checked: each may cost a query of some milliseconds. */
export const maxQuotations = 500

/** The quotations and refs of a text, and which belong together. */
export type ReadText = {
  readonly quotations: readonly Quotation[]
  readonly others: readonly NoQuotation[]
  /** Refs found in the text, followed by the requested refs. */
  readonly refs: readonly NamedRef[]
  /** Of the first 500 quotations. */
  readonly attributions: readonly Attribution[]
}

/**
 * Finds the quotations, marks and refs of a text.
 * @throws errors of the look-ups.
 */
export async function readAttributions(
  doc: Doc,
  lookups: VerifyLookups | undefined,
  options: { readonly offered?: readonly OfferedSource[]; readonly refs?: readonly string[] },
): Promise<ReadText> {
  const { text, usual } = doc
  const numbersOnly = !doc.mayQuote
  const inText = (await lookups?.refsIn(usual, { numbersOnly })) ?? []
  const asked = await lookUpRefs(options.refs ?? [], lookups?.resolveRef)
  const refs = [...inText, ...asked]
  if (numbersOnly) return { quotations: [], others: [], refs, attributions: [] }
  const byMark = new Map((options.offered ?? []).map((source) => [source.mark, source]))
  const marks = findMarks(text, (mark) => byMark.has(mark))
  const anchors = inText.map(({ start, end }, i) => ({ start, end, keys: [String(i)] }))
  const passages = (options.offered ?? []).map((source) => source.text)
  const edges = edgeRefs(doc, anchors, marks, passages)
  const found = findQuotations(doc, marks, edges, anchors)
  const marked = attributeQuotations(usual, found, marks)
  const named = pairWithRefs(usual, found, anchors)
  const placeOf = placesOf(inText, lookups)
  const isPlaced = ({ keys }: Anchor): boolean => {
    const ref = inText[Number(keys[0])]
    return ref?.outcome !== 'unplaced' || ref.place !== undefined
  }
  const isOpen = found.quotations.some((_, i) => !marked[i] && !named[i]?.named.some(isPlaced))
  const works = isOpen && asked.length === 0 ? ((await lookups?.worksIn(usual)) ?? []) : []
  const places = (of: readonly Anchor[] = []): Promise<readonly NamedPlace[]> =>
    Promise.all(of.flatMap(({ keys }) => keys.map((key) => placeOf(inText[Number(key)]))))
  const attributionOf = async (quotation: Quotation, i: number): Promise<Attribution> => {
    const own = (marked[i]?.keys ?? []).flatMap((mark) => byMark.get(mark) ?? [])
    const [inSentence, hinted] = await Promise.all([
      places(named[i]?.named.filter(isPlaced)),
      places(named[i]?.hinted.filter(isPlaced)),
    ])
    const isBare = own.length === 0 && inSentence.length === 0
    const claimed = isBare && asked.length > 0 ? await Promise.all(asked.map(placeOf)) : inSentence
    const hasPlace = own.length > 0 || claimed.length > 0
    const unplaced = named[i]?.named.find((ref) => !isPlaced(ref))
    const work = hasPlace ? undefined : (workOf(unplaced, works) ?? claimedWork(usual, quotation, works))
    return { marked: own, named: claimed, hinted, ...(work && { work }) }
  }
  const attributions = await Promise.all(found.quotations.slice(0, maxQuotations).map(attributionOf))
  return { quotations: found.quotations, others: found.others, refs, attributions }
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
  const stretchesOf = (ref: string, place?: NamedRef['place']) => {
    const reading = read.get(ref) ?? lookups?.stretches(ref, place) ?? Promise.resolve([])
    read.set(ref, reading)
    return reading
  }
  return async (named = refs[0]) => {
    if (named === undefined) return { ref: '', stretches: [] }
    // A page that cannot be placed is in a chapter that can.
    const found = named.ref ?? (named.place && named.nearest[0])
    const ref = found ?? named.asked
    const refsMeant = named.outcome === 'ambiguous' ? named.nearest : found === undefined ? [] : [found]
    const place = named.outcome === 'ambiguous' ? undefined : named.place
    return { ref, stretches: (await Promise.all(refsMeant.map((one) => stretchesOf(one, place)))).flat() }
  }
}
