import type { z } from 'zod'
import type { HitPage, hitQuery, UnknownRef } from '../../../sources/search/hit-page.ts'
import { matchedWords } from '../../../sources/search/relevance/matched-words.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { selectField } from '../../components/select-field.ts'
import { directionOf, languageName, markedText, sourceLink } from '../../components/texts.ts'

type Query = z.output<typeof hitQuery>
type Hit = HitPage['hits'][number]
type FormValues = {
  readonly q?: string
  readonly language?: string | undefined
  readonly work?: string | undefined
}

const languages = [
  { value: '', label: 'Any language' },
  { value: 'he', label: 'Hebrew' },
  { value: 'en', label: 'English' },
]

/** The form that searches the library. */
export function searchForm({ q, language, work }: FormValues): Html {
  return html`<form class="search" role="search" action="/library/search">
<label class="search-words">Search the texts <input type="search" name="q" required maxlength="1000" dir="auto"
value="${q ?? ''}" placeholder="Words in Hebrew or English, or a ref such as Tanya 32"></label>
${selectField({ label: 'Language', name: 'language', options: languages, selected: language ?? '' })}
${work === undefined ? nothing : workField(work)}
<button>Search</button></form>`
}

function workField(work: string): Html {
  return html`<label>Only in <input name="work" maxlength="300" dir="auto" value="${work}"></label>`
}

/** The search before a query, or after one that was refused. */
export function emptySearch({ q, problem }: { readonly q?: string; readonly problem?: string }): Page {
  return {
    title: 'Search',
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs()}<h1>Search</h1>${outcomeNotice({ problem })}
${searchForm({ ...(q !== undefined && { q: q.slice(0, 1_000) }) })}
${problem ? nothing : searchHint}`,
  }
}

const searchHint = emptyState(
  'What are you looking for?',
  html`Enter words in Hebrew, English or transliteration, or a ref such as “Tanya 32”. The library grows with
<code>npm run -s service -- sources add</code>, which the operator of this service runs.`,
)

function unknownNote({ ref, nearest, cited_by: citedBy = [] }: UnknownRef, hasHits: boolean): Html {
  const near =
    nearest === null
      ? nothing
      : html` The nearest ref that exists is <a href="${readHref(nearest)}" dir="auto">${nearest}</a>.`
  const below =
    citedBy.length > 0 ? ' Passages that cite it come first.' : ' The results below match its words.'
  return notice('note', html`The library has no “<bdi>${ref}</bdi>”.${near}${hasHits ? below : nothing}`)
}

/** Search results, best first. */
export function searchPage(query: Query, { hits, hasMore, unknownRef }: HitPage): Page {
  const { q, language, work, author, category } = query
  const href = (after?: string) =>
    withQuery('/library/search', { q, language, work, author, category, after })
  return {
    title: `Search: ${q}`,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs()}<h1>Search</h1>${searchForm({ q, language, work })}
${unknownRef === undefined ? nothing : unknownNote(unknownRef, hits.length > 0)}
${hits.length === 0 ? noHits(query) : hitList(q, hits)}
${pager(
  query.after !== undefined && { label: 'Best results', href: href() },
  hasMore && { label: 'More results', href: href(hits.at(-1)?.id) },
)}`,
  }
}

function noHits({ q, language, work, after }: Query): Html {
  if (after === undefined) {
    return emptyState(
      'No results',
      html`Try fewer or other words, another language, or browse <a href="/library">the works</a>. The operator of this
service can add collections, on the page Operator, Library or with <code>npm run -s service -- sources add</code>.`,
    )
  }
  const first = withQuery('/library/search', { q, language, work })
  return emptyState('No more results', html`<a href="${first}">Back to the best results</a>`)
}

function hitList(q: string, hits: readonly Hit[]): Html {
  return html`<ol class="hits" start="${Number(hits[0]?.id.slice(4))}">${hits.map((hit) => hitEntry(q, hit))}</ol>`
}

function hitEntry(q: string, hit: Hit): Html {
  const heRef = hit.heRef ? html` <span class="he-ref" lang="he" dir="rtl">${hit.heRef}</span>` : nothing
  const snippet = markedText(hit.snippet, matchedWords(q, hit.snippet))
  return html`<li class="hit">
<h2><a href="${readHref(hit.ref, { version: hit })}" dir="auto">${hit.ref}</a>${heRef}</h2>
<p class="text" lang="${hit.language}" dir="${directionOf(hit.language)}">${snippet}</p>
<p class="faint"><a href="${workHref(hit.work)}" dir="auto">${hit.work}</a>
· ${languageName(hit.language)}: <bdi>${hit.version}</bdi>
· Licence: <bdi>${hit.license}</bdi>${hit.url ? html` · ${sourceLink(hit.url, 'Source')}` : nothing}</p></li>`
}

/** Links to the library and to a work of it, above a page. */
export function breadcrumbs(work?: string): Html {
  const separator = html` <span aria-hidden="true">/</span> `
  return html`<nav class="breadcrumbs" aria-label="Breadcrumb"><a href="/library">Library</a>${
    work === undefined ? nothing : html`${separator}<a href="${workHref(work)}" dir="auto">${work}</a>`
  }</nav>`
}
