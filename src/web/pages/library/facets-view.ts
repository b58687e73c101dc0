import {
  type FacetCounts,
  type FacetName,
  facetNames,
  type HitCount,
  type SearchFacets,
} from '../../../sources/search/facets.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { nameIn } from '../../components/names.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { authorName } from '../author-name.ts'

/** The words and filters of a search, as its URL has them. */
export type SearchFilters = {
  readonly q: string
  readonly language?: string | undefined
  readonly work?: string | undefined
  readonly author?: string | undefined
  readonly category?: string | undefined
}

/** Hebrew titles of works, by their titles. */
type Titles = ReadonlyMap<string, string>

/** Values of a facet that are shown at once; the others open. */
const maxShown = 8

/**
 * Where the hits are: works, authors and categories with their numbers, each a link that narrows the search.
 * The numbers are those within the other chosen filters. Nothing if no link would narrow it.
 */
export function facetNav(t: Texts, filters: SearchFilters, facets: SearchFacets, titles: Titles): Html {
  const shown = [
    facet(t, { name: 'work', heading: t.search.works }, filters, facets.work, titles),
    facet(t, { name: 'author', heading: t.search.authors }, filters, facets.author, titles),
    facet(t, { name: 'category', heading: t.search.categories }, filters, facets.category, titles),
  ]
  if (shown.every((one) => one === nothing)) return nothing
  return html`<nav class="shelf-nav facets" aria-label="${t.search.facets}">${shown}</nav>`
}

function facet(
  t: Texts,
  { name, heading }: { readonly name: FacetName; readonly heading: string },
  filters: SearchFilters,
  { counted, values }: FacetCounts,
  titles: Titles,
): Html {
  // A value that every hit has narrows nothing.
  const counts = values.filter(({ name: value, hits }) => hits < counted || value === filters[name])
  if (counts.length === 0) return nothing
  const entry = (one: HitCount) =>
    html`<li>${facetLink(t, name, filters, one, titles)} <span class="faint">${one.hits}</span></li>`
  const more = counts.slice(maxShown)
  return html`<details open><summary>${heading}</summary><ul>${counts.slice(0, maxShown).map(entry)}</ul>
${
  more.length > 0
    ? html`<details class="more-facets"><summary>+${more.length}</summary><ul>${more.map(entry)}</ul>
</details>`
    : nothing
}</details>`
}

/** A value as the page shows it, in its language. */
function shownValue(t: Texts, name: FacetName, value: string, titles: Titles): string {
  if (name === 'category') return t.library.categoryName(value)
  if (name === 'author') return authorName(t, value)
  return nameIn(t, { en: value, he: titles.get(value) ?? '' })
}

function facetLink(
  t: Texts,
  name: FacetName,
  filters: SearchFilters,
  { name: value }: HitCount,
  titles: Titles,
): Html {
  const mark = filters[name] === value ? html` aria-current="true"` : nothing
  const href = searchHref({ ...filters, [name]: value })
  return html`<a href="${href}" dir="auto"${mark}>${shownValue(t, name, value, titles)}</a>`
}

/** The filters in use, each with a link that drops it; nothing without filters. */
export function filterChips(t: Texts, filters: SearchFilters, titles: Titles): Html {
  const used = facetNames.filter((name) => filters[name] !== undefined)
  if (used.length === 0) return nothing
  return html`<ul class="chips">${used.map((name) => {
    const value = filters[name] ?? ''
    const shown = shownValue(t, name, value, titles)
    return html`<li class="chip">${t.search[name]}: <bdi>${shown}</bdi>
<a href="${searchHref({ ...filters, [name]: undefined })}" aria-label="${t.search.without(shown)}">✕</a></li>`
  })}</ul>`
}

/** The URL of a search. */
export function searchHref(filters: SearchFilters, after?: string): string {
  const { q, language, work, author, category } = filters
  return withQuery('/library/search', { q, language, work, author, category, after })
}
