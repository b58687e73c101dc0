import { markLimits, type OwnMarks, type ReadingMark } from '../../../../reader-marks/marks.ts'
import { beginningLength, type LinkedPlace } from '../../../../sources/library/links.ts'
import type { Passage } from '../../../../sources/library/types.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { passageHref, readHref } from '../../../components/library-links.ts'
import { namedHeading, nameIn } from '../../../components/names.ts'
import { emptyState, outcomeNotice, type Page } from '../../../components/page.ts'
import { directionOf } from '../../../components/texts.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import { type RefNames, refLink } from '../../ref-names.ts'
import { addToSheetLink } from '../../sheets/add-link.ts'
import { breadcrumbs } from '../search-view.ts'
import { sideOf } from './reader-sides.ts'
import type { ReadingSettings } from './reading-settings.ts'
import { askLink, textColumn } from './segment-view.ts'

export type PassageShown = {
  readonly ref: string
  readonly heRef: string
  readonly work: string
  /** Hebrew titles of this work and of those of the links. */
  readonly titles: ReadonlyMap<string, string>
  /** Names of the links. */
  readonly names: RefNames
  /** The passage in all its versions. */
  readonly versions: readonly Passage[]
  readonly settings: ReadingSettings
  readonly links: readonly LinkedPlace[]
  /** Undefined for readers without an account. */
  readonly marks: OwnMarks | undefined
  readonly problem?: string | undefined
}

/** What belongs to one passage. `reader.js` takes the section from this page and shows it beside the text. */
export function passagePage(t: Texts, shown: PassageShown): Page {
  const { ref, heRef, work, titles } = shown
  return {
    title: nameIn(t, { en: ref, he: heRef }),
    section: 'library',
    sheets: ['library', 'menus', 'reader', 'passage'],
    scripts: ['add-to-sheet.js'],
    main: html`${breadcrumbs(t, { en: work, he: titles.get(work) ?? '' })}
<section id="passage" class="passage-panel" data-close="${t.common.close}">
${namedHeading(t, { en: ref, he: heRef })}${passageText(shown)}
<p class="row passage-tools"><a class="button quiet" href="${readHref(ref)}">${t.reader.openPassage}</a>
${askLink(t, nameIn(t, { en: ref, he: heRef }))}
${addToSheetLink(t, { ref, name: nameIn(t, { en: ref, he: heRef }) })}</p>
${ownMarks(t, shown)}${linkList(t, shown)}</section>`,
  }
}

/** Hidden in the panel, which stands beside the text. */
function passageText({ versions, settings }: PassageShown): Html {
  const sides = (['hebrew', 'translation'] as const).map((name) =>
    sideOf(name, versions, undefined, undefined),
  )
  const texts = sides.flatMap(({ chosen }) => chosen?.passage ?? [])
  return html`<div class="reader passage-text" data-show="both" data-size="${settings.size}"><div class="columns">
${texts.map((text) => textColumn(text, undefined, settings.points === 'on'))}</div></div>`
}

function ownMarks(t: Texts, { ref, marks, problem }: PassageShown): Html {
  if (!marks) {
    const here = `/signin?next=${encodeURIComponent(passageHref(ref))}`
    return html`<p class="faint"><a href="${here}">${t.account.signIn}</a> ${t.reader.signInFor}</p>`
  }
  const { isBookmarked, note } = marks
  return html`${outcomeNotice({ problem })}<form class="mark-form" method="post" action="/library/marks"
data-done="${isBookmarked ? t.reader.done.unmarked : t.reader.done.marked}">
<input type="hidden" name="ref" value="${ref}">
<input type="hidden" name="bookmark" value="${isBookmarked ? 'off' : 'on'}">
<button class="quiet">${isBookmarked ? t.reader.bookmarkOff : t.reader.bookmarkOn}</button></form>
<form class="mark-form" method="post" action="/library/marks"
data-done="${t.reader.done.noted}"><input type="hidden" name="ref" value="${ref}">
<label>${t.reader.note} <small class="faint">${t.reader.noteHint}</small>
<textarea name="note" rows="3" maxlength="${markLimits.text}" dir="auto">${note}</textarea></label>
<button class="quiet">${t.reader.saveNote}</button></form>`
}

/** By work, those that the library has first. */
function linkList(t: Texts, { links, titles, names }: PassageShown): Html {
  if (links.length === 0) return html`<p class="faint">${t.reader.noLinks}</p>`
  const works = [...Map.groupBy(links, ({ work }) => work)]
  return html`${works.map(
    ([work, places]) => html`<h2 class="linked-work" dir="auto">
${work === '' ? t.reader.elsewhere : nameIn(t, { en: work, he: titles.get(work) ?? '' })}
<span class="faint">${places.length}</span></h2>
<ul class="linked-places">${places.map((place) => html`<li>${linkedPlace(t, place, names)}</li>`)}</ul>`,
  )}`
}

function linkedPlace(
  t: Texts,
  { ref, isHere, kind, language, beginning }: LinkedPlace,
  names: RefNames,
): Html {
  const name = isHere ? refLink(ref, names) : html`<span dir="auto">${names(ref)}</span>`
  // A longer text ends after a whole word.
  const shown = beginning.length < beginningLength ? beginning : `${beginning.replace(/\s+\S*$/, '')} …`
  const text = beginning
    ? html`<p class="text" lang="${language}" dir="${directionOf(language)}">${shown}</p>`
    : nothing
  return html`${name}${kind ? html` <span class="faint">${t.reader.linkKind(kind)}</span>` : nothing}${text}`
}

type MyReading = {
  readonly history: readonly ReadingMark[]
  readonly bookmarks: readonly ReadingMark[]
  readonly notes: readonly ReadingMark[]
  /** Names of all refs. */
  readonly names: RefNames
  readonly done?: string | undefined
}

/** Where an account has read, and what it has kept. */
export function myReadingPage(t: Texts, shown: MyReading): Page {
  const { history, bookmarks, notes, done } = shown
  const list = (marks: readonly ReadingMark[]) => markList(t, marks, shown.names)
  return {
    title: t.reader.mine,
    section: 'library',
    sheets: ['library', 'passage'],
    main: html`${breadcrumbs(t)}<h1>${t.reader.mine}</h1>${outcomeNotice({ done })}
<h2>${t.reader.history}</h2>
${
  history.length === 0
    ? emptyState(t.reader.noHistory, t.reader.noHistoryHint)
    : html`${list(history)}
<form method="post" action="/library/history/clear">
<button class="quiet danger">${t.reader.clearHistory}</button></form>`
}
<h2>${t.reader.bookmarks}</h2>
${bookmarks.length === 0 ? emptyState(t.reader.noBookmarks, t.reader.noMarksHint) : list(bookmarks)}
<h2>${t.reader.notes}</h2>
${notes.length === 0 ? emptyState(t.reader.noNotes, t.reader.noMarksHint) : list(notes)}`,
  }
}

function markList(t: Texts, marks: readonly ReadingMark[], names: RefNames): Html {
  return html`<ul class="mark-list">${marks.map(
    ({ ref, text, at }) => html`<li>${refLink(ref, names)}
<span class="faint">${t.day(at)}</span>
${text ? html`<p dir="auto">${text}</p>` : nothing}</li>`,
  )}</ul>`
}
