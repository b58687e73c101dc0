import { hebrewSectionRef } from '../../../../sources/library/hebrew-refs.ts'
import type { ReadingPage } from '../../../../sources/library/reading-page.ts'
import { selectField } from '../../../components/fields.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { readHref, withQuery, workHref } from '../../../components/library-links.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import type { RefNames } from '../../ref-names.ts'
import type { Side } from './reader-sides.ts'
import { hasPoints, type ReadingSettings, sizes } from './reading-settings.ts'

/** What the bar acts on. `here` is the path of the page, with its parameters. */
export type BarShown = {
  readonly page: ReadingPage
  readonly sides: readonly Side[]
  readonly settings: ReadingSettings
  readonly quote: string | undefined
  readonly here: string
  readonly names: RefNames
}

/** Chapters, language, size, points and versions, above the text. */
export function readerBar(t: Texts, shown: BarShown): Html {
  return html`<div class="reader-bar">${chapterNav(t, shown)}${settingsView(t, shown)}
${versionForm(t, shown)}</div>`
}

/** The neighbours of a page by their numbers, and the chapters of its part, which a script loads. */
function chapterNav(t: Texts, { page, names }: BarShown): Html {
  const { previous, next, work, section } = page
  const part = headingOfSection(section)
  const number = shortName(names, section, part)
  const all = withQuery(workHref(work), { part: part === work ? undefined : part })
  const here = hereName(t, page, names) ?? number(section)
  return html`<nav class="chapter-nav" aria-label="${t.reader.chapters}">
${neighbour('prev', t.reader.previous, previous)}
<details class="menu" data-chapters="${all}"><summary class="button quiet"
aria-label="${t.reader.chapters}: ${here}">${here}</summary>
<div class="menu-body"><a href="${all}">${t.reader.allChapters}</a></div></details>
${neighbour('next', t.reader.next, next)}</nav>`

  function neighbour(rel: 'prev' | 'next', label: string, ref: string | undefined): Html {
    if (ref === undefined) return nothing
    return html`<a class="button quiet" rel="${rel}" href="${readHref(ref)}" aria-label="${label}: ${names(ref)}"
title="${names(ref)}">${number(ref)}</a>`
  }
}

/** The Hebrew name of an entry of a lexicon, which has no number: the one of its passages. */
function hereName(
  { language }: Texts,
  { passages, section }: ReadingPage,
  names: RefNames,
): string | undefined {
  const heRef = passages[0]?.heRef ?? ''
  if (language === 'en' || heRef === '' || names(section) !== section) return undefined
  return hebrewSectionRef(heRef).split(/,\s*/).at(-1)
}

/** Below the text: the neighbours with their whole names. */
export function turner(t: Texts, { previous, next }: ReadingPage, names: RefNames): Html {
  if (previous === undefined && next === undefined) return nothing
  const link = (rel: 'prev' | 'next', label: string, ref: string | undefined) =>
    ref === undefined
      ? nothing
      : html`<a class="button quiet" rel="${rel}" href="${readHref(ref)}">${label}: <bdi>${names(ref)}</bdi></a>`
  return html`<nav class="row turner" aria-label="${t.reader.chaptersBelow}">
${link('prev', t.reader.previous, previous)} ${link('next', t.reader.next, next)}</nav>`
}

function headingOfSection(section: string): string {
  return section.replace(/[\s,]+[\d:]+[a-d]?(?:\s§\d+)?$/, '')
}

/** The names of refs without what the page's part already says, in either language. */
function shortName(names: RefNames, section: string, part: string): RefNames {
  const hePart = section === part ? names(section) : names(section).replace(/\s\S+(?:\s§\S+)?$/, '')
  return (ref) => (names(ref) === ref ? numberIn(ref, part) : numberIn(names(ref), hePart))
}

