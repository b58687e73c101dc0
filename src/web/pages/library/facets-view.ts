import { yearBounds } from '../../../sources/periods/composed.ts'
import { undated } from '../../../sources/periods/period-filter.ts'
import {
  type FacetCounts,
  type FacetName,
  facetNames,
  type HitCount,
  type SearchFacets,
} from '../../../sources/search/facets.ts'
import { type Html, hiddenFields, html, nothing } from '../../components/html.ts'
import { nameIn } from '../../components/names.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { authorName } from '../wording.ts'
import { filterParameters, type SearchFilters, searchHref } from './search-filters.ts'

/** Hebrew titles of works, by their titles. */
type Titles = ReadonlyMap<string, string>

/** Values of a facet that are shown at once; the others open. */
const maxShown = 8

/**
 * Where the hits are: works, authors, periods, languages and categories with their numbers, each a link that narrows
 * the search. The numbers are those within the other chosen filters. Nothing if no link would narrow it.
 */
export function facetNav(t: Texts, filters: SearchFilters, facets: SearchFacets, titles: Titles): Html {
  const headings = {
    work: t.search.works,
    author: t.search.authors,
    period: t.search.periods,
    language: t.search.languages,
    category: t.search.categories,
  }
  const shown = facetNames.map((name) =>
    facet(t, { name, heading: headings[name] }, filters, facets[name], titles),
  )
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
  const useful = values.filter(({ name: value, hits }) => hits < counted || value === filters[name])
  // A language that every hit has still chooses which texts are shown.
  const counts = name === 'language' && useful.length > 0 ? values : useful
  const hasYears = name === 'period' && (filters.from !== undefined || filters.to !== undefined)
  if (counts.length === 0 && !hasYears) return nothing
  const entry = (one: HitCount) =>
    html`<li>${facetLink(t, name, filters, one, titles)} <span class="faint">${one.hits}</span></li>`
  const ordered = name === 'period' ? inTime : (some: readonly HitCount[]) => some
  const more = ordered(counts.slice(maxShown))
  return html`<details open><summary>${heading}</summary>
<ul class="plain-list">${ordered(counts.slice(0, maxShown)).map(entry)}</ul>
${
  more.length > 0
    ? html`<details class="more-facets"><summary>+${more.length}</summary><ul class="plain-list">${more.map(entry)}</ul>
</details>`
    : nothing
}${name === 'period' ? yearsForm(t, filters) : nothing}</details>`
}

/** Periods from the earliest to the latest; works without a date last. */
function inTime(periods: readonly HitCount[]): readonly HitCount[] {
  const time = ({ name }: HitCount) => (name === undated ? Number.POSITIVE_INFINITY : Number(name))
  return periods.toSorted((a, b) => time(a) - time(b))
}

/** A value as the page shows it, in its language. */
function shownValue(t: Texts, name: FacetName, value: string, titles: Titles): string {
  if (name === 'category') return t.library.categoryName(value)
  if (name === 'author') return authorName(t, value)
  if (name === 'language') return t.languageName(value)
  if (name === 'period' && value === undated) return t.search.undated
  if (name === 'period' && Number.isInteger(Number(value))) return t.search.century(Number(value))
  if (name === 'period') return value
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
  const shown = shownValue(t, name, value, titles)
  // The hits have links of the same text to the works.
  return html`<a href="${href}" dir="auto" aria-label="${t.search[name]}: ${shown}"${mark}>${shown}</a>`
}

/** The filters in use, each with a link that drops it; nothing without filters. */
export function filterChips(t: Texts, filters: SearchFilters, titles: Titles): Html {
  const used = facetNames.flatMap((name) => {
    const value = filters[name]
    if (value === undefined) return []
    const without = searchHref({ ...filters, [name]: undefined })
    return [chip(t, t.search[name], shownValue(t, name, value, titles), without)]
  })
  const [from, to] = [filters.from, filters.to].map((year) => (typeof year === 'number' ? year : undefined))
  if (from !== undefined || to !== undefined) {
    const without = searchHref({ ...filters, from: undefined, to: undefined })
    used.push(chip(t, t.search.years, t.search.between(from, to), without))
  }
  return used.length === 0 ? nothing : html`<ul class="row chips">${used}</ul>`
}

function chip(t: Texts, label: string, value: string, without: string): Html {
  return html`<li class="chip">${label}: <bdi>${value}</bdi>
<a href="${without}" aria-label="${t.search.without(value)}">✕</a></li>`
}

/** The form that limits a search to works of some years. The other filters stay. */
function yearsForm(t: Texts, filters: SearchFilters): Html {
  const { from, to, ...kept } = { q: filters.q, ...filterParameters(filters) }
  return html`<form class="years" action="/library/search">${hiddenFields(kept)}
${yearFields(t, { from, to })}
<button class="quiet">${t.search.showYears}</button></form>`
}

/** @param years.wrong the field that was refused. */
export function yearFields(
  t: Texts,
  years: {
    readonly from?: string | undefined
    readonly to?: string | undefined
    readonly wrong?: string | null
  },
): Html {
  const field = (name: 'from' | 'to', label: string) =>
    html`<label>${label} <input type="number" name="${name}" value="${years[name] ?? ''}"
min="${yearBounds.min}" max="${yearBounds.max}"${years.wrong === name ? html` aria-invalid="true"` : nothing}></label>`
  return html`${field('from', t.search.from)}${field('to', t.search.to)}`
}
