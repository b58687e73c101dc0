import type { StoredSheet } from '../../../sheets/store.ts'
import { sheetFormats } from '../../../workspace/sheets/sheet.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** Above the editor and the preview: what is shown, whether it is saved, and what can be done with the sheet. */
export function sheetBar(t: Texts, { id }: Pick<StoredSheet, 'id'>, here: 'edit' | 'preview'): Html {
  const mark = (name: string) => (name === here ? html` aria-current="page"` : nothing)
  return html`<div class="sheet-bar"><nav class="breadcrumbs" aria-label="${t.library.breadcrumb}"><a href="/sheets"
>${t.sheets.sheets}</a></nav>
<nav class="switch" aria-label="${t.sheets.sheets}"><a href="/sheets/${id}"${mark('edit')}>${t.common.edit}</a>
<a href="/sheets/${id}/preview"${mark('preview')}>${t.sheets.preview}</a></nav>
<span class="sheet-state faint" role="status"></span>
${downloadMenu(t, `/sheets/${id}/file`)}
${here === 'edit' ? nothing : printButton(t)}</div>`
}

/** The sheet as a file of each format, at `path`. */
export function downloadMenu(t: Texts, path: string): Html {
  return html`<details class="menu"><summary class="button quiet">${t.common.download}</summary>
<ul class="menu-body menu-list">${sheetFormats
    .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    .map(
      (format) => html`<li><a href="${path}?format=${format}" download>${t.sheets.formats[format]}</a></li>`,
    )}</ul></details>`
}

/** Works with the script `print.js`, and is hidden without it. */
export function printButton(t: Texts): Html {
  return html`<button class="quiet for-scripts" type="button" data-print hidden>${t.sheets.print}</button>`
}

/** The formats as people look for them. */
const order: readonly string[] = ['pdf', 'docx', 'html', 'md']
