import type { z } from 'zod'
import { explanationLines } from '../../../sources/search/explain.ts'
import type { SearchFacets } from '../../../sources/search/facets.ts'
import type { HitPage, hitQuery } from '../../../sources/search/hit-page.ts'
import { matchedWords } from '../../../sources/search/relevance/matched-words.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { type Names, namedLink, nameIn } from '../../components/names.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { directionOf, markedText, sourceLink } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type RefNames, refLink } from '../ref-names.ts'
import { addToSheetLink } from '../sheets/add-link.ts'
import { facetNav, filterChips, yearFields } from './facets-view.ts'
import { filterParameters, type SearchFilters, searchHref } from './search-filters.ts'
import { filterDrawer, missingBook, searchForm } from './search-form.ts'

type Query = z.output<typeof hitQuery>
type Hit = HitPage['hits'][number]

/** The search before a query. */
export function emptySearch(t: Texts, languages: readonly string[]): Page {
  return {
    title: t.search.search,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.search.search}</h1>${searchForm(t, { languages })}
${emptyState(t.search.begin, t.search.beginHint)}`,
  }
}

function unknownNote(t: Texts, { page: { unknownRef, hits }, names }: SearchShown): Html {
  if (unknownRef === undefined) return nothing
  const { ref, nearest, cited_by: citedBy = [] } = unknownRef
  const near = nearest === null ? nothing : html` ${t.search.nearest} ${refLink(nearest, names)}.`
  const below = citedBy.length > 0 ? t.search.citing : t.search.matching
  const results = hits.length > 0 ? html` ${below}` : nothing
  return notice('note', html`${t.search.unknown[0]}<bdi>${ref}</bdi>${t.search.unknown[1]}${near}${results}`)
}

export type SearchShown = {
  readonly query: Query
  readonly page: HitPage
  readonly facets: SearchFacets
  readonly languages: readonly string[]
  /** Hebrew titles of the works that the page names. */
  readonly titles: ReadonlyMap<string, string>
  readonly isOperator: boolean
  /** Name of the ref that is nearest to one the library does not have. */
  readonly names: RefNames
}

/** Search results, best first, beside the places where they are. */
export function searchPage(t: Texts, shown: SearchShown): Page {
  const { query, page, facets, languages, titles } = shown
  const { hits, hasMore } = page
  const { q } = query
  const { language, ...kept } = filterParameters(query)
  const facetLists = facetNav(t, query, facets, titles)
  return {
    title: t.search.title(q),
    section: 'library',
    sheets: ['library', 'menus'],
    scripts: ['add-to-sheet.js'],
    wide: facetLists !== nothing,
    main: html`${breadcrumbs(t)}<h1>${t.search.search}</h1>
${searchForm(t, { q, language, languages, kept })}${filterChips(t, query, titles)}
${unknownNote(t, shown)}
<div class="shelves results">${filterDrawer(t, facetLists)}
<div><h2 class="sr">${t.search.title(q)}</h2>
${
  hits.length === 0
    ? noHits(t, query, shown.isOperator)
    : html`${countNote(t, query, facets)}${explainLink(t, shown)}${hitList(t, q, hits, titles)}`
}
${pager(
  query.after !== undefined && { label: t.search.best, href: searchHref(query) },
  hasMore && { label: t.search.more, href: searchHref(query, hits.at(-1)?.id) },
)}</div></div>`,
  }
}

/** How many results there are; nothing on later pages. */
function countNote(t: Texts, { after }: Query, { total, isAll }: SearchFacets): Html {
  if (after !== undefined) return nothing
  return html`<p class="faint count">${isAll ? t.search.allResults(total) : t.search.bestResults(total)}</p>`
}

function noHits(t: Texts, query: Query, isOperator: boolean): Html {
  const { q, after } = query
  if (after !== undefined) {
    return emptyState(t.search.noMore, html`<a href="${searchHref(query)}">${t.search.backToBest}</a>`)
  }
  if (Object.values(filterParameters(query)).some((value) => value !== undefined)) {
    const whole = searchHref({ q })
    return emptyState(
      t.search.none,
      html`${t.search.noneWithFilter} <a href="${whole}">${t.search.withoutFilters}</a>.`,
    )
  }
  const ask = withQuery('/ask', { question: q })
  return emptyState(
    t.search.none,
    html`${t.search.noneHint} <a href="/library">${t.search.browse}</a>, <a href="${ask}">${t.search.ask}</a>.
<br><span class="faint">${missingBook(t, isOperator)}</span>`,
  )
}

function hitList(t: Texts, q: string, hits: readonly Hit[], titles: SearchShown['titles']): Html {
  const entries = hits.map((hit) => hitEntry(t, q, hit, titles.get(hit.work) ?? ''))
  return html`<ol class="hits" start="${Number(hits[0]?.id.slice(4))}">${entries}</ol>`
}

function hitEntry(t: Texts, q: string, hit: Hit, heTitle: string): Html {
  const snippet = markedText(hit.snippet, matchedWords(q, hit.snippet))
  const { ref, language, version, url } = hit
  const name = nameIn(t, { en: ref, he: hit.heRef })
  const source = url ? html` · ${sourceLink(url, t.common.source, t.common.sourceOf(name))}` : nothing
  const versions = language === 'he' || language === 'en' ? { [language]: version } : {}
  return html`<li class="hit">
<h3>${namedLink(t, readHref(ref, { version: hit }), { en: ref, he: hit.heRef })}</h3>
<p class="text" lang="${language}" dir="${directionOf(language)}">${snippet}</p>
<p class="faint"><a href="${workHref(hit.work)}" dir="auto">${nameIn(t, { en: hit.work, he: heTitle })}</a>
· ${t.languageName(language)}: <bdi>${t.library.versionName(version)}</bdi>
· ${t.search.licence}: <bdi>${t.library.licenceName(hit.license)}</bdi>${source}
${addToSheetLink(t, { ref, name, versions })}</p>${explained(t, hit)}</li>`
}

/** Why a hit has its rank, for operators who asked for it. */
function explained(t: Texts, { explanation }: Hit): Html {
  if (explanation === undefined) return nothing
  const lines = explanationLines(explanation).map((line) => html`<li dir="auto">${line}</li>`)
  return html`<details><summary>${t.search.whyHere}</summary><ul class="faint">${lines}</ul></details>`
}

/** For operators: the same search with what made each rank. */
function explainLink(t: Texts, { query, isOperator }: SearchShown): Html {
  if (!isOperator || query.explain === 'true') return nothing
  return html`<p class="faint"><a href="${`${searchHref(query)}&explain=true`}">${t.search.explain}</a></p>`
}

/** Links to the library and to a work of it, above a page. */
export function breadcrumbs(t: Texts, work?: Names): Html {
  const separator = html` <span aria-hidden="true">/</span> `
  return html`<nav class="breadcrumbs" aria-label="${t.library.breadcrumb}">
<a href="/library">${t.frame.library}</a>${
    work === undefined
      ? nothing
      : html`${separator}<a href="${workHref(work.en)}" dir="auto">${nameIn(t, work)}</a>`
  }</nav>`
}

type RefusedShown = {
  readonly filters: SearchFilters
  readonly problem: string
  /** The parameter that was refused. */
  readonly wrong: string | null
  readonly languages: readonly string[]
  /** Hebrew titles of works. */
  readonly titles: ReadonlyMap<string, string>
}

/** A search that was refused, with its words and filters: years in fields to correct, the others to be dropped. */
export function refusedSearch(t: Texts, { filters, problem, wrong, languages, titles }: RefusedShown): Page {
  const { language, from, to, ...kept } = filterParameters(filters)
  const hasYears = from !== undefined || to !== undefined
  const years = hasYears
    ? html`<span class="year-pair">${yearFields(t, { from, to, wrong })}</span>`
    : nothing
  return {
    title: t.search.search,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.search.search}</h1>${outcomeNotice({ problem })}
${searchForm(t, { q: filters.q, language, languages, kept, years })}${filterChips(t, filters, titles)}`,
  }
}
