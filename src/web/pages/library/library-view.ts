import type { FacetCount, LibrarySize } from '../../../sources/library/catalogue.ts'
import type { WorkSummary } from '../../../sources/library/passages.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
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
export function libraryPage(shown: Shown): Page {
  const { size } = shown
  return {
    title: 'Library',
    section: 'library',
    sheets: ['library'],
    main: html`<h1>Library</h1>
<p class="faint">${sizeText(size)}. Each text shows its licence and its source.</p>
${searchForm({})}
${size.works === 0 ? emptyLibrary : html`<div class="shelves">${shelfNav(shown)}${workList(shown)}</div>`}`,
  }
}

/** Such as `3 works in 5 versions, 1,234 texts`. */
function sizeText({ works, versions, texts }: LibrarySize): string {
  return `${counted(works, 'work')} in ${counted(versions, 'version')}, ${counted(texts, 'text')}`
}

const emptyLibrary = emptyState(
  'The library is empty',
  html`The operator of this service adds collections on the page Operator, Library, or with
<code>npm run -s service -- sources add</code>.`,
)

function shelfNav({ filter, categories, authors }: Shown): Html {
  const subject = filter.category ? `Within ${filter.category}` : 'Categories'
  return html`<div class="shelf-nav">
${shelf(subject, categories, (name) => withQuery('/library', { category: name }))}
${shelf('Authors', authors, (name) => withQuery('/library', { author: name }), filter.author)}</div>`
}

function shelf(
  title: string,
  entries: readonly FacetCount[],
  href: (name: string) => string,
  selected?: string,
) {
  if (entries.length === 0) return nothing
  const mark = (name: string) => (name === selected ? html` aria-current="true"` : nothing)
  return html`<details open><summary>${title}</summary><ul>${entries.map(
    ({ name, works }) =>
      html`<li><a href="${href(name)}" dir="auto"${mark(name)}>${name}</a> <span class="faint">${works}</span></li>`,
  )}</ul></details>`
}

function workList({ filter, works, hasMore }: Shown): Html {
  const chosen = filter.category ?? filter.author
  const next = withQuery('/library', { ...filter, after: works.at(-1)?.title })
  return html`<section class="works" aria-labelledby="works">
<div class="head"><h2 id="works" dir="auto">${chosen ?? 'All works'}</h2>
${chosen ? html`<a href="/library">Show all works</a>` : nothing}</div>
${works.length === 0 ? noWorks : html`<ul class="work-list">${works.map(workEntry)}</ul>`}
${pager(hasMore && { label: 'More works', href: next })}</section>`
}

const noWorks = emptyState(
  'No works here',
  html`No work has this author or category. <a href="/library">Show all works</a>.`,
)

function workEntry(work: WorkSummary): Html {
  const about = [work.author, work.categories.at(-1)].filter(Boolean).join(' · ')
  const languages = work.languages.map(languageName).join(', ')
  return html`<li><a class="work-title" href="${workHref(work.title)}" dir="auto">${work.title}</a>
${work.heTitle ? html`<span lang="he" dir="rtl">${work.heTitle}</span>` : nothing}
<span class="faint"><bdi>${about}</bdi> ${counted(work.passages, 'passage')} · ${languages}</span></li>`
}
