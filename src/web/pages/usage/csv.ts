/**
 * One record of a CSV file (RFC 4180: CRLF, doubled quotes). A text that a spreadsheet would read as a
 * formula gets an apostrophe before it (OWASP, CSV Injection); numbers stay unchanged.
 */
export function csvRecord(cells: readonly (string | number | { readonly decimal: string })[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Characters that start a formula, and their full-width forms. */
const formulaStart = '=+\\-@\uff1d\uff0b\uff0d\uff20'
const leading = new RegExp(`^[\\t\\r\\n${formulaStart}]`)
/** Spreadsheets with another list separator split cells at these characters, even inside quotes. */
const behindSeparator = new RegExp(`(?=[${formulaStart}])(?<=[;|\\t\\r\\n][ "']*)`, 'g')

function csvCell(cell: string | number | { readonly decimal: string }): string {
  if (typeof cell === 'number') return String(cell)
  if (typeof cell !== 'string') return cell.decimal
  const inside = cell.replace(behindSeparator, "'")
  const text = leading.test(inside) ? `'${inside}` : inside
  return /[",;|\t\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
