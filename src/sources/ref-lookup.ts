import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { clean } from './clean.ts'
import { type AddressPart, formatRef, headingKey, looseHeadingKey, type ParsedRef, parseRef } from './refs.ts'
import { authorAliases, headingAliases } from './vocabulary/ref-aliases.ts'

/** Consecutive places of one work. */
export type PlaceRange = { readonly workId: number; readonly first: number; readonly last: number }

type Heading = { readonly heading: string; readonly work_id: number }

/** Exact keys win over loose ones, titles over authors. */
const headingByAlias = new Map(
  [looseHeadingKey, headingKey].flatMap((keyOf) =>
    [...authorAliases, ...headingAliases].flatMap(([heading, ...others]) =>
      others.map((other) => [keyOf(other), headingKey(heading)] as const),
    ),
  ),
)

/** The keys under which a heading may be found: as written and by another title, and in another spelling. */
export function headingKeys(written: string): { readonly exact: readonly string[]; readonly loose: string } {
  const key = headingKey(written)
  const loose = looseHeadingKey(written)
  const alias = headingByAlias.get(key) ?? headingByAlias.get(loose)
  return { exact: alias === undefined ? [key] : [key, alias], loose }
}

/**
 * The places that a ref names, in whatever way it is written; a ref above passage level and a range name several.
 * Undefined when the library has none.
 */
export async function resolveRef(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const written = clean(ref)
  const exact = await exactPlace(executor, written)
  if (exact) return exact
  const parsed = parseRef(written)
  for (const heading of await findHeadings(executor, parsed.heading)) {
    const found = await placesUnder(executor, heading, parsed)
    if (found) return found
  }
  return undefined
}

async function exactPlace(executor: Executor, ref: string): Promise<PlaceRange | undefined> {
  const found = await executor.execute<{ work_id: number; first: number; last: number }>(sql`
    select work_id, min(ordinal) as first, max(ordinal) as last from passages
    where ref = ${ref} or section_ref = ${ref} group by work_id limit 1`)
  const row = found.rows[0]
  return row && { workId: row.work_id, first: row.first, last: row.last }
}

/** Headings that the words may mean, surest first: as they stand, another title, a part of it, another spelling. */
async function findHeadings(executor: Executor, written: string): Promise<readonly Heading[]> {
  const { exact, loose } = headingKeys(written)
  const [key = '', alias = ''] = exact
  if (key === '') return []
  const found = await executor.execute<Heading>(sql`
    select heading, work_id from (
      select heading, work_id, first_ordinal, case
        when key = ${key} then 1
        when key = ${alias} then 2
        when key = ${loose} then 3
        when starts_with(key, ${`${key} `}) then 4
        when ${alias} <> '' and starts_with(key, ${`${alias} `}) then 5
        when right(key, ${key.length + 1}) = ${` ${key}`} then 6
        else 7 end as rank
      from headings
      where key = any(${sql.param([key, alias, loose])}::text[]) or starts_with(key, ${`${key} `})
        or (${alias} <> '' and starts_with(key, ${`${alias} `}))
        or right(key, ${key.length + 1}) = ${` ${key}`}
        or starts_with(key, ${`${loose} `})) as candidates
    order by rank, work_id, first_ordinal, heading limit 8`)
  return found.rows
}

async function placesUnder(
  executor: Executor,
  { heading, work_id }: Heading,
  parsed: ParsedRef,
): Promise<PlaceRange | undefined> {
  const start = await span(executor, work_id, formatRef({ heading, address: parsed.address }))
  if (!start || !parsed.until) return start
  const end = await span(executor, work_id, formatRef({ heading, address: parsed.until }))
  // A range whose end is missing is read to where it exists; one that runs backwards is its first place.
  return end && end.last >= start.first ? { ...start, last: end.last } : start
}

