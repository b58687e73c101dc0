import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingKey } from '../text/heading-keys.ts'
import { stripControls } from '../text/strip-controls.ts'
import { entriesNamed } from './entry-lookup.ts'
import { namesPiece } from './grammar/pieces.ts'
import { formatRef, type ParsedRef, refReadings } from './grammar/refs.ts'
import { namesOfBook } from './grammar/scripture.ts'
import { type NumberedReadings, noNumberedReadings, numberedReadings } from './numbered-readings.ts'
import {
  type PassageRange,
  type RangeQuery,
  type ResolvedRange,
  rangeTo,
  resolveRanges,
} from './passage-ranges.ts'
import { findTitles, maxHeadings, type Named, worksOf } from './title-lookup.ts'

export { type PassageRange, partNumber } from './passage-ranges.ts'

/** A reading of a ref whose title the library has. */
export type KnownReading = {
  readonly reading: ParsedRef
  readonly named: Named
  /** Whether the work has such headings, but none with this number. */
  readonly isAbsent?: boolean
}

/**
 * The result of looking up a ref. It has both `found` and `several` if the title of a work equals a ref of another work.
 * `known` has the readings whose titles the library has, most likely first.
 */
export type Resolution = {
  readonly found: FoundPlace | undefined
  /** If the ref matches several places: their refs. */
  readonly several: readonly string[]
  readonly known: readonly KnownReading[]
}

/** A range of places with its ref as the library writes it; of several that a Hebrew ref means, the first. */
export type FoundPlace = { readonly place: PassageRange; readonly ref: string }

/**
 * Finds the places of a ref in any form. A ref above passage level or a range has several places. Undefined when the
 * library has none, or when the ref is ambiguous.
 */
export async function resolveRef(executor: Executor, ref: string): Promise<PassageRange | undefined> {
  const [place] = await placesNamed(executor, [ref])
  return place
}

/** Finds the places of many refs like `resolveRef`, and of entries named without the title of their work: `Rasha 1`. */
export async function placesNamed(
  executor: Executor,
  refs: readonly string[],
  minNumbers = 0,
): Promise<readonly (PassageRange | undefined)[]> {
  const resolved = await resolveRefs(executor, refs, minNumbers)
  const open = refs.filter((ref, i) => !resolved[i]?.found && !resolved[i]?.known.length && mayBeRef(ref))
  const readings = new Map(open.map((ref) => [ref, refReadings(stripControls(ref))]))
  const entries = await entriesNamed(executor, [
    ...new Set([...readings.values()].flat().map(({ heading }) => heading)),
  ])
  const meant = (ref: string): readonly string[] => [
    ...new Set(
      (readings.get(ref) ?? []).flatMap((reading) =>
        (entries.get(reading.heading) ?? []).map((heading) => formatRef({ ...reading, heading })),
      ),
    ),
  ]
  const asked = [...new Set(open.flatMap(meant))]
  const places = await resolveRefs(executor, asked)
  return refs.map((ref, i) => {
    const [place, ...more] = meant(ref).flatMap((one) => places[asked.indexOf(one)]?.found?.place ?? [])
    return resolved[i]?.found?.place ?? (more.length === 0 ? place : undefined)
  })
}

/** Maximum length of a query that can be a ref. */
const longestQuery = 120

/**
 * Looks up a query that may be a ref or words to search for. Only a query with a number counts as a ref, because a
 * title alone is also a topic.
 */
export async function resolveQuery(executor: Executor, query: string): Promise<PassageRange | undefined> {
  if (!mayBeRef(stripControls(query))) return undefined
  const [place] = await placesNamed(executor, [query], 1)
  return place
}

/** Whether a query ends with a number after some words. It does not look into the library. */
export function mayBeRef(query: string): boolean {
  const [first] = query.length > longestQuery ? [] : refReadings(query)
  return first !== undefined && first.address.length > 0 && first.heading !== ''
}

/**
 * Looks up many refs like `resolveRef`, with a few statements in all. A range needs one or two more.
 * @param minNumbers minimum number of address parts of a reading.
 */
