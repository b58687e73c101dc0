import { type AddressRun, addressAt, innerUnitOf, signBefore } from '../grammar/addresses.ts'
import { mayEndClause } from '../grammar/hebrew-refs.ts'
import { formatRef, headingOf, parseRef, sectionOf } from '../grammar/refs.ts'
import { bare, gapBefore } from '../grammar/text-words.ts'
import { innerUnit, isUnitOf } from '../grammar/units.ts'
import type { Resolution } from '../ref-lookup.ts'
import { endsClause, standsApart } from './number-context.ts'
import type { Placed, ReadText, Site } from './titled-text.ts'
import {
  continuesAt,
  hasOtherTitle,
  links,
  maxLinks,
  type Read,
  titlesBehind,
  titlesFrom,
} from './titles-around.ts'

/** A number that names a place within another ref of the text: `paragraph 3`, `פסקה ג`. */
export type ShortRef = {
  /** Range in UTF-16 units; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** The number with its unit. */
  readonly written: string
  /** See `innerUnit`. */
  readonly unit: string
  /** Offset of the ref that follows it: `paragraph 3 of Tanya 32`. If absent, it belongs to the ref before it. */
  readonly outer?: number
  /** Whether the text says to which ref it belongs. Otherwise it is missing only if that ref has the same unit. */
  readonly isSure: boolean
  /** Whether it takes the place of the last number of the ref before it: `(Psalms 23:2) (ibid., 4)`. */
  readonly isBeside?: boolean
}

/** A ref of the text that a short one can belong to. */
type Outer = {
  readonly start: number
  readonly end: number
  readonly resolution?: Pick<Resolution, 'found'>
}

/** Maximum distance of a short ref from the ref before it, in UTF-16 units. */
const longestDistance = 1000

/** Maximum number of short refs that are looked up. */
const maxShort = 400

/** In the form of heading keys, with medial letters. */
export const sameWords = new Set(['ibid', 'שמ'])

/** The number after `ibid.` or `שם`. */
export function runAfterSame({ text, words }: ReadText, at: number): AddressRun | undefined {
  return /^[.,;:\s]{1,4}$/.test(gapBefore(text, words, at + 1)) ? addressAt(text, words, at + 1) : undefined
}

/**
 * Parses a short ref: `paragraph 3`, `ibid., paragraph 3`, `paragraph 3 of Tanya 32`. Returns the index of the next
 * word too. Undefined if the number is none below a chapter, or belongs to a title.
 * @param at the word with which it begins.
 * @param run its number.
 * @param last the ref before it.
 */
export function shortRefAt(
  read: Read,
  at: number,
  run: AddressRun,
  last: Placed | undefined,
): { readonly ref: ShortRef; readonly to: number } | undefined {
  const unit = innerUnitOf(read, run)
  if (unit === undefined) return undefined
  const to = run.ends.at(-1) ?? run.from + 1
  const outer = run.from === at ? refBehind(read, to) : undefined
  const isSure = outer !== undefined || run.from !== at
  if (outer === undefined && !isWithin(read, at, run, last)) return undefined
  return { ref: { ...placeOf(read, at, to), unit, isSure, ...(outer !== undefined && { outer }) }, to }
}

/**
 * Parses a number without a unit after `ibid.` or `שם`. It is one of the last level of the ref before it: `(שם ד)` after
 * Psalms 23:2 is verse 4. If there is no such place, it may be one directly under the title.
 */
