import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { AddressPart } from './grammar/ref-parts.ts'
import type { Heading } from './title-lookup.ts'

/** Consecutive places of one work. */
export type PassageRange = { readonly workId: number; readonly first: number; readonly last: number }

/** The places of an address under one heading. `ref` is the library's spelling. */
export type ResolvedRange = { readonly heading: Heading; readonly place: PassageRange; readonly ref: string }

/** An address with the headings under which it is searched. Without numbers it is all that a heading has. */
export type RangeQuery = {
  readonly headings: readonly Heading[]
  /** Whether the headings are the whole work. */
  readonly isWork?: boolean
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
  /** A leaf must have sides. */
  readonly kind?: 'title' | 'leaf' | 'place'
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
    wanted.flatMap(({ headings, address, isWork, isLeaf }, asked) => {
      if (isWork)
        return headings.slice(0, 1).map((heading) => ({ asked, heading, ref: '', kind: 'title' as const }))
      const kind =
        address.length === 0 ? 'title' : isLeaf && /\d$/.test(address.at(-1) ?? '') ? 'leaf' : 'place'
      return headings.map((heading) => ({
        asked,
        heading,
        ref: `${heading.heading} ${address.join(':')}`.trimEnd(),
        kind,
      }))
    }),
  )
  const missing = wanted.flatMap(({ headings, address, isPiece, isLeaf }, asked) => {
    if ((found.has(asked) && !isPiece) || isLeaf || address.length === 0) return []
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
      select h.number, h.work_id, h.kind, length(h.ref) as length, f.ref
      from unnest(${sql.param(rows.map(({ heading }) => heading.workId))}::int[],
          ${sql.param(rows.map(({ ref }) => ref))}::text[], ${sql.param(rows.map(withColon))}::text[],
          ${sql.param(rows.map(({ kind }) => kind ?? 'place'))}::text[]) with ordinality as h (work_id, ref, other, kind, number)
        cross join lateral (values (h.ref), (h.other)) as f (ref)),
    lengths as materialized (select distinct work_id, length from asked),
    begun as materialized (
      select p.work_id, p.ordinal, left(p.ref, l.length) as begin, substr(p.ref, l.length + 1) as rest
      from lengths l join passages p on p.work_id = l.work_id
      where l.length = 0 or substr(p.ref, l.length + 1) ~ '^([ ,:]|[a-d](:| §|$)|$)')
    select a.number::int, a.work_id, min(b.ordinal) as first, max(b.ordinal) as last
    from asked a join begun b on b.work_id = a.work_id and b.begin = a.ref
    where case a.kind when 'title' then a.ref = '' or b.rest ~ '^([ ,:]|$)'
      when 'leaf' then b.rest ~ '^[a-d](:| §|$)' else b.rest ~ '^[a-d]?(:| §|$)' end
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
