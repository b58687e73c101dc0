import type { FacetCount, LibrarySize } from '../../../sources/library/catalogue.ts'
import type { WorkSummary } from '../../../sources/library/passages.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { namedLink } from '../../components/names.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { authorName } from '../wording.ts'
import { filterDrawer, missingBook, searchForm } from './search-form.ts'

type Filter = { readonly category?: string | undefined; readonly author?: string | undefined }

type Shown = {
  readonly filter: Filter
  readonly size: LibrarySize
  readonly categories: readonly FacetCount[]
  readonly authors: readonly FacetCount[]
  readonly works: readonly WorkSummary[]
  readonly hasMore: boolean
  readonly isOperator: boolean
}

/** The works of the library, by category and author. */
export function libraryPage(t: Texts, shown: Shown): Page {
  const { size } = shown
  return {
    title: t.frame.library,
    section: 'library',
    sheets: ['library'],
    main: html`<div class="head"><h1>${t.frame.library}</h1>
<span class="row"><a href="/library/daily">${t.daily.title}</a>
<a href="/library/mine">${t.reader.mine}</a></span></div>
<p class="faint">${sizeText(t, size)} ${t.library.licences}</p>
${searchForm(t, {})}
${size.works === 0 ? emptyLibrary(t, shown) : shelves(t, shown)}`,
  }
}

function shelves(t: Texts, shown: Shown): Html {
  return html`<div class="shelves">${filterDrawer(t, shelfNav(t, shown))}${workList(t, shown)}</div>`
}

/** Such as `3 works in 5 versions, 1,234 texts`. */
function sizeText(t: Texts, { works, versions, texts }: LibrarySize): string {
  return t.library.size(t.common.works(works), t.common.versions(versions), t.common.texts(texts))
}

function emptyLibrary(t: Texts, { isOperator }: Shown): Html {
  return emptyState(t.library.empty, missingBook(t, isOperator))
}

function shelfNav(t: Texts, { filter, categories, authors }: Shown): Html {
  if (categories.length === 0 && authors.length === 0) return nothing
  const subject = filter.category
    ? t.library.within(t.library.categoryName(filter.category))
    : t.search.categories
  return html`<div class="shelf-nav">
${shelf(subject, categories.map(categoryEntry(t)))}
${shelf(
  t.search.authors,
  authors.map(({ name, works }) => {
    const href = withQuery('/library', { author: name })
    return { name: authorName(t, name), works, href, isChosen: name === filter.author }
  }),
)}</div>`
}

type ShelfEntry = FacetCount & { readonly href: string; readonly isChosen: boolean }

function categoryEntry(t: Texts): (category: FacetCount) => ShelfEntry {
  return ({ name, works }) => {
    const href = withQuery('/library', { category: name })
    return { name: t.library.categoryName(name), works, href, isChosen: false }
  }
}

function shelf(title: string, entries: readonly ShelfEntry[]): Html {
  if (entries.length === 0) return nothing
  return html`<details open><summary>${title}</summary><ul class="plain-list">${entries.map(
    ({ name, works, href, isChosen }) =>
      html`<li><a href="${href}" dir="auto"${isChosen ? html` aria-current="true"` : nothing}>${name}</a>
<span class="faint">${works}</span></li>`,
  )}</ul></details>`
}

function workList(t: Texts, { filter, works, hasMore }: Shown): Html {
  const chosen = filter.category
    ? t.library.categoryName(filter.category)
    : filter.author && authorName(t, filter.author)
  const next = withQuery('/library', { ...filter, after: works.at(-1)?.title })
  return html`<section class="works" aria-labelledby="works">
<div class="head"><h2 id="works" dir="auto">${chosen ?? t.library.allWorks}</h2>
${chosen ? html`<a href="/library">${t.library.showAll}</a>` : nothing}</div>
${works.length === 0 ? noWorks(t) : html`<ul class="work-list">${works.map((work) => workEntry(t, work))}</ul>`}
${pager(hasMore && { label: t.library.moreWorks, href: next })}</section>`
}

function noWorks(t: Texts): Html {
  return emptyState(
    t.library.noWorks,
    html`${t.library.noWorksHint} <a href="/library">${t.library.showAll}</a>.`,
  )
}

function workEntry(t: Texts, work: WorkSummary): Html {
  const names = [authorName(t, work.author), t.library.categoryName(work.categories.at(-1) ?? '')].filter(
    (name) => name !== '',
  )
  const about = names.map((name) => html`<bdi>${name}</bdi> · `)
  const languages = work.languages.map(t.languageName).join(', ')
  return html`<li>${namedLink(t, workHref(work.title), { en: work.title, he: work.heTitle }, 'work-title')}
<span class="faint">${about}${t.common.passages(work.passages)} · ${languages}</span></li>`
}
