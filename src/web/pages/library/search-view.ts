import type { z } from 'zod'
import type { HitPage, hitQuery, UnknownRef } from '../../../sources/search/hit-page.ts'
import { matchedWords } from '../../../sources/search/relevance/matched-words.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, notice, type Page } from '../../components/page.ts'
import { directionOf, languageName, markedText, sourceLink } from '../../components/texts.ts'

type Query = z.output<typeof hitQuery>
type Hit = HitPage['hits'][number]
type FormValues = {
  readonly q?: string
  readonly language?: string | undefined
  readonly work?: string | undefined
}

const languages = [
  { code: '', label: 'Any language' },
  { code: 'he', label: 'Hebrew' },
  { code: 'en', label: 'English' },
]

/** The form that searches the library. */
export function searchForm({ q, language, work }: FormValues): Html {
  return html`<form class="search" role="search" action="/library/search">
<label class="search-words">Search the texts <input type="search" name="q" required maxlength="1000" dir="auto" value="${q ?? ''}" placeholder="Words in Hebrew or English, or a ref such as Tanya 32"></label>
<label>Language <select name="language">${languages.map(
    ({ code, label }) =>
      html`<option value="${code}"${code === (language ?? '') ? html` selected` : nothing}>${label}</option>`,
  )}</select></label>
${work === undefined ? nothing : html`<label>Only in <input name="work" maxlength="300" dir="auto" value="${work}"></label>`}
<button>Search</button></form>`
}

/** The search page before a query, or after one that is invalid. */
export function emptySearch({ q, problem }: { readonly q?: string; readonly problem?: string }): Page {
  return {
    title: 'Search',
    section: 'library',
    sheets: ['library'],
    main: html`${crumbs()}<h1>Search</h1>${problem ? notice('problem', problem) : nothing}
${searchForm({ ...(q !== undefined && { q: q.slice(0, 1_000) }) })}
${problem ? nothing : emptyState('What are you looking for?', 'Write words in Hebrew, English or transliteration, or a ref such as “Tanya 32”.')}`,
  }
}

function unknownNote({ ref, nearest, cited_by: citedBy = [] }: UnknownRef, hasHits: boolean): Html {
  const near =
    nearest === null
      ? nothing
      : html` The nearest ref that exists is <a href="${readHref(nearest)}" dir="auto">${nearest}</a>.`
  const below =
    citedBy.length > 0 ? ' Passages that cite it come first below.' : ' Below is what was found by its words.'
  return notice('note', html`The library has no “<bdi>${ref}</bdi>”.${near}${hasHits ? below : nothing}`)
}

/** What was found, best first. */
export function searchPage(query: Query, { hits, hasMore, unknownRef }: HitPage): Page {
  const { q, language, work, author, category } = query
  const next = hits.at(-1)?.id
  return {
    title: `Search: ${q}`,
    section: 'library',
    sheets: ['library'],
    main: html`${crumbs()}<h1>Search</h1>${searchForm({ q, language, work })}
${unknownRef === undefined ? nothing : unknownNote(unknownRef, hits.length > 0)}
${
  hits.length === 0
    ? emptyState(
        query.after === undefined ? 'Nothing was found' : 'That was all',
        query.after === undefined
          ? html`Try fewer or other words, another language, or look through <a href="/library">the works</a>.`
          : html`<a href="${withQuery('/library/search', { q, language, work })}">Back to the best results</a>`,
      )
    : html`<ol class="hits" start="${Number(hits[0]?.id.slice(4))}">${hits.map((hit) => hitEntry(q, hit))}</ol>`
}
<p class="pager">${query.after === undefined ? nothing : html`<a class="button quiet" href="${withQuery('/library/search', { q, language, work, author, category })}">Best results</a>`}
${hasMore ? html`<a class="button quiet" href="${withQuery('/library/search', { q, language, work, author, category, after: next })}">More results</a>` : nothing}</p>`,
  }
}

function hitEntry(q: string, hit: Hit): Html {
  return html`<li class="hit"><h2><a href="${readHref(hit.ref, { version: hit })}" dir="auto">${hit.ref}</a>${hit.heRef ? html` <span class="he-ref" lang="he" dir="rtl">${hit.heRef}</span>` : nothing}</h2>
<p class="text" lang="${hit.language}" dir="${directionOf(hit.language)}">${markedText(hit.snippet, matchedWords(q, hit.snippet))}</p>
<p class="faint"><a href="${workHref(hit.work)}" dir="auto">${hit.work}</a> · ${languageName(hit.language)}: <bdi>${hit.version}</bdi> · Licence: <bdi>${hit.license}</bdi>${hit.url ? html` · ${sourceLink(hit.url)}` : nothing}</p></li>`
}

export function crumbs(work?: string): Html {
  return html`<nav class="crumbs" aria-label="Where this stands"><a href="/library">Library</a>${work === undefined ? nothing : html` <span aria-hidden="true">/</span> <a href="${workHref(work)}" dir="auto">${work}</a>`}</nav>`
}
