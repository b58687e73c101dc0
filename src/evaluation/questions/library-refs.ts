import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { type PlaceRange, resolveRefs } from '../../sources/refs/ref-lookup.ts'
import { expectedRefs, type Question } from './question.ts'

/** Refs that one look-up takes. */
const batch = 200

/** Where the library has refs, whatever their spelling. A ref without a place is not in the library. */
export type PlacesByRef = ReadonlyMap<string, PlaceRange>

/** Looks up refs of any number. */
export async function findPlaces(executor: Executor, refs: Iterable<string>): Promise<PlacesByRef> {
  const all = [...new Set(refs)]
  const places = new Map<string, PlaceRange>()
  for (let at = 0; at < all.length; at += batch) {
    const some = all.slice(at, at + batch)
    const resolved = await resolveRefs(executor, some)
    for (const [i, ref] of some.entries()) {
      const place = resolved[i]?.found?.place
      if (place) places.set(ref, place)
    }
  }
  return places
}

/** Whether both refs name the same place, or places that overlap. */
export function isSamePlace(a: string, b: string, places: PlacesByRef): boolean {
  const [first, second] = [places.get(a), places.get(b)]
  if (!first || !second) return a.trim() === b.trim()
  return first.workId === second.workId && first.first <= second.last && second.first <= first.last
}

/**
 * Finds what the library lacks for each question: titles of `needs`, and refs of `expected`. A question of which it
 * has one of the `any` refs lacks nothing of them.
 * @returns the missing titles and refs by question id. A question without an entry can be asked.
 */
export async function findMissing(
  executor: Executor,
  questions: readonly Question[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const places = await findPlaces(executor, questions.flatMap(expectedRefs))
  const titles = await titlesHeld(
    executor,
    questions.flatMap(({ needs }) => needs),
  )
  const missing = new Map<string, readonly string[]>()
  for (const { id, expected, needs } of questions) {
    const noWork = needs.filter((title) => !titles.has(title.toLowerCase()))
    const noneOfAny = expected.any.some((ref) => places.has(ref)) ? [] : expected.any
    const lacking = [...noWork, ...noneOfAny, ...expected.all.filter((ref) => !places.has(ref))]
    if (lacking.length > 0) missing.set(id, lacking)
  }
  return missing
}

async function titlesHeld(executor: Executor, titles: readonly string[]): Promise<ReadonlySet<string>> {
  if (titles.length === 0) return new Set()
  const lower = [...new Set(titles.map((title) => title.toLowerCase()))]
  const found = await executor.execute<{ title: string }>(sql`
    select distinct t.title from unnest(${sql.param(lower)}::text[]) as t (title)
      join works w on lower(w.title) = t.title or lower(w.he_title) = t.title`)
  return new Set(found.rows.map(({ title }) => title))
}
