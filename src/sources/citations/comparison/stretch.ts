import type { OfferedSource } from '../../../agent/tools.ts'
import { fold } from '../../text/fold.ts'
import { mainScript } from '../quotations/blocks.ts'
import { type PreparedText, prepareText, prepareWithoutBrackets } from '../quotations/prepare.ts'
import type { Quotation } from '../quotations/quotes.ts'
import type { Span } from '../quotations/spans.ts'

/** The passage that a quotation is compared with. */
export type ComparedPassage = Pick<OfferedSource, 'ref' | 'text'> & Partial<OfferedSource>

/** Whether the words in quotation marks are the name, or part of the name, of one of these passages. */
export function isNameOf(quotation: Quotation, passages: readonly ComparedPassage[]): boolean {
  const words = ` ${quotation.prepared.folded} `
  return passages.some(({ ref, heRef, title, work }) =>
    [ref, heRef, title, work].some((name) => ` ${fold(name ?? '').folded} `.includes(words)),
  )
}

/** Consecutive passages of one version, compared as one text. With neighbours, a quotation may cross the borders of the cited ones. */
export type Stretch = {
  readonly passages: readonly ComparedPassage[]
  /** Index of the first and last cited passage. Default: all passages are cited. */
  readonly own?: { readonly first: number; readonly last: number }
}

/** A ref that the text names for a quotation. A ref that does not exist has no stretches. */
export type NamedPlace = { readonly ref: string; readonly stretches: readonly Stretch[] }

/** A work that the text names for a quotation, without a place in it. */
export type ClaimedWork = {
  readonly written: string
  /** Titles of the works of the library that it means. Empty if the library does not hold the work. */
  readonly held: readonly string[]
  /** If it names parts of a work: their headings. Empty for a whole work. */
  readonly parts: readonly string[]
  /** All its names, see `headingKey`. */
  readonly names: readonly string[]
}

/** Where a text says that a quotation comes from. */
export type Attribution = {
  /** The passages of the marks next to the quotation. */
  readonly marked: readonly ComparedPassage[]
  /** The refs that its sentence names. One of them must contain the quotation. */
  readonly named: readonly NamedPlace[]
  /** Refs elsewhere in the paragraph. They are searched first, but the quotation may stand elsewhere. */
  readonly hinted: readonly NamedPlace[]
  /** Only if there is neither a mark nor a ref. */
  readonly work?: ClaimedWork
}

/** Consecutive passages of a work, by their numbers. */
type Place = { readonly workId: number; readonly first: number; readonly last: number }

/** The queries that checking quotations sends to the library. */
export type QuoteLookups = {
  /** Finds stretches that may contain a wording, exactly or closely, best first. */
  readonly candidates: (words: string) => Promise<readonly Stretch[]>
  /**
   * Reads all versions of an existing ref, each with one more passage on either side.
   * @param place where the ref is, if that is known.
   */
  readonly stretches: (ref: string, place?: Place) => Promise<readonly Stretch[]>
}

/** Returns the cited passages of a stretch, without neighbours. */
export function ownPassages({ passages, own }: Stretch): readonly ComparedPassage[] {
  return own === undefined ? passages : passages.slice(own.first, own.last + 1)
}

/** Whether the passages that are meant are all in the other script than the quotation. */
export function areInOtherScript(quote: string, stretches: readonly Stretch[]): boolean {
  const script = mainScript(quote)
  const texts = stretches.flatMap(ownPassages)
  if (script === undefined || texts.length === 0) return false
  return texts.every(({ text }) => ![script, undefined].includes(mainScript(text)))
}

/** A stretch prepared for comparison: its passages joined by line breaks. */
export type PreparedStretch = {
  readonly stretch: Stretch
  readonly whole: PreparedText
  /** The text without brackets and parentheses, computed on first use. */
  readonly bare: () => PreparedText | undefined
  /** Range of each passage in the joined text, in UTF-16 units. */
  readonly places: readonly Span[]
}

export function prepareStretch(stretch: Stretch): PreparedStretch {
  const places: Span[] = []
  let end = -1
  for (const { text } of stretch.passages) {
    const start = end + 1
    end = start + text.length
    places.push({ start, end })
  }
  const text = stretch.passages.map((passage) => passage.text).join('\n')
  let bare: { readonly made: PreparedText | undefined } | undefined
  return {
    stretch,
    places,
    whole: prepareText(text),
    bare: () => {
      bare ??= { made: prepareWithoutBrackets(text) }
      return bare.made
    },
  }
}

/** The passages that a range of a stretch lies in. `start` is an offset in the first of them, `end` in the last. */
export type PlaceInStretch = Span & {
  readonly first: ComparedPassage
  readonly last: ComparedPassage
  readonly isOwn: boolean
}

export function placeIn({ stretch, places }: PreparedStretch, span: Span): PlaceInStretch | undefined {
  const from = places.findLastIndex(({ start }) => start <= span.start)
  const to = places.findLastIndex(({ start }) => start < Math.max(span.end, span.start + 1))
  const [first, last] = [stretch.passages[from], stretch.passages[to]]
  if (first === undefined || last === undefined) return undefined
  const own = stretch.own ?? { first: 0, last: stretch.passages.length - 1 }
  return {
    first,
    last,
    isOwn: from <= own.last && to >= own.first,
    start: span.start - (places[from]?.start ?? 0),
    end: span.end - (places[to]?.start ?? 0),
  }
}

const numbered = /^(.*?)([ :.§]*)(\d+[a-d]?)$/

/** Whether a quotation with an ellipsis may run from one ref to the other: in one work, not from entry to entry. */
export function isOneText(first: string, last: string): boolean {
  return first === last || joinedRef(first, last) !== undefined
}

/** Joins two refs to a range: `Title 3:4-5`, `Title 1 §2-3`. Refs with too little in common stay two refs. */
export function spanRef(first: string, last: string): string {
  return first === last ? first : (joinedRef(first, last) ?? `${first} - ${last}`)
}

function joinedRef(first: string, last: string): string | undefined {
  const [a, b] = [numbered.exec(first), numbered.exec(last)]
  if (a !== null && b !== null && a[1] === b[1] && a[2] === b[2]) return `${first}-${b[3]}`
  const title = /^(.*) (\d[\d:.a-d]*(?: §\d+)?)$/
  const [c, d] = [title.exec(first), title.exec(last)]
  if (c !== null && d !== null && c[1] === d[1]) return `${first}-${d[2]}`
  return undefined
}
