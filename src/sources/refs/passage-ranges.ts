import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { AddressPart } from './grammar/ref-parts.ts'
import type { Heading, Named } from './title-lookup.ts'

/** Consecutive places of one work. */
export type PassageRange = { readonly workId: number; readonly first: number; readonly last: number }

/** The places of an address under one heading. `ref` is the library's spelling. */
export type ResolvedRange = { readonly heading: Heading; readonly place: PassageRange; readonly ref: string }

/** An address with the headings under which it is searched. */
export type RangeQuery = {
  readonly headings: readonly Heading[]
  readonly address: readonly AddressPart[]
  /** Whether its last number is that of a piece, `§3`. A piece takes precedence over a segment with this number. */
  readonly isPiece?: boolean
  /** Whether its last number must be that of a leaf with sides. */
  readonly isLeaf?: boolean | undefined
}

/** A requested place in the library's spelling. */
type Row = {
  readonly asked: number
  readonly heading: Heading
  readonly ref: string
  readonly isLeaf?: boolean
}

/**
 * Finds the places of each address under each of its headings, with one statement for all, and one more for addresses
 * without a result. If a text has no segment of that number, the address names the piece: `Title 3:2` for `Title 3
 * §2`.
 */
export async function resolveRanges(
  executor: Executor,
  wanted: readonly RangeQuery[],
): Promise<readonly (readonly ResolvedRange[])[]> {
  const found = await within(
    executor,
    wanted.flatMap(({ headings, address, isLeaf = false }, asked) =>
      headings.map((heading) => ({ asked, heading, ref: `${heading.heading} ${address.join(':')}`, isLeaf })),
    ),
  )
  const missing = wanted.flatMap(({ headings, address, isPiece, isLeaf }, asked) => {
    if ((found.has(asked) && !isPiece) || isLeaf) return []
    const above = address.slice(0, -1).join(':')
    const numbers = above === '' ? '' : ` ${above}`
    return headings.map((heading) => ({
      asked,
      heading,
      ref: `${heading.heading}${numbers} §${address.at(-1)}`,
    }))
  })
  const pieces = await piecesAt(executor, missing)
  return wanted.map((_, asked) => pieces.get(asked) ?? found.get(asked) ?? [])
}

type Found = {
  readonly number: number
  readonly work_id: number
  readonly first: number
  readonly last: number
}

/**
 * Reads the passages at and below the refs. The passages of the works are read once, however many refs there are: a
 * passage is compared by its beginnings that are as long as one of the refs.
 */
