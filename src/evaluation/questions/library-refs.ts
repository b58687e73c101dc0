import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { type PassageRange, resolveRefs } from '../../sources/refs/ref-lookup.ts'
import { expectedRefs, type Question } from './question.ts'

/** Refs that one look-up takes. */
const batch = 200

/** The passages of refs in the library, whatever their spelling. A ref without a range is not in the library. */
export type RangesByRef = ReadonlyMap<string, PassageRange>

/** Looks up refs of any number. */
export async function findRanges(executor: Executor, refs: Iterable<string>): Promise<RangesByRef> {
  return (await lookUp(executor, refs)).ranges
}

/** The ranges, and the refs of works that the library has, without the place. */
async function lookUp(executor: Executor, refs: Iterable<string>) {
  const all = [...new Set(refs)]
  const ranges = new Map<string, PassageRange>()
  const wrong = new Set<string>()
  for (let at = 0; at < all.length; at += batch) {
    const some = all.slice(at, at + batch)
    const resolved = await resolveRefs(executor, some)
    for (const [i, ref] of some.entries()) {
      const range = resolved[i]?.found?.place
      if (range) ranges.set(ref, range)
      else if (resolved[i] && resolved[i].known.length > 0) wrong.add(ref)
    }
  }
  return { ranges, wrong }
}

/** Whether both refs name the same passage, or ranges that overlap. */
export function isSamePassage(a: string, b: string, ranges: RangesByRef): boolean {
  const [first, second] = [ranges.get(a), ranges.get(b)]
  if (!first || !second) return a.trim() === b.trim()
  return first.workId === second.workId && first.first <= second.last && second.first <= first.last
}

/**
 * Finds what the library lacks for each question: titles of `needs`, and refs of `expected`. A question of which it
 * has one of the `any` refs lacks nothing of them.
 * @throws ServiceError `invalid_value` for an expected ref that does not exist in a work that the library has.
 * @returns the missing titles and refs by question id. A question without an entry can be asked.
 */
export async function findMissing(
  executor: Executor,
  questions: readonly Question[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { ranges, wrong } = await lookUp(executor, questions.flatMap(expectedRefs))
  const titles = await titlesHeld(
    executor,
    questions.flatMap(({ needs }) => needs),
  )
  const missing = new Map<string, readonly string[]>()
  for (const { id, expected, needs } of questions) {
    const noWork = needs.filter((title) => !titles.has(title.toLowerCase()))
    const mistyped = [...expected.any, ...expected.all].find((ref) => wrong.has(ref))
    if (mistyped !== undefined && noWork.length === 0) {
      throw new ServiceError(
        'invalid_value',
        `Question ${id} expects "${mistyped}": the library has the work, but not this place. Correct the ref, name what the question needs in "needs", or use --ask-all.`,
      )
    }
    const noneOfAny = expected.any.some((ref) => ranges.has(ref)) ? [] : expected.any
    const lacking = [...noWork, ...noneOfAny, ...expected.all.filter((ref) => !ranges.has(ref))]
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