export async function resolveRefs(
  executor: Executor,
  refs: readonly string[],
  minNumbers = 0,
): Promise<readonly Resolution[]> {
  const written = refs.map(stripControls)
  const exact = await exactPlaces(executor, written)
  // A work named `Tanya 32` must not silently take the ref of chapter 32 of another work.
  const open = written.filter((ref) => exact.get(ref)?.isNumberedTitle !== false)
  const read = await knownReadingsOf(executor, open, minNumbers)
  const known = read.map((of) => of.known)
  const printed = await placesPrinted(executor, open, known)
  const all = read.map((of) => [...of.known, ...of.own])
  const readings = all.flat()
  const ofPieces = new Set(open.flatMap((ref, i) => (namesPiece(ref) ? (all[i] ?? []) : [])))
  const spans = await resolveRanges(
    executor,
    readings.map((reading) => wantedBy(reading, ofPieces.has(reading))),
  )
  const spansByReading = new Map(readings.map((reading, i) => [reading, spans[i] ?? []]))
  const byRef = new Map(open.map((ref, i) => [ref, read[i]]))
  const resolved: Resolution[] = []
  for (const ref of written) {
    const { known: mine = [], own = [] } = byRef.get(ref) ?? {}
    const same = exact.get(ref)
    const byParts = async () =>
      printed.get(ref) ?? (await firstPlace(executor, [...mine, ...own], spansByReading))
    const other = same && !same.isNumberedTitle ? undefined : await byParts()
    const isTaken = same !== undefined && other !== undefined && same.place.workId !== other.place.workId
    const place = same ?? other
    const several = isTaken ? [same.ref, other.ref] : place ? [] : severalIn(mine, spansByReading)
    resolved.push({ found: place, several, known: mine })
  }
  return resolved
}

function wantedBy({ reading, named, isAbsent = false }: KnownReading, isPiece: boolean): RangeQuery {
  const { address, isLeaf } = reading
  if (address.length === 0) return { headings: named.headings, address, isWork: named.isWork }
  const isOpen = !isAbsent && named.headings.length <= maxHeadings
  return { headings: isOpen ? named.headings : [], address, isPiece, isLeaf }
}

/** The places of the most likely reading that has several. */
function severalIn(
  known: readonly KnownReading[],
  spans: ReadonlyMap<KnownReading, readonly ResolvedRange[]>,
): readonly string[] {
  const first = known.find((one) => one.reading.address.length > 0 && (spans.get(one)?.length ?? 0) > 1)
  return first ? (spans.get(first) ?? []).map(({ ref }) => ref) : []
}

async function firstPlace(
  executor: Executor,
  known: readonly KnownReading[],
  spans: ReadonlyMap<KnownReading, readonly ResolvedRange[]>,
): Promise<FoundPlace | undefined> {
  for (const reading of known) {
    const found = await placeOf(executor, reading, spans.get(reading) ?? [])
    if (found) return found
  }
  return undefined
}

/** The place with exactly this ref, and whether the title of its work ends with a number. */
type ExactPlace = FoundPlace & { readonly isNumberedTitle: boolean }

