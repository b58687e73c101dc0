import { sheetLimits } from '../../../sheets/entries.ts'
import type { SheetSummary } from '../../../sheets/store.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** All sheets of an account, and a form for a new one. */
export function sheetsPage(
  t: Texts,
  sheets: readonly SheetSummary[],
  form: { readonly title: string; readonly problem?: string; readonly done?: string | undefined },
): Page {
  return {
    title: t.sheets.sheets,
    section: 'sheets',
    sheets: ['sheets'],
    main: html`<h1>${t.sheets.sheets}</h1>
${outcomeNotice({ done: form.done })}
<p>${t.sheets.about}</p>
${sheets.length === 0 ? emptyState(t.sheets.none, t.sheets.noneHint) : list(t, sheets)}
<section class="card narrow-left"><h2>${t.sheets.newSheet}</h2>
${outcomeNotice({ problem: form.problem })}
<form class="new-sheet" method="post" action="/sheets"><label>${t.sheets.title}
<input name="title" required maxlength="${sheetLimits.title}" value="${form.title}" dir="auto" autocomplete="off"
></label><button>${t.sheets.create}</button></form></section>`,
  }
}

function list(t: Texts, sheets: readonly SheetSummary[]): Html {
  return html`<ul class="sheet-list">${sheets.map(
    ({ id, title, passages, isPublic, updatedAt }) => html`<li>
<a class="sheet-name" href="/sheets/${id}" dir="auto">${title}</a>
<span class="faint">${t.common.passages(passages)}
${isPublic ? html` <span class="badge">${t.sheets.public}</span>` : nothing}</span>
<span class="faint">${t.sheets.changed} ${t.day(updatedAt)}</span></li>`,
  )}</ul>`
}
