import { yearBounds } from '../../../sources/periods/composed.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { filterParameters, type SearchFilters } from './search-filters.ts'

/** The form that limits a search to works of some years. The other filters stay. */
export function yearsForm(t: Texts, filters: SearchFilters): Html {
  const { from, to, ...kept } = { q: filters.q, ...filterParameters(filters) }
  return html`<form class="years" action="/library/search">${Object.entries(kept).map(([name, value]) =>
    value ? html`<input type="hidden" name="${name}" value="${value}">` : nothing,
  )}
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