async function within(
  executor: Executor,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, readonly ResolvedRange[]>> {
  if (rows.length === 0) return new Map()
  // Sides follow a leaf, pieces follow a text. Before 0.2.0 a colon could follow a heading.
  const found = await executor.execute<Found>(sql`
    with asked as materialized (
      select h.number, h.work_id, length(h.ref) as length, h.is_leaf, f.ref
      from unnest(${sql.param(rows.map(({ heading }) => heading.workId))}::int[],
          ${sql.param(rows.map(({ ref }) => ref))}::text[], ${sql.param(rows.map(withColon))}::text[],
          ${sql.param(rows.map(({ isLeaf, ref }) => isLeaf === true && /\d$/.test(ref)))}::bool[])
          with ordinality as h (work_id, ref, other, is_leaf, number)
        cross join lateral (values (h.ref), (h.other)) as f (ref)),
    lengths as materialized (select distinct work_id, length from asked),
    begun as materialized (
      select p.work_id, p.ordinal, left(p.ref, l.length) as begin, substr(p.ref, l.length + 1) as rest
      from lengths l join passages p on p.work_id = l.work_id
      where substr(p.ref, l.length + 1) ~ '^([a-d]?:|[a-d]?$|[a-d]? §)')
    select a.number::int, a.work_id, min(b.ordinal) as first, max(b.ordinal) as last
    from asked a join begun b on b.work_id = a.work_id and b.begin = a.ref
    where not a.is_leaf or left(b.rest, 1) between 'a' and 'd'
    group by a.number, a.work_id order by a.number`)
  return spansBy(rows, found.rows)
}

function withColon({ heading, ref }: Row): string {
  return `${heading.heading}:${ref.slice(heading.heading.length + 1)}`
}

async function piecesAt(
  executor: Executor,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, readonly ResolvedRange[]>> {
  if (rows.length === 0) return new Map()
  const found = await executor.execute<Found>(sql`
    select h.number::int, p.work_id, p.ordinal as first, p.ordinal as last
    from unnest(${sql.param(rows.map(({ heading }) => heading.workId))}::int[],
        ${sql.param(rows.map(({ ref }) => ref))}::text[]) with ordinality as h (work_id, ref, number)
      join passages p on p.ref = h.ref and p.work_id = h.work_id
    order by h.number`)
  return spansBy(rows, found.rows)
}

function spansBy(
  rows: readonly Row[],
  found: readonly Found[],
): ReadonlyMap<number, readonly ResolvedRange[]> {
  const spans = new Map<number, ResolvedRange[]>()
  for (const { number, work_id, first, last } of found) {
    const row = rows[number - 1]
    if (!row) continue
    const span = { heading: row.heading, place: { workId: work_id, first, last }, ref: row.ref }
    const list = spans.get(row.asked)
    if (list) list.push(span)
    else spans.set(row.asked, [span])
  }
  return spans
}

/**
 * Finds all places under each title: those of a work, of a heading, or of consecutive headings. It sends one statement,
 * which reads the passages of the works once.
 */
export async function wholeRanges(
  executor: Executor,
  titles: readonly Named[],
): Promise<readonly (PassageRange | undefined)[]> {
  const rows = titles.flatMap(({ headings, isWork }, number) => {
    const isOne = headings.every(({ workId }) => workId === headings[0]?.workId)
    const names = isWork ? headings.slice(0, 1).map(({ workId }) => ({ workId, heading: '' })) : headings
    return isOne ? names.map((of) => ({ number, ...of })) : []
  })
  if (rows.length === 0) return titles.map(() => undefined)
  const found = await executor.execute<Found>(sql`
    with asked as materialized (
      select * from unnest(${sql.param(rows.map(({ number }) => number))}::int[],
        ${sql.param(rows.map(({ workId }) => workId))}::int[],
        ${sql.param(rows.map(({ heading }) => heading))}::text[]) as a (number, work_id, heading)),
    lengths as materialized (select distinct work_id, length(heading) as length from asked),
    begun as materialized (
      select p.work_id, p.ordinal, left(p.ref, l.length) as begin
      from lengths l join passages p on p.work_id = l.work_id
      where l.length = 0 or substr(p.ref, l.length + 1) ~ '^([ ,:]|$)'),
    ranges as (
      select a.number, a.work_id, min(b.ordinal) as first, max(b.ordinal) as last, count(distinct b.ordinal) as own
      from asked a join begun b on b.work_id = a.work_id and b.begin = a.heading group by a.number, a.work_id)
    select number, work_id, first, last from ranges r
    where own = (select count(*) from passages p where p.work_id = r.work_id and p.ordinal between r.first and r.last)
      or (select count(*) from asked a where a.number = r.number) = 1`)
  const places = new Map(
    found.rows.map(({ number, work_id: workId, first, last }) => [number, { workId, first, last }]),
  )
  return titles.map((_, number) => places.get(number))
}

/** Range from the first place to the end of a range. An end after the last place of the text is cut. */
export async function rangeTo(
  executor: Executor,
  { heading, place }: Omit<ResolvedRange, 'ref'>,
  until: readonly AddressPart[],
): Promise<PassageRange> {
  const [[end] = []] = await resolveRanges(executor, [{ headings: [heading], address: until }])
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

/** Negative if the first address precedes the second. Numbers that only one of them has are ignored. */
function comparePlaces(a: readonly AddressPart[], b: readonly AddressPart[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = partNumber(a[i]) - partNumber(b[i])
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Converts an address part to a number. A leaf counts as four numbers, one per column; its sides are the first two.
 */
export function partNumber(part: AddressPart | undefined): number {
  const column = 'abcd'.indexOf(/[a-d]$/.exec(part ?? '')?.[0] ?? 'a')
  return Number.parseInt(part ?? '0', 10) * 4 + column
}
