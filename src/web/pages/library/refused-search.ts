import { html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { filterChips } from './facets-view.ts'
import { filterParameters, type SearchFilters } from './search-filters.ts'
import { searchForm } from './search-form.ts'
import { breadcrumbs } from './search-view.ts'
import { yearFields } from './years-form.ts'

export type RefusedShown = {
  readonly filters: SearchFilters
  readonly problem: string
  /** The parameter that was refused. */
  readonly wrong: string | null
  readonly languages: readonly string[]
  /** Hebrew titles of works. */
  readonly titles: ReadonlyMap<string, string>
}

/** A search that was refused, with its words and filters: years in fields to correct, the others to be dropped. */
export function refusedSearch(t: Texts, { filters, problem, wrong, languages, titles }: RefusedShown): Page {
  const { language, from, to, ...kept } = filterParameters(filters)
  const hasYears = from !== undefined || to !== undefined
  const years = hasYears
    ? html`<span class="year-pair">${yearFields(t, { from, to, wrong })}</span>`
    : nothing
  return {
    title: t.search.search,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.search.search}</h1>${outcomeNotice({ problem })}
${searchForm(t, { q: filters.q, language, languages, kept, years })}${filterChips(t, filters, titles)}`,
  }
}
