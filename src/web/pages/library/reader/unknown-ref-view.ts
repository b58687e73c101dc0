import { type Html, html } from '../../../components/html.ts'
import { readHref } from '../../../components/library-links.ts'
import type { Page } from '../../../components/page.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import type { RefNames } from '../../ref-names.ts'
import { searchForm } from '../search-form.ts'
import { breadcrumbs } from '../search-view.ts'

type Shown = { readonly ref: string; readonly nearest: readonly string[]; readonly names: RefNames }

/** A ref that the library does not have, with the nearest refs. */
export function unknownRefPage(t: Texts, { ref, nearest, names }: Shown): Page {
  const shown = ref.slice(0, 300)
  return {
    title: t.reader.unknownTitle,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.reader.unknownTitle}</h1>
<p>${t.reader.unknownRef[0]}<bdi>${shown}</bdi>${t.reader.unknownRef[1]}</p>
${nearest.length > 0 ? suggestions(t, nearest, names) : noSuggestion(t)}
${searchForm(t, { q: shown })}`,
  }
}

function suggestions(t: Texts, refs: readonly string[], names: RefNames): Html {
  const links = refs.map((ref) => html`<li><a href="${readHref(ref)}" dir="auto">${names(ref)}</a></li>`)
  return html`<p>${t.reader.didYouMean}</p><ul class="nearest">${links}</ul>`
}

function noSuggestion(t: Texts): Html {
  return html`<p>${t.reader.noSimilar} <a href="/library">${t.search.browse}</a></p>`
}
