import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { unknownCursor } from '../../errors.ts'
import type { Years } from '../periods/composed.ts'
import { composedYears, type PeriodFilter } from '../periods/period-filter.ts'
import { nearestRefs } from '../refs/nearest-refs.ts'
import { stripControls } from '../text/strip-controls.ts'
import { workConditions } from './library-filter.ts'
import { loadByRef, loadRange, toPassage } from './load-passages.ts'
import { type AskPublisher, type AtPublisher, resolveOnDemand } from './publisher.ts'
import type { Passage } from './types.ts'

export type ReadOptions = {
  /** Number of neighbouring passages before and after, 0 to 20. */
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly language?: string | undefined
  readonly signal?: AbortSignal
  /** Asks the publisher for a ref that the library does not have. */
  readonly ask?: AskPublisher | undefined
}

/** A ref that the library does not have: existing refs near it, and where its publisher has it. */
export type NotHeld = { readonly nearest: readonly string[]; readonly publisher?: AtPublisher }

const maxNeighbours = 20

/**
 * Reads a ref in all versions or those of one language, with its neighbours in reading order. A ref of a section
 * gives its passages, at most 60. A ref that the library does not have is asked of the publisher, if `options.ask` is
 * given; otherwise, and if the publisher has no text to store, the result has the nearest existing refs.
 * @throws the reason of `options.signal` when it is aborted; no further statement is sent.
 */
export async function readPassage(
  executor: Executor,
  ref: string,
  options: ReadOptions,
): Promise<{ readonly passages: readonly Passage[] } | NotHeld> {
  const { place, publisher } = await resolveOnDemand(executor, ref, options.ask, options.signal)
  if (!place) {
    const nearest = await nearestRefs(executor, ref, options.signal)
    return { nearest, ...(publisher && { publisher }) }
  }
  const rows = await loadRange(executor, place, {
    before: clamp(options.before),
    after: clamp(options.after),
    language: options.language && stripControls(options.language),
  })
  return { passages: rows.map(toPassage) }
}

/** Reads the passages at each of these refs, in all versions. Refs without a passage are missing in the result. */
export async function passagesAt(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly Passage[]>> {
  const rows = refs.length === 0 ? [] : await loadByRef(executor, refs)
  return Map.groupBy(rows.map(toPassage), (passage) => passage.ref)
}

function clamp(neighbours: number | undefined): number {
  return Math.min(maxNeighbours, Math.max(0, Math.trunc(neighbours ?? 0)))
}

export type WorkSummary = {
  readonly title: string
  readonly heTitle: string
  readonly author: string
  readonly categories: readonly string[]
  /** When it was written; null if unknown. */
  readonly composed: Years | null
  readonly languages: readonly string[]
  /** Number of places in the work. */
  readonly passages: number
}

export type WorkFilter = PeriodFilter & {
  readonly category?: string | undefined
  readonly author?: string | undefined
  readonly limit: number
  /** Title after which the page begins. */
  readonly after?: string | undefined
}

/**
 * Lists the works of the library, sorted by title.
 * @throws ServiceError `invalid_value` with similar names, for a category or author that the library does not have, and
 * for a wrong period or an `after` that is not a title of this list.
 */
export async function listWorks(executor: Executor, filter: WorkFilter): Promise<readonly WorkSummary[]> {
  const { limit, after, ...works } = filter
  const conditions = [sql`true`, ...(await workConditions(executor, works))]
  if (after !== undefined) {
    const title = stripControls(after)
    await requireTitle(executor, [...conditions, sql`w.title = ${title}`])
    conditions.push(sql`w.title > ${title}`)
  }
  const found = await executor.execute<WorkSummary>(sql`
    select w.title, w.he_title as "heTitle", w.author, w.categories, ${composedYears} as composed,
      array(select distinct v.language from versions v where v.work_id = w.id order by 1) as languages,
      (select count(*)::int from passages p where p.work_id = w.id) as passages
    from works w where ${sql.join(conditions, sql` and `)}
    order by w.title limit ${limit}`)
  return found.rows
}

async function requireTitle(executor: Executor, conditions: readonly SQL[]): Promise<void> {
  const found = await executor.execute(
    sql`select from works w where ${sql.join([...conditions], sql` and `)}`,
  )
  if (found.rows.length === 0) throw unknownCursor()
}
