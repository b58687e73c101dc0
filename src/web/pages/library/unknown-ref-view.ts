import { type Html, html } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import type { Page } from '../../components/page.ts'
import { breadcrumbs, searchForm } from './search-view.ts'

/** A ref that the library does not have, with the nearest refs. */
export function unknownRefPage(ref: string, nearest: readonly string[]): Page {
  const shown = ref.slice(0, 300)
  return {
    title: 'No such ref',
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs()}<h1>There is no such ref</h1>
<p>The library has no “<bdi>${shown}</bdi>”.</p>
${nearest.length > 0 ? suggestions(nearest) : noSuggestion}
${searchForm({ q: shown })}`,
  }
}

function suggestions(refs: readonly string[]): Html {
  const links = refs.map((ref) => html`<li><a href="${readHref(ref)}" dir="auto">${ref}</a></li>`)
  return html`<p>Did you mean one of these?</p><ul class="nearest">${links}</ul>`
}

const noSuggestion = html`<p>No work has a similar name. Browse <a href="/library">the works</a>, or search:</p>`
