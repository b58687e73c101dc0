import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { clean } from './clean.ts'
import { type AddressPart, type ParsedRef, refReadings } from './refs.ts'
import { findTitles, type Heading, mostHeadings, type Named, worksOf } from './title-lookup.ts'

/** Consecutive places of one work. */
export type PlaceRange = { readonly workId: number; readonly first: number; readonly last: number }

/** A way to read a ref whose title the library knows. */
export type KnownReading = { readonly reading: ParsedRef; readonly named: Named }

/**
 * The places that a ref names, in whatever way it is written; a ref above passage level and a range name several.
 * Undefined when the library has none, or when several places could be meant.
 */
export async function resolveRef(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const written = clean(ref)
  return (await exactPlace(executor, written)) ?? (await placeRead(executor, written, 0))
}

/** A text longer than this is no ref, whatever number it ends with. */
const longestQuery = 120

/**
 * The same for what may be a ref and may be words to search for: only one with a number counts. A title without one is a
 * topic as much as a place.
 */
export async function resolveQuery(executor: Executor, query: string): Promise<PlaceRange | undefined> {
  const written = clean(query)
  if (!mayBeRef(written)) return undefined
  return (await exactPlace(executor, written)) ?? (await placeRead(executor, written, 1))
}

/** Whether a query ends with a number after some words. It says nothing about the library. */
export function mayBeRef(query: string): boolean {
  const [first] = query.length > longestQuery ? [] : refReadings(query)
  return first !== undefined && first.address.length > 0 && first.heading !== ''
}

/** @param fewestNumbers what a reading must have to count. */
async function placeRead(
  executor: Executor,
  written: string,
  fewestNumbers: number,
): Promise<PlaceRange | undefined> {
  const known = await knownReadings(executor, written, fewestNumbers)
  const printed = await placePrinted(executor, written, known)
  if (printed) return printed
  for (const reading of known) {
    const place = await placeOf(executor, reading)
    if (place) return place
  }
  return undefined
}

async function exactPlace(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const found = await executor.execute<{ work_id: number; first: number; last: number }>(sql`
    select work_id, min(ordinal) as first, max(ordinal) as last from passages
    where ref = ${ref} or (section_ref = ${ref} and ${/\d[a-d]?$/.test(ref)})
    group by work_id order by work_id limit 1`)
  const row = found.rows[0]
  return row && { workId: row.work_id, first: row.first, last: row.last }
}

/** The readings of a ref whose titles the library has, the likeliest first. */
export async function knownReadings(
  executor: Executor,
  written: string,
  fewestNumbers = 0,
): Promise<readonly KnownReading[]> {
  const readings = refReadings(written).filter(({ address }) => address.length >= fewestNumbers)
  const named = await findTitles(
    executor,
    readings.map(({ heading }) => heading),
  )
  const known = readings.flatMap((reading, i) => (named[i] ? [{ reading, named: named[i] }] : []))
  // A word before a number may be its unit or the end of a title; where the library has that title it is.
  return known.toSorted((a, b) => wholeLength(b) - wholeLength(a))
}

function wholeLength({ reading, named }: KnownReading): number {
  return named.isWhole && reading.address.length > 0 ? reading.heading.length : 0
}

/** What stands at a Hebrew ref exactly as the library prints it, which for texts of one's own may be anything. */
async function placePrinted(
  executor: Executor,
  written: string,
  known: readonly KnownReading[],
): Promise<PlaceRange | undefined> {
  if (known.length === 0 || !/[א-ת]/.test(written)) return undefined
  const works = worksOf(known.flatMap(({ named }) => named.headings))
  const found = await executor.execute<{ work_id: number; first: number; last: number }>(sql`
    select work_id, first, last from (
      select work_id, min(ordinal) as first, max(ordinal) as last from passages
      where work_id = any(${sql.param(works)}::int[]) and he_ref = ${written}
      group by work_id) f
    where not exists (
      select 1 from passages p
      where p.work_id = f.work_id and p.ordinal between f.first and f.last and p.he_ref <> ${written})
    order by work_id limit 1`)
  const row = found.rows[0]
  return row && { workId: row.work_id, first: row.first, last: row.last }
}

