import type { FacetCount, LibrarySize } from '../../../sources/library/catalogue.ts'
import type { WorkSummary } from '../../../sources/library/passages.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { counted, languageName } from '../../components/texts.ts'
import { searchForm } from './search-view.ts'

type Filter = { readonly category?: string | undefined; readonly author?: string | undefined }

type Shown = {
  readonly filter: Filter
  readonly size: LibrarySize
  readonly categories: readonly FacetCount[]
  readonly authors: readonly FacetCount[]
  readonly works: readonly WorkSummary[]
  readonly hasMore: boolean
}

/** The works of the library, by category and author. */
export function libraryPage({ filter, size, categories, authors, works, hasMore }: Shown): Page {
  return {
    title: 'Library',
    section: 'library',
    sheets: ['library'],
    main: html`<h1>Library</h1>
<p class="faint">${counted(size.works, 'work')} in ${counted(size.versions, 'version')}, ${counted(size.texts, 'text')}. Every one shows its licence and where it comes from.</p>
${searchForm({})}
${size.works === 0 ? emptyLibrary() : html`<div class="shelves">${shelfNav(filter, categories, authors)}${workList(filter, works, hasMore)}</div>`}`,
  }
}

function emptyLibrary(): Html {
  return emptyState(
    'The library is empty',
    'Texts are imported by whoever runs this service, for example with “npm run -s service -- sources import sefaria Tanya”.',
  )
}

function shelfNav(filter: Filter, categories: readonly FacetCount[], authors: readonly FacetCount[]): Html {
  return html`<div class="shelf-nav">
${shelf(filter.category ? `Within ${filter.category}` : 'Categories', categories, (name) => withQuery('/library', { category: name }))}
${shelf('Authors', authors, (name) => withQuery('/library', { author: name }), filter.author)}</div>`
}

function shelf(
  title: string,
  entries: readonly FacetCount[],
  href: (name: string) => string,
  present?: string,
) {
  if (entries.length === 0) return nothing
  return html`<details open><summary>${title}</summary><ul>${entries.map(
    ({ name, works }) =>
      html`<li><a href="${href(name)}" dir="auto"${name === present ? html` aria-current="true"` : nothing}>${name}</a> <span class="faint">${works}</span></li>`,
  )}</ul></details>`
}

function workList(filter: Filter, works: readonly WorkSummary[], hasMore: boolean): Html {
  const chosen = filter.category ?? filter.author
  const next = works.at(-1)?.title
  return html`<section class="works" aria-labelledby="works"><div class="head"><h2 id="works" dir="auto">${chosen ?? 'All works'}</h2>${chosen ? html`<a href="/library">Show all works</a>` : nothing}</div>
${works.length === 0 ? emptyState('No works here', html`Nothing stands under this name. <a href="/library">Show all works</a>.`) : html`<ul class="work-list">${works.map(workEntry)}</ul>`}
${hasMore ? html`<p class="pager"><a class="button quiet" href="${withQuery('/library', { ...filter, after: next })}">More works</a></p>` : nothing}</section>`
}

function workEntry(work: WorkSummary): Html {
  return html`<li><a class="work-title" href="${workHref(work.title)}" dir="auto">${work.title}</a>
${work.heTitle ? html`<span lang="he" dir="rtl">${work.heTitle}</span>` : nothing}
<span class="faint"><bdi>${[work.author, work.categories.at(-1)].filter(Boolean).join(' · ')}</bdi> ${counted(work.passages, 'passage')} · ${work.languages.map(languageName).join(', ')}</span></li>`
}
