import { html } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import type { Page } from '../../components/page.ts'
import { crumbs, searchForm } from './search-view.ts'

/** The page for a ref that the library does not have, with the nearest refs. */
export function unknownRefPage(ref: string, nearest: readonly string[]): Page {
  const shown = ref.slice(0, 300)
  return {
    title: 'No such ref',
    section: 'library',
    sheets: ['library'],
    main: html`${crumbs()}<h1>There is no such place</h1>
<p>The library has no “<bdi>${shown}</bdi>”.</p>
${nearest.length > 0 ? html`<p>Was one of these meant?</p><ul class="nearest">${nearest.map((near) => html`<li><a href="${readHref(near)}" dir="auto">${near}</a></li>`)}</ul>` : html`<p>Nothing in it has a name like that. Look through <a href="/library">the works</a>, or search:</p>`}
${searchForm({ q: shown })}`,
  }
}
