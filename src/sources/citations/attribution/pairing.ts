import { anyOfRole } from '../../refs/grammar/text-words.ts'
import type { Anchor, Quotation, QuotedText } from '../quotations/quotes.ts'
import { containedIn, fillsMarks, nearestTo } from '../quotations/spans.ts'
import { groupByBlock, isSameSentence } from './anchors.ts'
import { besideBlock, isHeading } from './beside-blocks.ts'
import { footnoteRefs } from './footnotes.ts'

/** The refs that a text assigns to a quotation. */
export type NamedRefs = {
  /** Refs in the sentence of the quotation or directly next to it. */
  readonly named: readonly Anchor[]
  /** If `named` is empty: the nearest refs of the paragraph. */
  readonly hinted: readonly Anchor[]
}

type Item = {
  readonly start: number
  readonly end: number
  readonly quotation?: number
  readonly ref?: Anchor
}

/**
 * Assigns refs to quotations. If a sentence has as many refs as quotations, they are paired in order. Otherwise a ref
 * directly after a quotation belongs to it, and other quotations get the nearest ref. A quotation in a paragraph of
 * its own gets the ref of the short line after it, or the last ref of the words that introduce it. Refs of a quotation's
 * footnote belong to it if its sentence names none.
 * @returns the refs, at the index of their quotation.
 */
export function pairWithRefs(
  text: string,
  quoted: QuotedText,
  refs: readonly Anchor[],
): readonly NamedRefs[] {
  const isRef = fillsMarks(refs)
  const isQuoted = containedIn(quoted.quotations.filter((quotation) => !isRef(quotation)))
  const outside = refs.filter((ref) => !isQuoted(ref))
  const byBlock = groupByBlock(quoted.blocks, outside)
  const given = new Map<number, readonly Anchor[]>()
  const words = [...quoted.quotations.entries()].filter(([, quotation]) => !isRef(quotation))
  const inBlocks = Map.groupBy(
    words.map(([i]) => i),
    (i) => quoted.quotations[i]?.block ?? 0,
  )
  for (const [block, indices] of inBlocks) {
    const items = itemsOf(indices, quoted.quotations, byBlock[block] ?? [])
    for (const cluster of clustersOf(text, items)) pairCluster(text, cluster, given)
  }
  const notedFor = footnoteRefs(text, outside)
  return quoted.quotations.map((quotation, i) => {
    const own = given.get(i)
    if (own !== undefined) return { named: own, hinted: [] }
    const inNote = notedFor(quotation)
    if (inNote.length > 0) return { named: inNote, hinted: [] }
    const source = sourceSaid(text, quotation, byBlock[quotation.block] ?? [])
    if (source !== undefined) return { named: [source], hinted: [] }
    const beside = quotation.standsAlone ? besideBlock(text, quotation, quoted, byBlock) : []
    if (beside.length > 0) return { named: beside, hinted: [] }
    return { named: [], hinted: hintsFor(text, quotation, quoted, byBlock) }
  })
}

function itemsOf(
  indices: readonly number[],
  quotations: readonly Quotation[],
  refs: readonly Anchor[],
): readonly Item[] {
  const quotes = indices.map((i) => {
    const { start = 0, end = 0 } = quotations[i] ?? {}
    return { start, end, quotation: i }
  })
  return [...quotes, ...refs.map((ref) => ({ start: ref.start, end: ref.end, ref }))].toSorted(
    (a, b) => a.start - b.start,
  )
}

/** Groups the quotations and refs that are in one sentence. A row of a table that has both is one of its own. */
function clustersOf(text: string, items: readonly Item[]): readonly (readonly Item[])[] {
  const clusters: Item[][] = []
  for (const item of items) {
    const last = clusters.at(-1)?.at(-1)
    const goesOn = last !== undefined && isSameSentence(text, last.end, item.start)
    const row = clusters.at(-1) ?? []
    const endsRow =
      goesOn && last.quotation !== undefined && /\n[ \t]*\|/.test(text.slice(last.end, item.start))
    const isApart = endsRow && row.some(({ ref }) => ref !== undefined)
    if (goesOn && !isApart && !endsSentence(text, last, item)) row.push(item)
    else clusters.push([item])
  }
  return clusters
}

/** What follows a quotation that ends with a point: another sentence, which does not say where the words are from. */
const otherSentence = new RegExp(
  `^["”“»’'*_)]{1,4}\\s+(?!${anyOfRole('continues-quotation')}\\b)\\p{Lu}[\\p{L}’']*[\\s,]`,
  'u',
)

