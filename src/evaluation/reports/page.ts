import { raw } from 'hono/html'
import { type Html, html, nothing } from '../../web/components/html.ts'
import type { Totals } from '../scores/totals.ts'
import { pageStyle } from './page-style.ts'
import { type Row, rows } from './rows.ts'

/**
 * A whole page of one file. Its policy lets it load and run nothing, whatever a model or a text has put into it.
 * @param language of the page's own words: English.
 */
export async function pageOf(title: string, body: Html): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title><style>${raw(pageStyle)}</style></head>
<body><main>${body}</main></body></html>
`
  return String(page)
}

/** A table of totals, one column each. `last` gives the cell after them. */
export function totalsTable(
  columns: readonly (readonly [string, Totals])[],
  last?: { readonly name: string; readonly cell: (row: Row) => string },
): Html {
  return html`<div class="scroll"><table class="totals">
<thead><tr><td></td>${columns.map(([name]) => html`<th scope="col">${name}</th>`)}${
    last ? html`<th scope="col">${last.name}</th>` : nothing
  }</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${row.isPart ? html` class="part"` : nothing}><th scope="row">${row.label}</th>${columns.map(
        ([, totals]) => html`<td>${row.text(totals)}</td>`,
      )}${last ? html`<td>${last.cell(row)}</td>` : nothing}</tr>
`,
  )}</tbody></table></div>`
}

/** Radio buttons that show some of the questions. The styles do it, without a script. */
export function filters(choices: readonly (readonly [id: string, label: string])[]): Html {
  return html`<fieldset class="filters"><legend>Show</legend>
<label><input type="radio" name="show" checked>all</label>
${choices.map(([id, label]) => html`<label><input type="radio" name="show" id="show-${id}">${label}</label>`)}
</fieldset>`
}
