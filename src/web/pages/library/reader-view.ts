import { findQuote } from '../../../sources/citations/comparison/find-quote.ts'
import type { Parallel } from '../../../sources/library/links.ts'
import type { ReadingPage } from '../../../sources/library/reading-page.ts'
import type { Passage } from '../../../sources/library/types.ts'
import { copyButton } from '../../components/copy-field.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, versionKey } from '../../components/library-links.ts'
import { notice, type Page } from '../../components/page.ts'
import { selectField } from '../../components/select-field.ts'
import { directionOf, languageName, markedText, sourceLink } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { breadcrumbs } from './search-view.ts'

type Query = {
  readonly quote?: string | undefined
  readonly hebrew?: string | undefined
  readonly translation?: string | undefined
}

/** A version on the page, and how many of the page's passages it has. */
type Version = { readonly key: string; readonly passage: Passage; readonly passages: number }
type Side = {
  readonly name: 'hebrew' | 'translation'
  readonly versions: readonly Version[]
  readonly chosen: Version | undefined
}
type Quoted = { readonly passage: Passage; readonly start: number; readonly end: number }

/** A chapter in Hebrew and translation, side by side. */
export async function readerPage(
  t: Texts,
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
  const heTitle = heTitleOf(page)
  const isAside = here && !isOnly && segments[0] !== here
  return {
    title,
    section: 'library',
    sheets: ['library'],
    scripts: ['copy.js', 'reader.js'],
    wide: true,
    main: html`${breadcrumbs(page.work)}
<header class="reader-head"><h1 dir="auto">${title}</h1>
${heTitle ? html`<p lang="he" dir="rtl">${heTitle}</p>` : nothing}</header>
${query.quote && !quoted ? missingQuote(query.quote) : nothing}
<div class="reader-bar">${turner(page, 'Pages')}${versionForm(page, sides, query.quote)}</div>
${isAside ? html`<p class="faint"><a href="#${here.id}">Go to ${here.ref}</a></p>` : nothing}
<div class="segments${sides.every((side) => side.chosen) ? '' : ' single'}">
${segments.map((segment) => segmentView(t, segment, { isMarked: segment === here && !isOnly, quoted }))}</div>
${turner(page, 'Pages, below the text')}
${credits(used)}${linked(parallels)}`,
  }
}

type Segment = {
  readonly ref: string
  readonly id: string
  readonly heRef: string
  readonly texts: readonly Passage[]
}

function segmentView(
  t: Texts,
  segment: Segment,
  { isMarked, quoted }: { readonly isMarked: boolean; readonly quoted: Quoted | undefined },
): Html {
  return html`<section class="segment${isMarked ? ' here' : ''}" id="${segment.id}" aria-label="${segment.ref}">
${refLine(t, segment)}<div class="columns">${segment.texts.map((passage) => column(passage, quoted))}</div></section>`
}

/** Searches the requested passage, or the whole page if the request names a chapter. */
async function findQuoted(page: ReadingPage, quote: string): Promise<Quoted | undefined> {
  const passages = page.passages.filter(({ ref }) => page.asked === undefined || ref === page.asked)
  const found = await findQuote(
    quote,
    passages.map(({ text }) => text),
  )
  const passage = found && passages[found.text]
  return passage && { passage, start: found.start, end: found.end }
}

/** The version with the quotation; otherwise the one asked for; otherwise the one with most passages of the page. */
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

/** A passage in the chosen version; in another one if that lacks it. */
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

function missingQuote(quote: string): Html {
  const shown = quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
  return notice('note', html`The words “<bdi>${shown}</bdi>” are not on this page.`)
}

function turner({ previous, next }: ReadingPage, label: string): Html {
  if (previous === undefined && next === undefined) return nothing
  return html`<nav class="turner" aria-label="${label}">
${turnerLink('prev', 'Previous', previous)}${turnerLink('next', 'Next', next)}</nav>`
}

function turnerLink(rel: 'prev' | 'next', label: string, ref: string | undefined): Html {
  if (ref === undefined) return nothing
  return html`<a class="button quiet" rel="${rel}" href="${readHref(ref)}" title="${ref}">${label}</a> `
}

/** Only if there is a choice. */
function versionForm(page: ReadingPage, sides: readonly Side[], quote: string | undefined): Html {
  const withChoice = sides.filter(({ versions }) => versions.length > 1)
  if (withChoice.length === 0) return nothing
  return html`<form class="filters" action="${readHref(page.asked ?? titleRef(page))}">
${quote ? html`<input type="hidden" name="quote" value="${quote}">` : nothing}
${withChoice.map(versionField)}<button class="quiet">Show</button></form>`
}

function versionField({ name, versions, chosen }: Side): Html {
  return selectField({
    label: name === 'hebrew' ? 'Hebrew version' : 'Translation',
    name,
    selected: chosen?.key,
    options: versions.map(({ key, passage: { language, version } }) => ({
      value: key,
      label: name === 'hebrew' ? version : `${languageName(language)}: ${version}`,
    })),
  })
}

/** The ref that leads back to this page. */
function titleRef({ passages, section }: ReadingPage): string {
  const first = passages[0]?.ref ?? section
  return /\d[a-d]?$/.test(section) ? section : first
}

function refLine(t: Texts, { ref, id, heRef }: Segment): Html {
  return html`<p class="ref-line"><span><span class="own-ref" id="${id}-ref" dir="auto">${ref}</span>
${copyButton(t, `${id}-ref`, `Copy the ref ${ref}`)}</span>
${heRef ? html`<span class="he-ref" lang="he" dir="rtl">${heRef}</span>` : nothing}</p>`
}

function column(passage: Passage, quoted: Quoted | undefined): Html {
  const { language, text } = passage
  const spans = quoted?.passage === passage ? [quoted] : []
  return html`<div class="text" lang="${language}" dir="${directionOf(language)}">${markedText(text, spans)}</div>`
}

/** What has to accompany every text: its version, licence and source. */
function credits(used: readonly Passage[]): Html {
  const versions = new Map(used.map((passage) => [versionKey(passage), passage]))
  return html`<aside class="credits" aria-label="Texts on this page"><h2>Texts on this page</h2>
<ul>${[...versions.values()].map(creditLine)}</ul></aside>`
}

function creditLine({ language, version, license, url }: Passage): Html {
  return html`<li>${languageName(language)}: <bdi>${version}</bdi>. Licence: <bdi>${license}</bdi>.
${url ? sourceLink(url, 'Source') : nothing}</li>`
}

function linked(parallels: readonly Parallel[]): Html {
  if (parallels.length === 0) return nothing
  return html`<details class="linked"><summary>Linked passages (${parallels.length})</summary>
<ul>${parallels.map((parallel) => html`<li>${parallelRef(parallel)}</li>`)}</ul></details>`
}

function parallelRef({ ref, in_library: inLibrary }: Parallel): Html {
  return inLibrary
    ? html`<a href="${readHref(ref)}" dir="auto">${ref}</a>`
    : html`<span dir="auto">${ref}</span>`
}
