import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { SearchHit } from './hit.ts'

/** A value of a facet, and how many of the counted hits have it. */
export type HitCount = { readonly name: string; readonly hits: number }

/**
 * Where the hits of a search are. The library stores no periods, so there is no such facet. An author or a category
 * is missing for hits without one.
 */
export type SearchFacets = {
  /** Number of hits that were counted: all of them if `isAll`, otherwise the best ones. */
  readonly counted: number
  readonly isAll: boolean
  readonly works: readonly HitCount[]
  readonly authors: readonly HitCount[]
  readonly categories: readonly HitCount[]
}

/** Number of hits that callers read to count them. The words of each are compared with the query. */
export const countedHits = 100

/**
 * Counts hits by work, author and category.
 * @param hits of a search without a work, author or category, so that the counts also say what such a filter leaves out.
 * @param isAll whether the search has no other hits.
 */
export async function countFacets(
  executor: Executor,
  hits: readonly Pick<SearchHit, 'work' | 'author'>[],
  isAll: boolean,
): Promise<SearchFacets> {
  const works = countBy(hits.map(({ work }) => [work]))
  const categories = await categoriesOf(executor, works)
  return {
    counted: hits.length,
    isAll,
    works,
    authors: countBy(hits.map(({ author }) => [author])),
    categories: countBy(hits.map(({ work }) => categories.get(work) ?? [])),
  }
}

/** The categories of works. They are few, because they come from at most 100 hits. */
async function categoriesOf(
  executor: Executor,
  works: readonly HitCount[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const titles = works.map(({ name }) => name)
  const { rows } = await executor.execute<{ title: string; categories: readonly string[] }>(
    sql`select title, categories from works where title = any(${sql.param(titles)}::text[])`,
  )
  return new Map(rows.map(({ title, categories }) => [title, categories]))
}

/** Counts each name once per hit, the most frequent first. */
function countBy(names: readonly (readonly string[])[]): readonly HitCount[] {
  const counts = new Map<string, number>()
  for (const own of names)
    for (const name of new Set(own)) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, hits]) => ({ name, hits }))
    .sort((a, b) => b.hits - a.hits || a.name.localeCompare(b.name, 'en'))
}
