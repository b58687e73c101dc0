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
 * A table in a region that scrolls when the table is wider than the page. On a phone each row is a card, unless cells
 * span rows. The roles repeat what the elements mean, because styles that make cards take the meaning away.
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
  const kind = columns.some(({ span }) => span) ? 'scroll spans' : 'scroll cards'
  const heads = columns.map(
    (column) => html`<th role="columnheader" scope="col"${classOf(column)}>${column.name}</th>`,
  )
  return html`<div class="${kind}" tabindex="0" role="region" aria-label="${label}"><table role="table">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row" class="${rowClass(row)}">${columns.map((column) => cellOf(column, row))}</tr>`,
  )}</tbody>
</table></div>`
}

function cellOf<Row>(column: Column<Row>, row: Row): Html {
  const rows = column.span?.(row) ?? 1
  if (rows === 0) return nothing
  const span = rows === 1 ? nothing : html` rowspan="${rows}"`
  const attributes = html`${classOf(column)}${column.isName ? html` dir="auto"` : nothing}${span}`
  if (column.kind === 'title') {
    const scope = rows === 1 ? 'row' : 'rowgroup'
    return html`<th role="rowheader" scope="${scope}"${attributes}>${column.cell(row)}</th>`
  }
  const label = typeof column.name === 'string' ? html` data-label="${column.name}"` : nothing
  return html`<td role="cell"${label}${attributes}><div>${column.cell(row)}</div></td>`
}

function classOf({ kind, className }: { readonly kind?: string; readonly className?: string }): Html {
  const name = className ?? (kind === 'number' ? 'number' : '')
  return name === '' ? nothing : html` class="${name}"`
}
