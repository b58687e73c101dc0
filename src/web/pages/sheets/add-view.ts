import { sheetLimits } from '../../../sheets/entries.ts'
import type { SheetSummary } from '../../../sheets/store.ts'
import { selectField } from '../../components/fields.ts'
import { html } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

export type AddForm = {
  readonly ref: string
  /** The ref in the language of the page. */
  readonly name: string
  readonly he: string
  readonly en: string
  readonly sheet: string
  readonly title: string
  readonly problem?: string
  /** The sheets to choose from, the one that was changed last first. */
  readonly sheets: readonly SheetSummary[]
}

/** The form that puts a passage into a sheet. `add-to-sheet.js` takes it from this page into a dialog. */
export function addPage(t: Texts, { ref, name, he, en, sheet, title, problem, sheets }: AddForm): Page {
  const options = sheets.map(({ id, title: label }) => ({ value: id, label }))
  return {
    title: t.sheets.addToTitle,
    section: 'sheets',
    sheets: ['menus', 'sheets'],
    main: html`<section class="card narrow-left" id="add-to-sheet"><h1>${t.sheets.addToTitle}</h1>
<p><bdi class="entry-ref">${name}</bdi></p>${outcomeNotice({ problem })}
<form method="post" action="/sheets/add" data-failed="${t.sheets.notAdded}">
<input type="hidden" name="ref" value="${ref}">
<input type="hidden" name="he" value="${he}"><input type="hidden" name="en" value="${en}">
${selectField({
  label: t.sheets.which,
  name: 'sheet',
  selected: sheet === '' ? options[0]?.value : sheet,
  options: [...options, { value: 'new', label: t.sheets.another }],
})}
<label class="new-title">${t.sheets.newTitle} <input name="title" maxlength="${sheetLimits.title}" dir="auto"
autocomplete="off" value="${title}" placeholder="${t.sheets.untitled(name)}"></label>
<button>${t.common.add}</button></form>
<p><a href="${readHref(ref)}">${t.sheets.goBack}</a></p></section>`,
  }
}
