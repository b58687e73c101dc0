import { noMarks, type OwnMarks } from '../../../../reader-marks/marks.ts'
import { hebrewSectionRef } from '../../../../sources/library/hebrew-refs.ts'
import type { Parallel } from '../../../../sources/library/links.ts'
import type { ReadingPage } from '../../../../sources/library/reading-page.ts'
import type { Passage } from '../../../../sources/library/types.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { versionKey } from '../../../components/library-links.ts'
import { type Names, namedHeading, nameIn } from '../../../components/names.ts'
import { notice, type Page } from '../../../components/page.ts'
import { sourceLink } from '../../../components/texts.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import { type RefNames, refLink } from '../../ref-names.ts'
import { searchForm } from '../search-form.ts'
import { breadcrumbs } from '../search-view.ts'
import { readerBar, turner } from './reader-bar.ts'
import { findQuoted, sideOf, textOf } from './reader-sides.ts'
import type { ReadingSettings } from './reading-settings.ts'
import { askLink, type Segment, segmentView } from './segment-view.ts'
import { shortRefs } from './short-ref.ts'

export type ReaderShown = {
  readonly page: ReadingPage
  /** Hebrew title of the work; empty if it has none. */
  readonly heTitle: string
  /** Names of the chapter, its neighbours and its links. */
  readonly names: RefNames
  /** Links of the chapter as a whole. */
  readonly parallels: readonly Parallel[]
  /** Number of links of each passage. */
  readonly links: ReadonlyMap<string, number>
  readonly marks: ReadonlyMap<string, OwnMarks>
  readonly settings: ReadingSettings
  /** Path of the page, with its parameters. */
  readonly here: string
  readonly query: {
    readonly quote?: string | undefined
    readonly hebrew?: string | undefined
    readonly translation?: string | undefined
  }
}

/** A chapter in Hebrew and translation, side by side or one of them. */
export async function readerPage(t: Texts, shown: ReaderShown): Promise<Page> {
  const { page, query, settings, here, links, marks, names } = shown
  const quoted = query.quote ? await findQuoted(page, query.quote) : undefined
  const sides = [
    sideOf('hebrew', page.passages, query.hebrew, quoted),
    sideOf('translation', page.passages, query.translation, quoted),
  ] as const
  const segments = [...Map.groupBy(page.passages, (passage) => passage.ref)].map(([ref, versions], i) => {
    const heRef = versions[0]?.heRef ?? ''
    return {
      ref,
      id: `p${i + 1}`,
      texts: sides.flatMap((side) => textOf(side, versions) ?? []),
      heRef,
      short: shortRefs({ en: ref, he: heRef }, page.section),
      links: links.get(ref) ?? 0,
      marks: marks.get(ref) ?? noMarks,
    }
  })
  const isOnly = segments.length === 1
  const asked = segments.find(({ ref }) => ref === page.asked)
  const isAside = asked && !isOnly && segments[0] !== asked
  const looks = { quoted, hasPoints: settings.points === 'on' }
  return {
    title: nameIn(t, namesOf(page)),
    section: 'library',
    sheets: ['library', 'menus', 'reader', 'reader-bar', 'passage'],
    scripts: ['copy.js', 'menus.js', 'reader.js', 'passage-panel.js', 'add-to-sheet.js'],
    wide: true,
    main: html`${breadcrumbs(t, { en: page.work, he: shown.heTitle })}${head(t, page)}
${query.quote && !quoted ? missingQuote(t, query.quote) : nothing}
${readerBar(t, { page, sides, settings, quote: query.quote, here, names })}
${isAside ? goTo(t, asked) : nothing}
<div class="reader" data-show="${shownLanguages(sides, settings)}" data-size="${settings.size}">
<div class="segments">
${segments.map((segment) => segmentView(t, segment, { isMarked: segment === asked && !isOnly, ...looks }))}</div></div>
${turner(t, page, names)}
${credits(
  t,
  segments.flatMap(({ texts }) => texts),
)}${linked(t, shown.parallels, names)}`,
  }
}

