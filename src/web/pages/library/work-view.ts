import type { Part, VersionFacts, Work } from '../../../sources/library/catalogue.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { notice, type Page } from '../../components/page.ts'
import { counted, languageName, sourceLink } from '../../components/texts.ts'
import { moment } from '../../components/times.ts'
import { crumbs, searchForm } from './search-view.ts'

/** Maximum chapters and parts on one page; more would make it slow. */
const maxChapters = 300
const maxParts = 200

type Shown = {
  readonly work: Work
  readonly versions: readonly VersionFacts[]
  readonly parts: readonly Part[]
  /** The part to open when the work is too long for one page. */
  readonly part?: string | undefined
  /** The chapter or part after which the list continues. */
  readonly after?: string | undefined
}

/** A work: its parts and chapters, and its versions with their licences. */
export function workPage({ work, versions, parts, part, after }: Shown): Page {
  const passages = parts.reduce((sum, entry) => sum + entry.passages, 0)
  return {
    title: work.title,
    section: 'library',
    sheets: ['library'],
    main: html`${crumbs()}
<header class="work-head"><h1 dir="auto">${work.title}</h1>${work.heTitle ? html`<p lang="he" dir="rtl">${work.heTitle}</p>` : nothing}</header>
<dl class="facts">${work.author ? html`<div><dt>Author</dt><dd><a href="${withQuery('/library', { author: work.author })}" dir="auto">${work.author}</a></dd></div>` : nothing}
${work.categories.length > 0 ? html`<div><dt>Category</dt><dd>${work.categories.map((name, i) => html`${i > 0 ? ' / ' : nothing}<a href="${withQuery('/library', { category: name })}" dir="auto">${name}</a>`)}</dd></div>` : nothing}
<div><dt>Length</dt><dd>${counted(passages, 'passage')}</dd></div></dl>
${searchForm({ work: work.title })}
<h2>Contents</h2>
${contents(work, parts, part, after)}
<h2>Versions</h2>
${versionTable(versions)}`,
  }
}

function contents(work: Work, parts: readonly Part[], chosen: string | undefined, after: string | undefined) {
  const chapters = parts.reduce((sum, part) => sum + part.chapters.length, 0)
  const one = parts.find((part) => part.heading === chosen) ?? (parts.length === 1 ? parts[0] : undefined)
  if (one && chapters > maxChapters) return longPart(work, one, after, parts.length > 1)
  if (chapters <= maxChapters) return html`<div class="parts">${grouped(work, parts)}</div>`
  const from = parts.findIndex((part) => part.heading === after) + 1
  const shown = parts.slice(from, from + maxParts)
  return html`<ul class="part-list">${shown.map(
    (part) =>
      html`<li><a href="${withQuery(workHref(work.title), { part: part.heading })}" dir="auto">${label(work, part)}</a> <span class="faint">${counted(part.chapters.length, 'chapter')}</span></li>`,
  )}</ul>${more(workHref(work.title), { after: shown.at(-1)?.heading }, from + maxParts < parts.length, 'More parts')}`
}

function longPart(work: Work, part: Part, after: string | undefined, isOne: boolean): Html {
  const from = part.chapters.findIndex(({ ref }) => ref === after) + 1
  const shown = part.chapters.slice(from, from + maxChapters)
  const next = { part: isOne ? part.heading : undefined, after: shown.at(-1)?.ref }
  return html`${isOne ? html`<p><a href="${workHref(work.title)}">All parts</a></p>` : nothing}
<section class="part">${partHead(work, part)}${chapterLinks({ ...part, chapters: shown })}</section>
${more(workHref(work.title), next, from + maxChapters < part.chapters.length, 'More chapters')}`
}

function more(path: string, query: Readonly<Record<string, string | undefined>>, has: boolean, text: string) {
  return has
    ? html`<p class="pager"><a class="button quiet" href="${withQuery(path, query)}">${text}</a></p>`
    : nothing
}

/**
 * Parts of one passage each, as in a lexicon, form one list; otherwise chapters stand under the name of their
 * part.
 */
function grouped(work: Work, parts: readonly Part[]): Html {
  const single = parts.length > 1 && parts.every((part) => part.chapters.length === 1)
  if (!single) {
    return html`${parts.map((part) => html`<section class="part">${partHead(work, part)}${chapterLinks(part)}</section>`)}`
  }
  return html`<ul class="part-list">${parts.map(
    (part) =>
      html`<li><a href="${readHref(part.chapters[0]?.ref ?? part.heading)}" dir="auto">${label(work, part)}</a>${part.heHeading ? html` <span lang="he" dir="rtl">${lastName(part.heHeading)}</span>` : nothing}</li>`,
  )}</ul>`
}

function partHead(work: Work, part: Part): Html {
  if (part.heading === work.title) return nothing
  return html`<h3><span dir="auto">${label(work, part)}</span>${part.heHeading ? html` <span lang="he" dir="rtl">${lastName(part.heHeading)}</span>` : nothing}</h3>`
}

function chapterLinks(part: Part): Html {
  return html`<ul class="chapters">${part.chapters.map(
    ({ ref }) => html`<li><a href="${readHref(ref)}" title="${ref}">${numberOf(ref, part.heading)}</a></li>`,
  )}</ul>`
}

/** The heading of a part without the title of its work. */
function label(work: Work, { heading }: Part): string {
  const rest = heading.startsWith(work.title) ? heading.slice(work.title.length) : heading
  return rest.replace(/^[\s,;:]+/, '') || work.title
}

function lastName(heHeading: string): string {
  return heHeading.split(/,\s*/).slice(1).join(', ') || heHeading
}

function numberOf(ref: string, heading: string): string {
  return ref.slice(heading.length).replace(/^[\s,:]+/, '') || 'Text'
}

function versionTable(versions: readonly VersionFacts[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Versions"><table><thead><tr><th>Language</th><th>Version</th><th>Licence</th><th>Source</th><th class="number">Passages</th><th>Imported</th></tr></thead><tbody>
${versions.map(
  (version) =>
    html`<tr><td>${languageName(version.language)}</td><th scope="row" dir="auto">${version.title}</th><td><bdi>${version.license}</bdi></td><td>${version.url ? sourceLink(version.url, hostOf(version.url)) : html`<span class="faint">not told</span>`}</td><td class="number">${version.texts.toLocaleString('en')}</td><td>${moment(version.importedAt)}</td></tr>`,
)}</tbody></table></div>
${versions.some((version) => version.machineMade) ? notice('note', html`Translated by a machine: ${versions.filter((v) => v.machineMade).map((v, i) => html`${i > 0 ? ', ' : nothing}<bdi>${v.title}</bdi>`)}.`) : nothing}`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