export function besideLast(
  { text, words }: Read,
  at: number,
  run: AddressRun,
): ReturnType<typeof shortRefAt> {
  const [first, number] = [words[at], words[run.from]]
  const to = run.ends[0] ?? run.from + 1
  const end = words[to - 1]?.end ?? 0
  const isOne = run.numberEnds.slice(0, -1).every((one) => /[-–—־]/.test(gapBefore(text, words, one)))
  if (!first || !number || run.hasUnit || !isOne || !endsClause(text, end)) return undefined
  const opening = text.slice(Math.max(0, first.start - 2), first.start)
  if (first.key !== 'ibid' && !/[([;]\s?$/.test(opening)) return undefined
  const isSure = !run.isWord || (/[([;]\s?$/.test(opening) && !mayEndClause(bare(number)))
  const written = text.slice(number.start, end)
  return { ref: { start: first.start, end, written, unit: '', isSure, isBeside: true }, to }
}

/** Range and words of a short ref, from a word. `ibid.` and the sign before a number belong to it. */
function placeOf(
  { text, words }: ReadText,
  at: number,
  to: number,
): Pick<ShortRef, 'start' | 'end' | 'written'> {
  const first = words[at]
  const sign = first && /^\d/.test(first.text) ? signBefore(text, first) : ''
  const start = (first?.start ?? 0) - sign.length
  const end = words[to - 1]?.end ?? start
  return { start, end, written: text.slice(start, end) }
}

/** Whether a number names a place within the last ref: it is near, and no title of another work is nearer. */
function isWithin(read: Read, at: number, run: AddressRun, last: Placed | undefined): boolean {
  if (!last) return false
  if (run.from !== at) return true
  const distance = (read.words[at]?.start ?? 0) - (read.words[last.to - 1]?.end ?? 0)
  return (
    distance <= longestDistance &&
    standsApart(read, at) &&
    !hasOtherTitle(read, read.named, last, at) &&
    titlesBehind(read, run.ends.at(-1) ?? at + 1).length === 0
  )
}

/** Offset of the ref after a number and a word such as `of`: `of Tanya 32`, `of chapter 32 of the Tanya`. */
function refBehind(read: Read, end: number): number | undefined {
  for (let at = end; at <= end + maxLinks && at < read.words.length && continuesAt(read, at); at += 1) {
    const word = read.words[at]
    const isLinked = at > end || /^[בש]/.test(word?.text ?? '')
    if (isLinked && isRefAt(read, at)) return word?.end
    if (!links.has(word?.key ?? '')) return undefined
  }
  return undefined
}

/** Whether a title with its number, or a chapter, begins at a word. */
function isRefAt(read: Read, at: number): boolean {
  const { text, words } = read
  if (read.ownAt.has(at)) return titlesFrom(read, at).some(({ to }) => addressAt(text, words, to))
  const run = addressAt(text, words, at)
  return run?.hasUnit === true && innerUnitOf(read, run) === undefined
}

/**
 * Completes short refs with the refs to which they belong. One that belongs to a ref that was not found has no site.
 * @param named the other refs of the text, in order.
 */
export function sitesWithin(
  text: string,
  short: readonly ShortRef[],
  named: readonly Outer[],
): readonly Site[] {
  return short.slice(0, maxShort).flatMap((one) => {
    const outer = outerOf(one, named)
    const ref = outer?.resolution?.found?.ref
    if (!outer || ref === undefined) return []
    const isSame = lastUnit(text.slice(outer.start, outer.end)) === one.unit
    const isSure = one.isSure || isSame
    const asked = refsWithin(one, ref, isSame || one.isBeside === true)
    const candidates = asked.map((within) => ({
      start: one.start,
      end: one.outer === undefined ? one.end : outer.end,
      asked: within,
      title: ref,
      mustExist: true,
    }))
    const [first] = candidates
    if (!first) return []
    const missing = isSure ? [{ ...first, end: one.end, mustExist: false }] : []
    return [{ candidates: [...candidates, ...missing], isSure }]
  })
}

function outerOf({ start, outer }: ShortRef, named: readonly Outer[]): Outer | undefined {
  if (outer !== undefined) return named.find((ref) => ref.start <= outer && outer < ref.end)
  const before = named.findLast(({ end }) => end <= start)
  return before && start - before.end <= longestDistance ? before : undefined
}

/**
 * The refs that a short one can mean, most likely first: a place below the outer ref, or beside it. After `Genesis
 * 1:3`, `verse 5` is beside it.
 * @param short the number with its unit; see `innerUnit`.
 * @param ref the outer ref in the library's spelling.
 * @param isSame whether the last number of the outer ref has the same unit: then the places are beside each other.
 */
export function refsWithin(
  short: { readonly written: string; readonly unit: string },
  ref: string,
  isSame: boolean,
): readonly string[] {
  const { address, until } = parseRef(`x ${short.written}`)
  if (address.length === 0) return []
  const numbers = formatRef({ heading: '', address, ...(until && { until }) }).trim()
  const first = ref.replace(range, '')
  const place = (above: string): string =>
    short.unit === 'piece'
      ? `${above} §${numbers}`
      : `${above}${headingOf(above) === above ? ' ' : ':'}${numbers}`
  if (isSame) return [place(sectionOf(first))]
  const beside = levelsAbove(first).map(place)
  const below = first === ref ? [place(ref)] : []
  return [...below, ...(isUnitOf(short.unit, 'coarse') ? beside.toReversed() : beside)]
}

/** Matches the end of a range in a stored ref. */
const range = /-[\d:.a-d]+$/

/** The refs above a place that have a number, deepest first. */
function levelsAbove(ref: string): readonly string[] {
  const above = sectionOf(ref)
  return above === ref || headingOf(above) === above ? [] : [above, ...levelsAbove(above)]
}

/** The unit of the last number of a ref, if it is one below a chapter and stands before the number. */
export function lastUnit(written: string): string | undefined {
  const [number = '', unit = ''] = written
    .trim()
    .split(/[\s.,:;()]+/)
    .filter((word) => word !== '')
    .toReversed()
  return /^[§#¶]/.test(number) ? innerUnit(number.charAt(0)) : innerUnit(unit.toLowerCase())
}