/** Whether a quotation ends its sentence with a point of its own: `“… joy.” In Tanya 26 the same is said.` */
function endsSentence(text: string, { end, quotation }: Item, next: Item): boolean {
  if (quotation === undefined || !/[.!?…]["”’'*_]{0,3}$/.test(text.slice(Math.max(0, end - 5), end)))
    return false
  const between = text.slice(end, next.start)
  return /\p{L}/u.test(between) && otherSentence.test(between) && !saysSource.test(between)
}

function pairCluster(text: string, items: readonly Item[], given: Map<number, readonly Anchor[]>): void {
  const quotes = items.filter((item) => item.quotation !== undefined)
  const refs = items.flatMap((item) => item.ref ?? [])
  if (quotes.length === 0 || refs.length === 0) return
  if (quotes.length === refs.length) {
    for (const [i, { quotation = 0 }] of quotes.entries()) given.set(quotation, refs.slice(i, i + 1))
    return
  }
  const bound = new Map(
    items.flatMap((item, i) => (item.quotation === undefined ? [] : [[item, boundTo(text, items, i)]])),
  )
  const taken = new Set([...bound.values()].flat())
  const free = refs.filter((ref) => !taken.has(ref))
  for (const quote of quotes) {
    const own = comparedOnly(text, quote, bound.get(quote) ?? [], free)
    const nearest = nearestTo(quote, free) ?? nearestTo(quote, refs)
    given.set(quote.quotation ?? 0, own.length > 0 ? own : nearest === undefined ? [] : [nearest])
  }
}

/** A sentence behind a quotation that names its source: `“…”. This is from Tanya 26.` */
const saysSource = new RegExp(
  `^["”“»״'’.!?…*_)]{0,5}\\s+(?:\\(?(?:this|that|it|these words|(?:this|that|the) ${anyOfRole('quoted-thing')})(?: ${anyOfRole('stands-in')}){1,4}|${anyOfRole('source-label')}:|${anyOfRole('quoted-thing-he')}(?: ${anyOfRole('stands-in-he')})?|${anyOfRole('source-label-he')}:?)[\\s:*_"“]{0,4}[במ]?$`,
  'iu',
)

/** The ref of the sentence behind a quotation, if that says where the words are from. */
function sourceSaid(text: string, { end }: Quotation, refs: readonly Anchor[]): Anchor | undefined {
  const next = refs.find(({ start }) => start >= end)
  return next && next.start - end < 100 && saysSource.test(text.slice(end, next.start)) ? next : undefined
}

/** `; see also ch. 27` after a quotation outside brackets, if the sentence names the source before the quotation. */
const comparison = new RegExp(
  `^["”“»״'’*_]{0,3}\\s?[,;.]\\s*\\(?(?:but |and )?${anyOfRole('compares-ref')}(?![\\p{L}])`,
  'iu',
)

/** The refs after a quotation. If they are only to be compared, also the one before it: `Tanya 26 says “…”; see also ch. 27`. */
function comparedOnly(
  text: string,
  quote: Item,
  bound: readonly Anchor[],
  free: readonly Anchor[],
): readonly Anchor[] {
  const before = free.filter(({ end }) => end <= quote.start).at(-1)
  if (bound.length === 0 || before === undefined) return bound
  return comparison.test(text.slice(quote.end, quote.end + 24)) ? [before, ...bound] : bound
}

/** Words that lead to a ref and say nothing else: `(see also A; cf. B)`, `(A, quoted in B)`. */
const leading = new RegExp(`(?<![\\p{L}\\p{N}])${anyOfRole('leads-to-ref')}(?![\\p{L}\\p{N}])`, 'giu')

/** Returns the refs after the quotation at `at` that are separated from it only by punctuation and leading words. */
function boundTo(text: string, items: readonly Item[], at: number): readonly Anchor[] {
  const bound: Anchor[] = []
  let end = items[at]?.end ?? 0
  for (let i = at + 1; i < items.length; i += 1) {
    const { start, ref, end: refEnd } = items[i] as Item
    if (ref === undefined || /[\p{L}\p{N}]/u.test(text.slice(end, start).replace(leading, ''))) break
    bound.push(ref)
    end = refEnd
  }
  return bound
}

function hintsFor(
  text: string,
  quotation: Quotation,
  { blocks }: QuotedText,
  byBlock: readonly (readonly Anchor[])[],
): readonly Anchor[] {
  const after = isHeading(text, quotation.block + 1, blocks) ? [] : [1]
  const around = quotation.standsAlone ? [0, -1, ...after] : [0]
  const found = around.flatMap((step) => nearestTo(quotation, byBlock[quotation.block + step] ?? []) ?? [])
  const nearest = nearestTo(
    quotation,
    found.toSorted((a, b) => a.start - b.start),
  )
  return nearest === undefined ? [] : [nearest]
}
