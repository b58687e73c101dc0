import { findQuote } from '../../../sources/citations/comparison/find-quote.ts'
import type { Parallel } from '../../../sources/library/links.ts'
import type { ReadingPage } from '../../../sources/library/reading-page.ts'
import type { Passage } from '../../../sources/library/types.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, versionKey } from '../../components/library-links.ts'
import { notice, type Page } from '../../components/page.ts'
import { directionOf, languageName, markedText, sourceLink } from '../../components/texts.ts'
import { crumbs } from './search-view.ts'

type Query = {
  readonly quote?: string | undefined
  readonly hebrew?: string | undefined
  readonly translation?: string | undefined
}

/** A version on the page, and the number of the page's passages that it contains. */
type Version = { readonly key: string; readonly passage: Passage; readonly passages: number }
type Side = {
  readonly name: 'hebrew' | 'translation'
  readonly versions: readonly Version[]
  readonly chosen: Version | undefined
}
type Quoted = { readonly passage: Passage; readonly start: number; readonly end: number }

/** A chapter in Hebrew and translation, side by side. */
export async function readerPage(
  page: ReadingPage,
  parallels: readonly Parallel[],
  query: Query,
): Promise<Page> {
  const quoted = query.quote ? await findQuoted(page, query.quote) : undefined
  const sides = [
    sideOf('hebrew', page.passages, query.hebrew, quoted),
    sideOf('translation', page.passages, query.translation, quoted),
  ] as const
  const segments = [...Map.groupBy(page.passages, (passage) => passage.ref)].map(([ref, versions], i) => ({
    ref,
    id: `p${i + 1}`,
    texts: sides.flatMap((side) => textOf(side, versions) ?? []),
    heRef: versions[0]?.heRef ?? '',
  }))
  const used = segments.flatMap(({ texts }) => texts)
  const isOnly = segments.length === 1
  const here = segments.find(({ ref }) => ref === page.asked)
  const title = titleOf(page)
  return {
    title,
    section: 'library',
    sheets: ['library'],
    scripts: ['copy.js', 'reader.js'],
    wide: true,
    main: html`${crumbs(page.work)}
<header class="reader-head"><h1 dir="auto">${title}</h1>${heTitleOf(page) ? html`<p lang="he" dir="rtl">${heTitleOf(page)}</p>` : nothing}</header>
${query.quote ? quoteNotice(query.quote, quoted) : nothing}
<div class="reader-bar">${turner(page, 'Pages')}${versionForm(page, sides, query.quote)}</div>
${here && !isOnly && segments[0] !== here ? html`<p class="faint"><a href="#${here.id}">To ${here.ref}</a></p>` : nothing}
<div class="segments${sides.every((side) => side.chosen) ? '' : ' single'}">
${segments.map(
  (
    segment,
  ) => html`<section class="segment${segment === here && !isOnly ? ' here' : ''}" id="${segment.id}" aria-label="${segment.ref}">
${refLine(segment)}<div class="columns">${segment.texts.map((passage) => column(passage, quoted))}</div></section>`,
)}</div>
${turner(page, 'Pages, below the text')}
${credits(used)}${linked(parallels)}`,
  }
}

/** Finds the quotation in the requested passage, or on the whole page when a chapter was requested. */
async function findQuoted(page: ReadingPage, quote: string): Promise<Quoted | undefined> {
  const passages = page.passages.filter(({ ref }) => page.asked === undefined || ref === page.asked)
  const found = await findQuote(
    quote,
    passages.map(({ text }) => text),
  )
  const passage = found && passages[found.text]
  return passage && { passage, start: found.start, end: found.end }
}

/**
 * Chooses the version with the quotation, otherwise the requested one, otherwise the one with most passages
 * of the page.
 */
function sideOf(
  name: Side['name'],
  passages: readonly Passage[],
  wanted: string | undefined,
  quoted: Quoted | undefined,
): Side {
  const mine = passages.filter((passage) => (passage.language === 'he') === (name === 'hebrew'))
  const versions = [...Map.groupBy(mine, versionKey)].flatMap(([key, own]) =>
    own[0] ? [{ key, passage: own[0], passages: own.length }] : [],
  )
  const byLength = versions.toSorted(
    (a, b) =>
      Number(b.passage.language === 'en') - Number(a.passage.language === 'en') || b.passages - a.passages,
  )
  const withQuote = quoted && versionKey(quoted.passage)
  const chosen =
    versions.find(({ key }) => key === withQuote) ?? versions.find(({ key }) => key === wanted) ?? byLength[0]
  return { name, versions, chosen }
}

