import { withQuery } from '../../components/library-links.ts'

/** The words and filters of a search, as its URL has them. */
export type SearchFilters = {
  readonly q: string
  readonly language?: string | undefined
  readonly work?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
  readonly period?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The filters without the words, as parameters; those not in use are undefined. */
export function filterParameters(
  filters: SearchFilters,
): Readonly<Record<Exclude<keyof SearchFilters, 'q'>, string | undefined>> {
  const { language, work, author, category, period, from, to } = filters
  return { language, work, author, category, period, from: from?.toString(), to: to?.toString() }
}

/** The URL of a search. */
export function searchHref(filters: SearchFilters, after?: string): string {
  return withQuery('/library/search', { q: filters.q, ...filterParameters(filters), after })
}