/** A ref without what the page's part already says: `12`, or `Part II; On Wicks 1` in another part. */
function numberIn(ref: string, part: string): string {
  const rest = ref.startsWith(part) ? ref.slice(part.length).replace(/^[\s,:]+/, '') : ref
  const [name = ref] = (rest === '' ? ref : rest).split(/,\s*/).slice(-1)
  return name
}

/**
 * Each button changes one setting; without scripts the page is loaded again with it. On phones one button opens them
 * above the text, because the bar stays in the window.
 */
function settingsView(t: Texts, { page, sides, settings, here }: BarShown): Html {
  const { size, points } = settings
  const pointed = page.passages.some(({ language, text }) => language === 'he' && hasPoints(text))
  return html`<button type="button" class="quiet display-button" popovertarget="reading-settings"
aria-label="${t.reader.display}" title="${t.reader.display}">
<span aria-hidden="true" dir="ltr">${t.reader.displaySign}</span></button>
<form class="reading-settings" id="reading-settings" popover method="post" action="/library/settings">
<input type="hidden" name="back" value="${here}">${languageSwitch(t, sides, settings)}
<span class="switch" role="group" aria-label="${t.reader.size}">${sizeButton(size - 1, t.reader.smaller, 'A−')}
${sizeButton(size + 1, t.reader.larger, 'A+')}</span>
${pointed ? pointsButton(t, points) : nothing}</form>`
}

/** Only if the page has both. */
function languageSwitch(t: Texts, [hebrew, translation]: readonly Side[], { show }: ReadingSettings): Html {
  if (!hebrew?.chosen || !translation?.chosen) return nothing
  const choice = (value: ReadingSettings['show'], label: string) =>
    html`<button class="quiet" name="show" value="${value}" aria-pressed="${String(value === show)}">${label}</button>`
  return html`<span class="switch" role="group" aria-label="${t.search.languages}">${choice('he', t.reader.hebrew)}
${choice('both', t.reader.both)}${choice('translation', t.languageName(translation.chosen.passage.language))}</span>`
}

function pointsButton(t: Texts, points: ReadingSettings['points']): Html {
  const isOn = points === 'on'
  return html`<button class="quiet points" name="points" value="${isOn ? 'off' : 'on'}" aria-pressed="${String(isOn)}"
title="${t.reader.points}"><span class="sr">${t.reader.points}</span>
<span lang="he" dir="rtl" aria-hidden="true">אָ</span>
</button>`
}

function sizeButton(size: number, label: string, shown: string): Html {
  const isOut = size < sizes.smallest || size > sizes.largest
  return html`<button class="quiet" name="size" value="${size}" title="${label}"${
    isOut ? html` disabled` : nothing
  }><span class="sr">${label}</span><span aria-hidden="true" dir="ltr">${shown}</span></button>`
}

/** Only if there is a choice. */
function versionForm(t: Texts, { page, sides, quote }: BarShown): Html {
  const withChoice = sides.filter(({ versions }) => versions.length > 1)
  if (withChoice.length === 0) return nothing
  return html`<details class="menu versions"><summary class="button quiet">${t.library.versions}</summary>
<form class="menu-body" action="${readHref(page.asked ?? pageRef(page))}">
${quote ? html`<input type="hidden" name="quote" value="${quote}">` : nothing}
${withChoice.map((side) => versionField(t, side))}<button>${t.common.show}</button></form></details>`
}

function versionField(t: Texts, { name, versions, chosen }: Side): Html {
  return selectField({
    label: name === 'hebrew' ? t.reader.hebrewVersion : t.reader.translation,
    name,
    selected: chosen?.key,
    options: versions.map(({ key, passage: { language, version } }) => ({
      value: key,
      label: name === 'hebrew' ? version : `${t.languageName(language)}: ${version}`,
    })),
  })
}

/** The ref that leads back to this page. */
export function pageRef({ passages, section }: ReadingPage): string {
  const first = passages[0]?.ref ?? section
  return /\d[a-d]?$/.test(section) ? section : first
}