async function exactPlaces(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, ExactPlace>> {
  if (refs.length === 0) return new Map()
  const found = await executor.execute<{
    asked: string
    work_id: number
    first: number
    last: number
    is_numbered: boolean
  }>(sql`
    select distinct on (a.ref) a.ref as asked, p.work_id, min(p.ordinal) as first, max(p.ordinal) as last,
      bool_or(w.title ~ '[0-9]$') as is_numbered
    from unnest(${sql.param([...new Set(refs)])}::text[]) a (ref)
      join lateral (
        select work_id, ordinal from passages where ref = a.ref
        union all
        select work_id, ordinal from passages where section_ref = a.ref and a.ref ~ '[0-9][a-d]?$') p on true
      join works w on w.id = p.work_id
    group by a.ref, p.work_id order by a.ref, p.work_id`)
  return new Map(
    found.rows.map(({ asked, work_id, first, last, is_numbered: isNumberedTitle }) => [
      asked,
      { ref: asked, place: { workId: work_id, first, last }, isNumberedTitle },
    ]),
  )
}

/** The readings of a ref whose titles the library has, most likely first. */
export async function knownReadings(executor: Executor, written: string): Promise<readonly KnownReading[]> {
  const [read] = await knownReadingsOf(executor, [written], 0)
  return read?.known ?? []
}

type Readings = {
  readonly known: readonly KnownReading[]
  /** Readings that are tried last. They say nothing about a place that does not exist. */
  readonly own: readonly KnownReading[]
}

async function knownReadingsOf(
  executor: Executor,
  written: readonly string[],
  minNumbers: number,
): Promise<readonly Readings[]> {
  const readings = written.map((ref) =>
    refReadings(ref).filter(({ address }) => address.length >= minNumbers),
  )
  const headings = [
    ...new Set(readings.flatMap((of) => of.flatMap((one) => [one.heading, bookOf(one) ?? one.heading]))),
  ]
  if (headings.length === 0) return readings.map(() => ({ known: [], own: [] }))
  const titles = await findTitles(executor, headings)
  const named = new Map(headings.map((heading, i) => [heading, titles[i]]))
  const all = readings.map((of) =>
    of.flatMap((reading) => {
      const title = named.get(reading.heading) ?? named.get(bookOf(reading) ?? '')
      return title ? [{ reading, named: title }] : []
    }),
  )
  const numbered = await numberedReadings(executor, written, (i) => (all[i]?.length ?? 0) > 0)
  return all.map((known, i) => {
    // A word before a number may be a unit or the end of a title. It is the title if the library has that title.
    const sorted = known.toSorted((a, b) => wholeLength(b) - wholeLength(a))
    const { own, ...byParts } = numbered[i] ?? noNumberedReadings
    return { known: withNumbered(sorted, byParts), own }
  })
}

/** The name of the book of the Bible that a chapter and a verse show to be meant: `Bereshit 1:1` is no weekly portion. */
function bookOf({ heading, address }: ParsedRef): string | undefined {
  return address.length > 1 ? namesOfBook(headingKey(heading))[0] : undefined
}

/**
 * Inserts the readings by numbered headings. One with the unit of the ref comes first. One with its number alone follows
 * the full titles, and precedes titles that are composed of a work and a part of a heading.
 */
function withNumbered(
  known: readonly KnownReading[],
  { readings, absent }: Omit<NumberedReadings, 'own'>,
): readonly KnownReading[] {
  const isTitle = ({ named }: KnownReading): boolean => named.isWhole
  const titles = known.filter(isTitle)
  const composed = absent ? [absent].slice(titles.length) : known.filter((one) => !isTitle(one))
  const sure = readings.filter(({ isSure }) => isSure)
  const others = readings.filter(({ isSure }) => !isSure)
  return [...sure, ...titles, ...others, ...composed]
}

function wholeLength({ reading, named }: KnownReading): number {
  return named.isWhole && reading.address.length > 0 ? reading.heading.length : 0
}

/** Finds places whose Hebrew ref equals the text exactly. Imported texts can have any Hebrew ref. */
async function placesPrinted(
  executor: Executor,
  written: readonly string[],
  known: readonly (readonly KnownReading[])[],
): Promise<ReadonlyMap<string, FoundPlace>> {
  const rows = written.flatMap((ref, i) =>
    /[א-ת]/.test(ref)
      ? worksOf((known[i] ?? []).flatMap(({ named }) => named.headings)).map((workId) => ({ ref, workId }))
      : [],
  )
  if (rows.length === 0) return new Map()
  const works = [...new Set(rows.map(({ workId }) => workId))]
  const found = await executor.execute<{
    asked: string
    work_id: number
    first: number
    last: number
    ref: string
  }>(sql`
    select distinct on (asked) asked, work_id, first, last,
      (select ref from passages p where p.work_id = f.work_id and p.ordinal = f.first) as ref
    from (
      select a.ref as asked, p.work_id, min(p.ordinal) as first, max(p.ordinal) as last
      from unnest(${sql.param(rows.map(({ ref }) => ref))}::text[],
          ${sql.param(rows.map(({ workId }) => workId))}::int[]) a (ref, work_id)
        join passages p on p.work_id = a.work_id and p.he_ref = a.ref
      where p.work_id = any(${sql.param(works)}::int[])
      group by 1, 2) f
    where not exists (
      select 1 from passages p
      where p.work_id = f.work_id and p.ordinal between f.first and f.last and p.he_ref <> f.asked)
    order by asked, work_id`)
  return new Map(
    found.rows.map(({ asked, work_id, first, last, ref }) => [
      asked,
      { ref, place: { workId: work_id, first, last } },
    ]),
  )
}

async function placeOf(
  executor: Executor,
  { reading, named }: KnownReading,
  spans: readonly ResolvedRange[],
): Promise<FoundPlace | undefined> {
  const { address, until } = reading
  if (address.length === 0) {
    const place = consecutive(spans.map((span) => span.place))
    return place && { place, ref: named.headings[0]?.heading ?? reading.heading }
  }
  const own = spans.find(({ heading }) => heading.heading === reading.heading)
  const start = own ?? (spans.length === 1 ? spans[0] : undefined)
  if (!start) return undefined
  return {
    place: until ? await rangeTo(executor, start, until) : start.place,
    ref: until ? formatRef({ ...reading, heading: start.heading.heading }) : start.ref,
  }
}

/** The range of ranges that follow one another in one work. */
function consecutive(ranges: readonly PassageRange[]): PassageRange | undefined {
  const [first, ...more] = ranges.toSorted((a, b) => a.first - b.first)
  let whole = first
  for (const next of more) {
    if (!whole || next.workId !== whole.workId || next.first > whole.last + 1) return undefined
    whole = { ...whole, last: Math.max(whole.last, next.last) }
  }
  return whole
}
