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
${yearField('from', t.search.from, from)}${yearField('to', t.search.to, to)}
<button class="quiet">${t.search.showYears}</button></form>`
}

function yearField(name: 'from' | 'to', label: string, value: string | undefined): Html {
  return html`<label>${label} <input type="number" name="${name}" value="${value ?? ''}"
min="${yearBounds.min}" max="${yearBounds.max}"></label>`
}