/** A passage in the chosen version, or in another version when the chosen one lacks it. */
function textOf({ name, chosen }: Side, versions: readonly Passage[]): Passage | undefined {
  const mine = versions.filter((passage) => (passage.language === 'he') === (name === 'hebrew'))
  return mine.find((passage) => versionKey(passage) === chosen?.key) ?? mine[0]
}

function titleOf({ passages, section }: ReadingPage): string {
  const first = passages[0]?.ref ?? section
  const last = passages.at(-1)?.ref ?? section
  if (first === last) return first
  return last.startsWith(section) ? section : `${first} – ${last}`
}

/** The Hebrew ref of the chapter: that of its first passage, without the last number. */
function heTitleOf({ passages }: ReadingPage): string {
  const [first] = passages
  if (!first) return ''
  return passages.every(({ ref }) => ref === first.ref)
    ? first.heRef
    : first.heRef.replace(/(?::[^:\s]*| §\S+)$/, '')
}

function quoteNotice(quote: string, quoted: Quoted | undefined): Html {
  const shown = quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
  if (quoted) return nothing
  return notice('note', html`The words “<bdi>${shown}</bdi>” do not stand here.`)
}

function turner({ previous, next }: ReadingPage, label: string): Html {
  if (previous === undefined && next === undefined) return nothing
  return html`<nav class="turner" aria-label="${label}">${previous === undefined ? nothing : html`<a class="button quiet" rel="prev" href="${readHref(previous)}" title="${previous}">Previous</a>`}
${next === undefined ? nothing : html`<a class="button quiet" rel="next" href="${readHref(next)}" title="${next}">Next</a>`}</nav>`
}

/** The choice of versions; empty when there is only one. */
function versionForm(page: ReadingPage, sides: readonly Side[], quote: string | undefined): Html {
  if (sides.every(({ versions }) => versions.length < 2)) return nothing
  const labels = { hebrew: 'Hebrew version', translation: 'Translation' }
  return html`<form class="filters" action="${readHref(page.asked ?? titleRef(page))}">${quote ? html`<input type="hidden" name="quote" value="${quote}">` : nothing}
${sides
  .filter(({ versions }) => versions.length > 1)
  .map(
    ({ name, versions, chosen }) =>
      html`<label>${labels[name]} <select name="${name}">${versions.map(
        ({ key, passage }) =>
          html`<option value="${key}"${key === chosen?.key ? html` selected` : nothing}>${name === 'hebrew' ? '' : `${languageName(passage.language)}: `}${passage.version}</option>`,
      )}</select></label>`,
  )}<button class="quiet">Show</button></form>`
}

/** The ref that leads back to this page. */
function titleRef({ passages, section }: ReadingPage): string {
  const first = passages[0]?.ref ?? section
  return /\d[a-d]?$/.test(section) ? section : first
}

function refLine({
  ref,
  id,
  heRef,
}: {
  readonly ref: string
  readonly id: string
  readonly heRef: string
}): Html {
  return html`<p class="ref-line"><span><span class="own-ref" id="${id}-ref" dir="auto">${ref}</span><button class="quiet" type="button" data-copy="${id}-ref" aria-label="Copy the ref ${ref}" hidden>Copy</button></span>${heRef ? html`<span class="he-ref" lang="he" dir="rtl">${heRef}</span>` : nothing}</p>`
}

function column(passage: Passage, quoted: Quoted | undefined): Html {
  const spans = quoted?.passage === passage ? [quoted] : []
  return html`<div class="text" lang="${passage.language}" dir="${directionOf(passage.language)}">${markedText(passage.text, spans)}</div>`
}

/** The information that must accompany every text: version, licence and origin. */
function credits(used: readonly Passage[]): Html {
  const versions = new Map(used.map((passage) => [versionKey(passage), passage]))
  return html`<aside class="credits" aria-label="Texts"><h2>Texts</h2><ul>${[...versions.values()].map(
    (passage) =>
      html`<li>${languageName(passage.language)}: <bdi>${passage.version}</bdi>. Licence: <bdi>${passage.license}</bdi>.${passage.url ? html` ${sourceLink(passage.url, 'Where it comes from')}` : nothing}</li>`,
  )}</ul></aside>`
}

function linked(parallels: readonly Parallel[]): Html {
  if (parallels.length === 0) return nothing
  return html`<details class="linked"><summary>Linked places (${parallels.length})</summary><ul>${parallels.map(
    ({ ref, in_library }) =>
      html`<li>${in_library ? html`<a href="${readHref(ref)}" dir="auto">${ref}</a>` : html`<span dir="auto">${ref}</span>`}</li>`,
  )}</ul></details>`
}