function goTo(t: Texts, { id, ref, heRef }: Segment): Html {
  return html`<p class="faint"><a href="#${id}">${t.reader.goTo(nameIn(t, { en: ref, he: heRef }))}</a></p>`
}

/** What the page can show of what its reader wants: a page in one language shows that one. */
function shownLanguages(
  [hebrew, translation]: readonly [{ readonly chosen: unknown }, { readonly chosen: unknown }],
  { show }: ReadingSettings,
): ReadingSettings['show'] {
  if (!translation.chosen) return 'he'
  return hebrew.chosen ? show : 'translation'
}

function head(t: Texts, page: ReadingPage): Html {
  return html`<header class="row reader-head">${namedHeading(t, namesOf(page))}
<div>${askLink(t, nameIn(t, namesOf(page)))}</div></header>`
}

function namesOf(page: ReadingPage): Names {
  return { en: titleOf(page), he: heTitleOf(page) }
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
  return passages.every(({ ref }) => ref === first.ref) ? first.heRef : hebrewSectionRef(first.heRef)
}

function missingQuote(t: Texts, quote: string): Html {
  const shown = quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
  return notice('note', html`${t.reader.missingQuote[0]}<bdi>${shown}</bdi>${t.reader.missingQuote[1]}`)
}

/** What has to accompany every text: its version, licence and source. */
function credits(t: Texts, used: readonly Passage[]): Html {
  const versions = new Map(used.map((passage) => [versionKey(passage), passage]))
  return html`<aside class="credits" aria-label="${t.reader.textsHere}"><h2>${t.reader.textsHere}</h2>
<ul>${[...versions.values()].map((passage) => creditLine(t, passage))}</ul></aside>`
}

function creditLine(t: Texts, { language, version, license, url }: Passage): Html {
  const title = t.library.versionName(version)
  const licence = t.library.licenceName(license)
  return html`<li>${t.languageName(language)}: <bdi>${title}</bdi>. ${t.search.licence}: <bdi>${licence}</bdi>.
${url ? sourceLink(url, t.common.source, t.common.sourceOf(title)) : nothing}</li>`
}

function linked(t: Texts, parallels: readonly Parallel[], names: RefNames): Html {
  if (parallels.length === 0) return nothing
  return html`<details class="linked"><summary>${t.reader.linked(parallels.length)}</summary>
<ul>${parallels.map((parallel) => html`<li>${parallelRef(parallel, names)}</li>`)}</ul></details>`
}

function parallelRef({ ref, in_library: inLibrary }: Parallel, names: RefNames): Html {
  return inLibrary ? refLink(ref, names) : html`<span dir="auto">${names(ref)}</span>`
}

type Shown = { readonly ref: string; readonly nearest: readonly string[]; readonly names: RefNames }

/** A ref that the library does not have, with the nearest refs. */
export function unknownRefPage(t: Texts, { ref, nearest, names }: Shown): Page {
  const shown = ref.slice(0, 300)
  return {
    title: t.reader.unknownTitle,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.reader.unknownTitle}</h1>
<p>${t.reader.unknownRef[0]}<bdi>${shown}</bdi>${t.reader.unknownRef[1]}</p>
${nearest.length > 0 ? suggestions(t, nearest, names) : noSuggestion(t)}
${searchForm(t, { q: shown })}`,
  }
}

function suggestions(t: Texts, refs: readonly string[], names: RefNames): Html {
  const links = refs.map((ref) => html`<li>${refLink(ref, names)}</li>`)
  return html`<p>${t.reader.didYouMean}</p><ul class="nearest">${links}</ul>`
}

function noSuggestion(t: Texts): Html {
  return html`<p>${t.reader.noSimilar} <a href="/library">${t.search.browse}</a></p>`
}
