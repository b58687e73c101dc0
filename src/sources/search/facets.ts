import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { centuriesOf, type Years } from '../periods/composed.ts'
import { composedYears, undated } from '../periods/period-filter.ts'
import type { SearchHit } from './hit.ts'
import type { LanguageCounts } from './languages.ts'

/** A value of a facet, and how many of the counted hits have it. */
export type HitCount = { readonly name: string; readonly hits: number }

/**
 * What the hits of a search are counted by. A period is the number of a century, or `undated`; a work of several centuries
 * counts in each of them. A passage found in two languages counts in both.
 */
export const facetNames = ['work', 'author', 'period', 'language', 'category'] as const

export type FacetName = (typeof facetNames)[number]

/** The values of a facet, most frequent first. An author or a category is missing for hits without one. */
export type FacetCounts = {
  /** Number of hits that were counted: all of them if `isAll`, otherwise the best ones. */
  readonly counted: number
  readonly isAll: boolean
  readonly values: readonly HitCount[]
}

/** Where the hits of a search are, and how many it has: `total` of them if `isAll`, otherwise more. */
export type SearchFacets = Readonly<Record<FacetName, FacetCounts>> & {
  readonly total: number
  readonly isAll: boolean
}

/** The best hits of a search. */
export type RankedHits = {
  readonly hits: readonly Pick<SearchHit, 'work' | 'author'>[]
  readonly hasMore: boolean
  readonly languages: () => LanguageCounts
}

/** Number of hits that callers read to count them. The words of each are compared with the query. */
export const countedHits = 100

/**
 * Counts hits by the values of each facet.
 * @param found the hits of the search with all its filters.
 * @param without for each facet with a filter: the hits of the search without that filter, so that the counts of the
 *   other values say what they would give.
 */
export async function countFacets(
  executor: Executor,
  found: RankedHits,
  without: Readonly<Partial<Record<FacetName, RankedHits>>>,
): Promise<SearchFacets> {
  const hitsOf = (name: FacetName) => without[name] ?? found
  const titles = new Set([...hitsOf('category').hits, ...hitsOf('period').hits].map(({ work }) => work))
  const works = await worksOf(executor, [...titles])
  const counts = (name: FacetName, valuesOf: (hit: RankedHits['hits'][number]) => readonly string[]) => {
    const { hits, hasMore } = hitsOf(name)
    return { counted: hits.length, isAll: !hasMore, values: countBy(hits.map(valuesOf)) }
  }
  return {
    total: found.hits.length,
    isAll: !found.hasMore,
    work: counts('work', ({ work }) => [work]),
    author: counts('author', ({ author }) => [author]),
    period: counts('period', ({ work }) => periodsOf(works.get(work))),
    language: languageCounts(hitsOf('language')),
    category: counts('category', ({ work }) => works.get(work)?.categories ?? []),
  }
}

function languageCounts({ hits, hasMore, languages }: RankedHits): FacetCounts {
  const values = [...languages()].map(([name, found]) => ({ name, hits: Math.min(found, countedHits) }))
  return { counted: hits.length, isAll: !hasMore, values: mostFirst(values) }
}

type CountedWork = {
  readonly title: string
  readonly categories: readonly string[]
  readonly composed: Years | null
}

/** Facts of works. They are few, because they come from at most 100 hits of a search or two. */
async function worksOf(
  executor: Executor,
  titles: readonly string[],
): Promise<ReadonlyMap<string, CountedWork>> {
  const { rows } = await executor.execute<CountedWork>(sql`
    select w.title, w.categories, ${composedYears} as composed
    from works w where w.title = any(${sql.param(titles)}::text[])`)
  return new Map(rows.map((work) => [work.title, work]))
}

function periodsOf(work: CountedWork | undefined): readonly string[] {
  return work?.composed ? centuriesOf(work.composed).map(String) : [undated]
}

/** Counts each name once per hit, the most frequent first. */
function countBy(names: readonly (readonly string[])[]): readonly HitCount[] {
  const counts = new Map<string, number>()
  for (const own of names)
    for (const name of new Set(own)) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  return mostFirst([...counts].map(([name, hits]) => ({ name, hits })))
}

function mostFirst(counts: readonly HitCount[]): readonly HitCount[] {
  return counts.toSorted((a, b) => b.hits - a.hits || a.name.localeCompare(b.name, 'en'))
}