/** The places at a ref and within it. */
async function span(executor: Executor, workId: number, ref: string): Promise<PlaceRange | undefined> {
  const found = await executor.execute<{ first: number | null; last: number | null }>(sql`
    select min(ordinal) as first, max(ordinal) as last from passages
    where work_id = ${workId}
      and (ref = ${ref} or starts_with(ref, ${`${ref}:`}) or (${!/\d$/.test(ref)} and starts_with(ref, ${`${ref} `})))`)
  const row = found.rows[0]
  if (!row || row.first === null || row.last === null) return undefined
  return { workId, first: row.first, last: row.last }
}

/** How many refs are offered in place of one that does not exist. */
const offered = 5

/** Existing refs that a wrong one may have meant, the likeliest first. */
export async function nearestRefs(executor: Executor, ref: string): Promise<readonly string[]> {
  const parsed = parseRef(clean(ref))
  const [heading] = await findHeadings(executor, parsed.heading)
  if (heading) return nearestNumbers(executor, heading, parsed.address)
  return nearestHeadings(executor, parsed.heading)
}

/** Sections of the wanted depth under the heading, nearest in number first. */
async function nearestNumbers(
  executor: Executor,
  { heading, work_id }: Heading,
  wanted: readonly AddressPart[],
): Promise<readonly string[]> {
  const found = await executor.execute<{ ref: string }>(sql`
    select ref from passages where work_id = ${work_id} and starts_with(ref, ${`${heading} `}) order by ordinal`)
  const depth = Math.max(1, wanted.length)
  const addresses = new Map<string, readonly AddressPart[]>()
  for (const row of found.rows) {
    const address = row.ref
      .slice(heading.length + 1)
      .split(':')
      .slice(0, depth)
    if (address.every((part) => /^\d+[ab]?$/.test(part))) addresses.set(address.join(':'), address)
  }
  return [...addresses.values()]
    .map((address, order) => ({ address, order, away: distances(address, wanted) }))
    .sort((a, b) => compareDistances(a.away, b.away) || a.order - b.order)
    .slice(0, offered)
    .map(({ address }) => formatRef({ heading, address }))
}

function distances(address: readonly AddressPart[], wanted: readonly AddressPart[]): readonly number[] {
  return wanted.map((part, i) => Math.abs(placeNumber(address[i]) - placeNumber(part)))
}

/** A daf counts two, one for each side. */
function placeNumber(part: AddressPart | undefined): number {
  const value = Number.parseInt(part ?? '0', 10)
  return /[ab]$/.test(part ?? '') ? value * 2 + (part?.endsWith('b') ? 1 : 0) : value
}

function compareDistances(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value - (b[i] ?? 0)
  return 0
}

/** Headings that are looked at for likeness; a library has a few thousand. */
const mostHeadings = 20_000

/** Likeness below which an offer would be a guess. */
const leastLikeness = 0.45

/** The first places under headings that look most like what was written. */
async function nearestHeadings(executor: Executor, written: string): Promise<readonly string[]> {
  const wanted = bigrams(looseHeadingKey(written))
  const found = await executor.execute<{ key: string; heading: string; first_ref: string }>(
    sql`select key, heading, first_ref from headings order by key limit ${mostHeadings}`,
  )
  const best = new Map<string, { readonly ref: string; readonly likeness: number }>()
  for (const row of found.rows) {
    const likeness = dice(wanted, bigrams(looseHeadingKey(row.key)))
    if (likeness > (best.get(row.heading)?.likeness ?? leastLikeness)) {
      best.set(row.heading, { ref: row.first_ref, likeness })
    }
  }
  return [...best.values()]
    .sort((a, b) => b.likeness - a.likeness || (a.ref < b.ref ? -1 : 1))
    .slice(0, offered)
    .map(({ ref }) => ref)
}

function bigrams(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)))
}

/** Dice's coefficient: 1 for equal sets, 0 for sets without a common member. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const member of a) if (b.has(member)) common += 1
  return (2 * common) / (a.size + b.size)
}
