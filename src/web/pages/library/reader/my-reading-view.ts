import type { ReadingMark } from '../../../../reader-marks/marks.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { readHref } from '../../../components/library-links.ts'
import { emptyState, outcomeNotice, type Page } from '../../../components/page.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import type { RefNames } from '../../ref-names.ts'
import { breadcrumbs } from '../search-view.ts'

export type MyReading = {
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
    ({ ref, text, at }) => html`<li><a href="${readHref(ref)}" dir="auto">${names(ref)}</a>
<span class="faint">${t.day(at)}</span>
${text ? html`<p dir="auto">${text}</p>` : nothing}</li>`,
  )}</ul>`
}