async function placeOf(
  executor: Executor,
  { reading, named }: KnownReading,
): Promise<PlaceRange | undefined> {
  const { address, until } = reading
  if (address.length === 0) return wholeOf(executor, named)
  if (named.headings.length > mostHeadings) return undefined
  const found = await spans(executor, named.headings, address)
  const start = found.find(({ heading }) => heading.heading === reading.heading) ?? found[0]
  if (!start || (found.length > 1 && start.heading.heading !== reading.heading)) return undefined
  return until ? rangeTo(executor, start, until) : start.place
}

type Span = { readonly heading: Heading; readonly place: PlaceRange }

/** The places at an address and within it under each of the headings that has it. */
async function spans(
  executor: Executor,
  headings: readonly Heading[],
  address: readonly AddressPart[],
): Promise<readonly Span[]> {
  // After a leaf its sides follow.
  const rest = `^[ :]${address.join(':')}([a-d]?:|[a-d]?$)`
  const found = await executor.execute<{ number: number; work_id: number; first: number; last: number }>(sql`
    select h.number::int, p.work_id, min(p.ordinal) as first, max(p.ordinal) as last
    from unnest(${sql.param(headings.map(({ workId }) => workId))}::int[],
        ${sql.param(headings.map(({ heading }) => heading))}::text[]) with ordinality as h (work_id, heading, number)
      join passages p on p.work_id = h.work_id and starts_with(p.ref, h.heading)
        and substr(p.ref, length(h.heading) + 1) ~ ${rest}
    where p.work_id = any(${sql.param(worksOf(headings))}::int[])
    group by h.number, p.work_id order by h.number`)
  return found.rows.flatMap(({ number, work_id, first, last }) => {
    const heading = headings[number - 1]
    return heading ? [{ heading, place: { workId: work_id, first, last } }] : []
  })
}

/** All that stands under a title: a work, a heading, or several headings that follow one another. */
async function wholeOf(executor: Executor, { headings, isWork }: Named): Promise<PlaceRange | undefined> {
  const workId = headings[0]?.workId
  if (workId === undefined || headings.some((heading) => heading.workId !== workId)) return undefined
  const names = headings.map(({ heading }) => heading)
  const found = await executor.execute<{ first: number | null; last: number | null }>(sql`
    with mine as (
      select p.ordinal from passages p
      where p.work_id = ${workId} and (${isWork} or exists (
        select 1 from unnest(${sql.param(names)}::text[]) as h (heading)
        where starts_with(p.ref, h.heading) and substr(p.ref, length(h.heading) + 1) ~ '^([ ,:]|$)'))),
    ends as (select min(ordinal) as first, max(ordinal) as last from mine)
    select first, last from ends
    where ${names.length === 1} or not exists (
      select 1 from passages p
      where p.work_id = ${workId} and p.ordinal between ends.first and ends.last
        and p.ordinal not in (select ordinal from mine))`)
  const row = found.rows[0]
  return row && row.first !== null && row.last !== null
    ? { workId, first: row.first, last: row.last }
    : undefined
}

/** From the first place to the end of a range. One that is cut short is read as far as it goes. */
async function rangeTo(
  executor: Executor,
  { heading, place }: Span,
  until: readonly AddressPart[],
): Promise<PlaceRange> {
  const [end] = await spans(executor, [heading], until)
  if (end && end.place.last >= place.first) return { ...place, last: Math.max(place.last, end.place.last) }
  const found = await executor.execute<{ numbers: string; ordinal: number }>(sql`
    select substr(ref, ${heading.heading.length + 2}::int) as numbers, ordinal from passages
    where work_id = ${place.workId} and ordinal > ${place.last} and starts_with(ref, ${`${heading.heading} `})
    order by ordinal`)
  let last = place.last
  for (const { numbers, ordinal } of found.rows) {
    if (comparePlaces(numbers.split(':'), until) > 0) break
    last = ordinal
  }
  return { ...place, last }
}

/** Negative if the first address comes before the second; numbers that one of them lacks make no difference. */
function comparePlaces(a: readonly AddressPart[], b: readonly AddressPart[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = placeNumber(a[i]) - placeNumber(b[i])
    if (difference !== 0) return difference
  }
  return 0
}

/** A leaf counts four, one for each column; sides are the first two of them. */
export function placeNumber(part: AddressPart | undefined): number {
  const column = 'abcd'.indexOf(/[a-d]$/.exec(part ?? '')?.[0] ?? 'a')
  return Number.parseInt(part ?? '0', 10) * 4 + column
}
