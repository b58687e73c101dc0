import { withQuery } from '../../components/library-links.ts'

/** The words and filters of a search, as its URL has them. */
export type SearchFilters = {
  readonly q: string
  readonly language?: string | undefined
  readonly work?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
  readonly period?: string | undefined
  /** As text in a search that was refused. */
  readonly from?: number | string | undefined
  readonly to?: number | string | undefined
}

const longest = { q: 1_000, filter: 300 }

/** The words and filters of a URL as they stand there, right or wrong, so that a refused search keeps them. */
export function filtersAsked(asked: Readonly<Record<string, unknown>>): SearchFilters {
  const text = (name: string, length = longest.filter) => {
    const value = asked[name]
    return typeof value === 'string' ? value.slice(0, length) : undefined
  }
  return {
    q: text('q', longest.q) ?? '',
    language: text('language'),
    work: text('work'),
    author: text('author'),
    category: text('category'),
    period: text('period'),
    from: text('from'),
    to: text('to'),
  }
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
