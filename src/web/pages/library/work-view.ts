import type { Part, VersionFacts, Work } from '../../../sources/library/catalogue.ts'
import { printedHebrewAddress } from '../../../sources/refs/grammar/hebrew-refs.ts'
import { dataTable, type Fact, factList } from '../../components/data-table.ts'
import { type Html, html, listed, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { type Names, namedHeading, namedLink, nameIn } from '../../components/names.ts'
import { notice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { sourceLink } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { authorName } from '../wording.ts'
import { dailyForm } from './daily-view.ts'
import { searchForm } from './search-form.ts'
import { breadcrumbs } from './search-view.ts'

/** Maximum chapters and parts on one page; more would make it slow. */
const maxChapters = 300
const maxParts = 200

type Shown = {
  readonly work: Work
  readonly versions: readonly VersionFacts[]
  readonly parts: readonly Part[]
  readonly isSignedIn: boolean
  /** The part to open when the work is too long for one page. */
  readonly part?: string | undefined
  /** The chapter, or the part, after which the list continues. */
  readonly after?: string | undefined
}

/** A work: its parts and chapters, and its versions with their licences. */
export function workPage(t: Texts, shown: Shown): Page {
  const { work, versions } = shown
  const names = { en: work.title, he: work.heTitle }
  return {
    title: nameIn(t, names),
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}
<header class="row work-head">${namedHeading(t, names)}</header>
${factList(factsOf(t, shown))}
${searchForm(t, { work: nameIn(t, names) })}${shown.isSignedIn ? dailyForm(t, work.title, false) : nothing}
<h2>${t.library.contents}</h2>
${contents(t, shown)}
<h2>${t.library.versions}</h2>
${versionTable(t, versions)}${machineNote(t, versions)}`,
  }
}

function factsOf(t: Texts, { work, parts }: Shown): readonly (Fact | false)[] {
  const passages = parts.reduce((sum, entry) => sum + entry.passages, 0)
  const filterLink = (field: 'author' | 'category', name: string, shown: string) =>
    html`<a href="${withQuery('/library', { [field]: name })}" dir="auto">${shown}</a>`
  return [
    work.author ? [t.search.author, filterLink('author', work.author, authorName(t, work.author))] : false,
    work.categories.length > 0 && [
      t.search.category,
      work.categories.map((name, i) => {
        const link = filterLink('category', name, t.library.categoryName(name))
        return html`${i > 0 ? ' / ' : nothing}${link}`
      }),
    ],
    work.composed ? [t.library.written, t.library.years(work.composed)] : false,
    [t.library.length, t.common.passages(passages)],
  ]
}

function contents(t: Texts, { work, parts, part: chosen, after }: Shown): Html {
  const chapters = parts.reduce((sum, part) => sum + part.chapters.length, 0)
  const one = parts.find((part) => part.heading === chosen) ?? (parts.length === 1 ? parts[0] : undefined)
  if (one && chapters > maxChapters) return longPart(t, work, one, after, parts.length > 1)
  if (chapters <= maxChapters) return html`<div class="parts">${grouped(t, work, parts)}</div>`
  const from = parts.findIndex((part) => part.heading === after) + 1
  const shown = parts.slice(from, from + maxParts)
  const next = withQuery(workHref(work.title), { after: shown.at(-1)?.heading })
  return html`<ul class="part-list">${shown.map((part) => html`<li>${partLink(t, work, part)}</li>`)}</ul>
${pager(from + maxParts < parts.length && { label: t.library.moreParts, href: next })}`
}

function partLink(t: Texts, work: Work, part: Part): Html {
  const href = withQuery(workHref(work.title), { part: part.heading })
  return html`<a href="${href}" dir="auto">${nameIn(t, namesOf(work, part))}</a>
<span class="faint">${t.common.chapters(part.chapters.length)}</span>`
}

function longPart(t: Texts, work: Work, part: Part, after: string | undefined, isOne: boolean): Html {
  const from = part.chapters.findIndex(({ ref }) => ref === after) + 1
  const shown = part.chapters.slice(from, from + maxChapters)
  const next = { part: isOne ? part.heading : undefined, after: shown.at(-1)?.ref }
  const hasMore = from + maxChapters < part.chapters.length
  return html`${isOne ? html`<p><a href="${workHref(work.title)}">${t.library.allParts}</a></p>` : nothing}
<section class="part">${partHead(t, work, part)}${chapterLinks(t, { ...part, chapters: shown })}</section>
${pager(hasMore && { label: t.library.moreChapters, href: withQuery(workHref(work.title), next) })}`
}

/** Entries of one passage, as in a lexicon, make one list; chapters are grouped by their part. */
function grouped(t: Texts, work: Work, parts: readonly Part[]): Html {
  const single = parts.length > 1 && parts.every((part) => part.chapters.length === 1)
  if (!single) {
    return html`${parts.map(
      (part) =>
        html`<section class="part">${
          isEntry(part)
            ? entryList(t, work, [part])
            : html`${partHead(t, work, part)}${chapterLinks(t, part)}`
        }</section>`,
    )}`
  }
  return entryList(t, work, parts)
}

/** Whether the only passage of a part has no number beside the name of its part, such as an introduction. */
function isEntry({ heading, chapters: [first, ...more] }: Part): boolean {
  return more.length === 0 && first?.ref === heading
}

function entryList(t: Texts, work: Work, parts: readonly Part[]): Html {
  return html`<ul class="part-list">${parts.map((part) => html`<li>${entryLink(t, work, part)}</li>`)}</ul>`
}

function entryLink(t: Texts, work: Work, part: Part): Html {
  const href = readHref(part.chapters[0]?.ref ?? part.heading)
  return namedLink(t, href, namesOf(work, part))
}

function partHead(t: Texts, work: Work, part: Part): Html {
  if (part.heading === work.title) return nothing
  const { en, he } = namesOf(work, part)
  const hebrew = html`<span lang="he" dir="rtl">${he}</span>`
  if (t.language === 'he' && he !== '')
    return html`<h3>${hebrew} <span class="other-name" dir="auto">${en}</span></h3>`
  return html`<h3><span dir="auto">${en}</span> ${he === '' ? nothing : hebrew}</h3>`
}

function chapterLinks(t: Texts, part: Part): Html {
  return html`<ul class="chapters">${part.chapters.map(
    ({ ref, heRef }) =>
      html`<li><a href="${readHref(ref)}" title="${nameIn(t, { en: ref, he: heRef })}">${
        t.language === 'he' ? hebrewNumberOf({ ref, heRef }, part) : numberOf(ref, part.heading)
      }</a></li>`,
  )}</ul>`
}

/** A part without the title of its work. */
function namesOf(work: Work, part: Part): Names {
  return { en: label(work, part), he: lastName(part.heHeading) }
}

function label(work: Work, { heading }: Part): string {
  const rest = heading.startsWith(work.title) ? heading.slice(work.title.length) : heading
  return rest.replace(/^[\s,;:]+/, '') || work.title
}

function lastName(heHeading: string): string {
  return heHeading.split(/,\s*/).slice(1).join(', ') || heHeading
}

/** A ref without the heading of its part; the ref itself where nothing is left. */
function numberOf(ref: string, heading: string): string {
  return (ref.startsWith(heading) ? ref.slice(heading.length) : ref).replace(/^[\s,:]+/, '') || ref
}

/** The number in letters, also of a work that has no Hebrew refs. */
function hebrewNumberOf(
  { ref, heRef }: { readonly ref: string; readonly heRef: string },
  part: Part,
): string {
  if (heRef !== '' && heRef.startsWith(part.heHeading)) return numberOf(heRef, part.heHeading)
  const number = numberOf(ref, part.heading)
  return heRef === '' || number !== ref ? printedHebrewAddress(number.split(':')) : heRef
}

function versionTable(t: Texts, versions: readonly VersionFacts[]): Html {
  return dataTable({
    label: t.library.versions,
    rows: versions,
    columns: [
      { name: t.search.language, cell: ({ language }) => t.languageName(language) },
      {
        name: t.library.version,
        kind: 'title',
        isName: true,
        cell: ({ title }) => t.library.versionName(title),
      },
      { name: t.search.licence, cell: ({ license }) => html`<bdi>${t.library.licenceName(license)}</bdi>` },
      {
        name: t.common.source,
        cell: ({ url, title }) =>
          url
            ? sourceLink(url, hostOf(url), `${hostOf(url)}: ${t.library.versionName(title)}`)
            : notStated(t),
      },
      { name: t.library.passages, kind: 'number', cell: ({ texts }) => t.number(texts) },
      { name: t.library.imported, cell: ({ importedAt }) => t.day(importedAt) },
    ],
  })
}

function notStated(t: Texts): Html {
  return html`<span class="faint">${t.library.notStated}</span>`
}

function machineNote(t: Texts, versions: readonly VersionFacts[]): Html {
  const titles = versions.filter((version) => version.machineMade).map(({ title }) => title)
  if (titles.length === 0) return nothing
  return notice(
    'note',
    html`${t.library.machine}${listed(titles.map((title) => html`<bdi>${title}</bdi>`))}.`,
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
