import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { looseHeadingKey } from '../text/heading-keys.ts'
import { stripControls } from '../text/strip-controls.ts'
import { type AddressPart, refReadings } from './grammar/refs.ts'
import { dice, letterPairs } from './letter-pairs.ts'
import { type KnownReading, knownReadings, partNumber } from './ref-lookup.ts'
import { type Heading, maxHeadings, worksOf } from './title-lookup.ts'

/** Maximum number of suggested refs. */
const offered = 5

/**
 * Suggests existing refs for one that does not exist, nearest first: under its title, otherwise under similar titles.
 * @throws the reason of `signal` when it is aborted; no further statement is sent.
 */
export async function nearestRefs(
  executor: Executor,
  ref: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const near = await nearestUnderTitle(executor, ref)
  signal?.throwIfAborted()
  return near.length > 0 ? near : nearestTitles(executor, stripControls(ref))
}

/** Suggests existing refs under the same title. Empty when the library does not have the title. */
export async function nearestUnderTitle(executor: Executor, ref: string): Promise<readonly string[]> {
  return nearestToReadings(executor, await knownReadings(executor, stripControls(ref)))
}

/** Suggests existing refs under the title of the most likely reading, nearest number first. */
export async function nearestToReadings(
  executor: Executor,
  [likeliest, ...others]: readonly KnownReading[],
): Promise<readonly string[]> {
  if (!likeliest) return []
  if (likeliest.isAbsent) return headingsIn(likeliest).map(({ heading }) => heading)
  const near = await nearestNumbers(executor, headingsIn(likeliest), likeliest.reading.address)
  // Where no leaf has sides, `כג, ג` is a chapter and a verse.
  const numbered = isSided(likeliest) ? others.find((other) => !isSided(other)) : undefined
  if (
    numbered &&
    numbered.reading.address.length > 1 &&
    !near.some((ref) => /\d[a-d](?![\p{L}\d])/u.test(ref))
  )
    return nearestToReadings(executor, [numbered])
  return near.length > 0 ? near : headingsIn(likeliest).map(({ heading }) => heading)
}

function isSided({ reading }: KnownReading): boolean {
  return /[a-d]$/.test(reading.address.at(-1) ?? '')
}

function headingsIn({ named }: KnownReading): readonly Heading[] {
  return named.headings.slice(0, Math.min(maxHeadings, offered))
}

/** Reads the sections of this depth under the headings, nearest number first. */
async function nearestNumbers(
  executor: Executor,
  headings: readonly Heading[],
  wanted: readonly AddressPart[],
): Promise<readonly string[]> {
  const depth = Math.max(1, wanted.length)
  // A leaf counts as four numbers, one per column (see `placeNumber`). A missing number counts as 0.
  const found = await executor.execute<{ ref: string }>(sql`
    with sections as (
      select h.heading || left(n.numbers, 1) || array_to_string(n.parts, ':') as ref, n.parts,
        min(array[h.number, p.ordinal]) as place
      from unnest(${sql.param(headings.map(({ workId }) => workId))}::int[],
          ${sql.param(headings.map(({ heading }) => heading))}::text[]) with ordinality as h (work_id, heading, number)
        join passages p on p.work_id = h.work_id and starts_with(p.ref, h.heading)
        cross join lateral (select regexp_replace(substr(p.ref, length(h.heading) + 1), ' §[0-9]+$', '') as numbers) s
        cross join lateral (
          select s.numbers, (string_to_array(substr(s.numbers, 2), ':'))[1:${depth}::int] as parts) n
      where p.work_id = any(${sql.param(worksOf(headings))}::int[])
        and s.numbers ~ '^[ :][0-9]+[a-d]?(:[0-9]+[a-d]?)*$'
      group by 1, 2)
    select ref from sections
    order by (
      select array_agg(abs(
          coalesce(substring(parts[w.at] from '^[0-9]+')::float8 * 4
            + strpos('abcd', coalesce(substring(parts[w.at] from '[a-d]$'), 'a')) - 1, 0) - w.place) order by w.at)
      from unnest(${sql.param(wanted.map(partNumber))}::float8[]) with ordinality as w (place, at)) nulls first, place
    limit ${offered}`)
  return found.rows.map(({ ref }) => ref)
}

/** Maximum length of a title, because the cost of the comparison grows with it. */
const maxTitle = 120

/**
 * Maximum number of headings that are compared in full: those that share most letter pairs with the unknown title.
 */
const maxCompared = 200

/**
 * Minimum similarity of a suggestion, for a whole title and for a part of one. Less similar titles would be guesses.
 */
const minLikeness = 0.45
const minLikenessOfPart = 0.7

/** Minimum fraction of shared letter pairs. With fewer, neither similarity can reach its minimum; see `dice`. */
const minCommon = minLikeness / 2 / (1 - minLikeness / 2)

type Likely = Heading & { readonly firstRef: string; readonly likeness: number }

/** Suggests the nearest numbers under the most similar titles. */
async function nearestTitles(executor: Executor, ref: string): Promise<readonly string[]> {
  const [reading] = refReadings(ref)
  if (!reading) return []
  const likely = await titlesLike(executor, reading.heading)
  if (reading.address.length === 0) return likely.map(({ heading }) => heading)
  const near = await Promise.all(
    likely.map(async (heading) => {
      const [ref_] = await nearestNumbers(executor, [heading], reading.address)
      return ref_ ?? heading.firstRef
    }),
  )
  return [...new Set(near)]
}

async function titlesLike(executor: Executor, written: string): Promise<readonly Likely[]> {
  const key = looseHeadingKey(written)
  if (key.length > maxTitle) return []
  const wanted = letterPairs(key)
  const words = key.split(' ').length
  const found = await executor.execute<{
    key: string
    heading: string
    work_id: number
    first_ref: string
  }>(sql`
    select key, heading, work_id, first_ref from (
      select h.key, h.heading, h.work_id, h.first_ref,
        (select count(*) from unnest(${sql.param([...wanted])}::text[]) as pair where strpos(h.key, pair) > 0) as common
      from headings h join works w on w.id = h.work_id
      where starts_with(h.key, '~') and (h.kind <> 'title' or h.heading = w.title)) compared
    where common >= ${Math.ceil(minCommon * wanted.size)}
    order by common::float8 / greatest(${wanted.size}, length(key)) desc, common desc, key, heading
    limit ${maxCompared}`)
  const best = new Map<string, Likely>()
  for (const { key: known, heading, work_id, first_ref } of found.rows) {
    const likeness = Math.max(dice(wanted, letterPairs(known)), partLikeness(wanted, known, words))
    if (likeness > (best.get(heading)?.likeness ?? minLikeness))
      best.set(heading, { heading, workId: work_id, firstRef: first_ref, likeness })
  }
  return [...best.values()]
    .sort((a, b) => b.likeness - a.likeness || (a.heading < b.heading ? -1 : 1))
    .slice(0, offered)
}

/** Similarity of the last words of a key, because people name a part without its work. */
function partLikeness(wanted: ReadonlySet<string>, key: string, words: number): number {
  const own = key.split(' ')
  if (own.length <= words) return 0
  const likeness = dice(wanted, letterPairs(`~${own.slice(-words).join(' ')}`))
  // A whole title of equal similarity comes first.
  return likeness < minLikenessOfPart ? 0 : likeness * 0.9
}
