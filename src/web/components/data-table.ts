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
  /** On a phone the cell needs no name before it: its values say what they are. */
  readonly isPlain?: boolean
}

/**
 * A table in a region that scrolls when the table is wider than the page. On a phone each row is a card; rows that a
 * cell spans share one.
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
  const spanning = columns.find(({ span }) => span)?.span
  const kind = spanning ? 'scroll cards groups' : 'scroll cards'
  const heads = columns.map((column) => html`<th scope="col"${classOf(column)}>${column.name}</th>`)
  return html`<div class="${kind}" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${heads}</tr></thead>
${groupsOf(rows, spanning).map(
  (group) =>
    html`<tbody>${group.map(
      (row) => html`<tr class="${rowClass(row)}">${columns.map((column) => cellOf(column, row))}</tr>`,
    )}</tbody>`,
)}
</table></div>`
}

/** The rows that a cell spans are a group of the table; without such cells all rows are one. */
function groupsOf<Row>(rows: readonly Row[], span: Column<Row>['span']): readonly (readonly Row[])[] {
  if (!span) return [rows]
  const groups: Row[][] = []
  for (const row of rows) {
    const group = groups.at(-1)
    if (group && span(row) === 0) group.push(row)
    else groups.push([row])
  }
  return groups
}

function cellOf<Row>(column: Column<Row>, row: Row): Html {
  const rows = column.span?.(row) ?? 1
  if (rows === 0) return nothing
  const span = rows === 1 ? nothing : html` rowspan="${rows}"`
  const attributes = html`${classOf(column)}${column.isName ? html` dir="auto"` : nothing}${span}`
  if (column.kind === 'title') {
    const scope = rows === 1 ? 'row' : 'rowgroup'
    return html`<th scope="${scope}"${attributes}>${column.cell(row)}</th>`
  }
  const hasLabel = typeof column.name === 'string' && !column.isPlain
  const label = hasLabel ? html` data-label="${column.name}"` : nothing
  return html`<td${label}${attributes}><div>${column.cell(row)}</div></td>`
}

function classOf({ kind, className }: { readonly kind?: string; readonly className?: string }): Html {
  const name = className ?? (kind === 'number' ? 'number' : '')
  return name === '' ? nothing : html` class="${name}"`
}

/** A name and its value. */
export type Fact = readonly [name: string, value: unknown]

/** Names with their values, side by side. Entries that are `false` are left out. */
export function factList(facts: readonly (Fact | false)[], variant: 'plain' | 'sums' = 'plain'): Html {
  const shown = facts.filter((fact) => fact !== false)
  return html`<dl class="facts ${variant}">
${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}
