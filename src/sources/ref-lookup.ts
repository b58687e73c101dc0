import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { clean } from './clean.ts'
import { type AddressPart, type ParsedRef, refReadings } from './refs.ts'
import { findByEnd, findTitles, type Heading, mostHeadings, type Named } from './title-lookup.ts'

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

/** The same for refs with a number. A title without one is a topic to search for as much as a place. */
export async function resolveNumberedRef(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const written = clean(ref)
  const [first] = refReadings(written)
  if (!first || first.address.length === 0) return undefined
  return (await exactPlace(executor, written)) ?? (await placeRead(executor, written, 1))
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
  const [likeliest] = readings
  if (known.length > 0 || !likeliest) return known
  const byEnd = await findByEnd(executor, likeliest.heading)
  return byEnd ? [{ reading: likeliest, named: byEnd }] : []
}

/** What stands at a Hebrew ref exactly as the library prints it, which for texts of one's own may be anything. */
async function placePrinted(
  executor: Executor,
  written: string,
  known: readonly KnownReading[],
): Promise<PlaceRange | undefined> {
  if (known.length === 0 || !/[א-ת]/.test(written)) return undefined
  const works = new Set(known.flatMap(({ named }) => named.headings.map(({ workId }) => workId)))
  const found = await executor.execute<{ work_id: number; first: number; last: number }>(sql`
    select work_id, min(ordinal) as first, max(ordinal) as last from passages
    where work_id = any(${sql.param([...works])}::int[]) and he_ref = ${written}
    group by work_id having max(ordinal) - min(ordinal) < count(*) order by work_id limit 1`)
  const row = found.rows[0]
  return row && { workId: row.work_id, first: row.first, last: row.last }
}

async function placeOf(executor: Executor, { reading, named }: KnownReading): Promise<PlaceRange | undefined> {
  const { address, until } = reading
  if (address.length === 0) return wholeOf(executor, named)
  if (named.headings.length > mostHeadings) return undefined
  const found = await spans(executor, named.headings, address)
  const start = found.find(({ heading }) => heading === reading.heading) ?? found[0]
  if (!start || (found.length > 1 && start.heading !== reading.heading)) return undefined
  return until ? rangeTo(executor, start, until) : start
}

type Span = PlaceRange & { readonly heading: string }

/** The places at an address and within it under each of the headings, in reading order; without numbers all of them. */
async function spans(
  executor: Executor,
  headings: readonly Heading[],
  address: readonly AddressPart[],
): Promise<readonly Span[]> {
  // After a number a side may follow, and after a heading what stands under it.
  const rest = address.length > 0 ? `^[ :]${address.join(':')}([a-d]?:|[a-d]?$)` : '^([ ,:]|$)'
  const found = await executor.execute<{ number: number; work_id: number; first: number; last: number }>(sql`
    select h.number::int, p.work_id, min(p.ordinal) as first, max(p.ordinal) as last
    from unnest(${sql.param(headings.map(({ workId }) => workId))}::int[],
        ${sql.param(headings.map(({ heading }) => heading))}::text[]) with ordinality as h (work_id, heading, number)
      join passages p on p.work_id = h.work_id and starts_with(p.ref, h.heading)
        and substr(p.ref, length(h.heading) + 1) ~ ${rest}
    group by h.number, p.work_id order by h.number`)
  return found.rows.map((row) => ({
    workId: row.work_id,
    first: row.first,
    last: row.last,
    heading: headings[row.number - 1]?.heading ?? '',
  }))
}

/** All that stands under a title. */
async function wholeOf(executor: Executor, { headings, isWork }: Named): Promise<PlaceRange | undefined> {
  const [first] = headings
  if (!first || headings.some(({ workId }) => workId !== first.workId)) return undefined
  if (isWork) {
    const found = await executor.execute<{ first: number; last: number }>(
      sql`select min(ordinal) as first, max(ordinal) as last from passages where work_id = ${first.workId}`,
    )
    const row = found.rows[0]
    return row && { workId: first.workId, ...row }
  }
  const [start, ...others] = await spans(executor, headings.slice(0, mostHeadings), [])
  return start && others.length === 0 ? start : undefined
}

/** From the first place to the end of a range. One that is cut short is read as far as it goes. */
async function rangeTo(executor: Executor, start: Span, until: readonly AddressPart[]): Promise<PlaceRange> {
  const [end] = await spans(executor, [start], until)
  if (end && end.last >= start.first) return { ...start, last: Math.max(start.last, end.last) }
  const found = await executor.execute<{ ref: string; ordinal: number }>(sql`
    select ref, ordinal from passages
    where work_id = ${start.workId} and ordinal > ${start.last} and starts_with(ref, ${`${start.heading} `})
    order by ordinal`)
  let last = start.last
  for (const { ref, ordinal } of found.rows) {
    const address = ref.slice(start.heading.length + 1).split(':')
    if (comparePlaces(address, until) > 0) break
    last = ordinal
  }
  return { ...start, last }
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
