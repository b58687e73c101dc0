import { type Bound, sizeOf } from '../../src/http/limits/bounds.ts'

/** The bounds as a Markdown table of the documents. */
export function boundsTable(bounds: Readonly<Record<string, Bound>>): string {
  const rows = [['what', 'at most'], ...Object.values(bounds).map((bound) => [bound.what, sizeOf(bound)])]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
}
