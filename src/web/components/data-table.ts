import { type Html, html, nothing } from './html.ts'

export type Column<Row> = {
  readonly name: string | Html
  readonly cell: (row: Row) => unknown
  /** `title`: the cell names its row. `number`: aligned at the end, in figures of one width. */
  readonly kind?: 'title' | 'number'
  /** The cell holds a name that somebody chose, in any language: it finds its own direction. */
  readonly isName?: boolean
  readonly className?: string
  /** Rows that the cell spans. With 0 the cell of an earlier row covers this one. Default: 1. */
  readonly span?: (row: Row) => number
}

/**
 * A table in a region that scrolls when the table is wider than the page.
 * @param options.label names the region for screen readers.
 * @param options.rowClass the class of a row; empty for none.
 */
export function dataTable<Row>(options: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowClass?: (row: Row) => string
}): Html {
  const { label, columns, rows, rowClass = () => '' } = options
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map((column) => html`<th${classOf(column)}>${column.name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr class="${rowClass(row)}">${columns.map((column) => cellOf(column, row))}</tr>`,
  )}</tbody>
</table></div>`
}

function cellOf<Row>(column: Column<Row>, row: Row): Html {
  const rows = column.span?.(row) ?? 1
  if (rows === 0) return nothing
  const span = rows === 1 ? nothing : html` rowspan="${rows}"`
  const attributes = html`${classOf(column)}${column.isName ? html` dir="auto"` : nothing}${span}`
  return column.kind === 'title'
    ? html`<th scope="${rows === 1 ? 'row' : 'rowgroup'}"${attributes}>${column.cell(row)}</th>`
    : html`<td${attributes}>${column.cell(row)}</td>`
}

function classOf({ kind, className }: { readonly kind?: string; readonly className?: string }): Html {
  const name = className ?? (kind === 'number' ? 'number' : '')
  return name === '' ? nothing : html` class="${name}"`
}
