/**
 * One record of a CSV file (RFC 4180: CRLF, quotes doubled). A text that a spreadsheet would take for a formula gets an
 * apostrophe before it (OWASP, CSV Injection); numbers are given as numbers and stay as they are.
 */
export function csvRecord(cells: readonly (string | number | { readonly decimal: string })[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: string | number | { readonly decimal: string }): string {
  if (typeof cell === 'number') return String(cell)
  if (typeof cell !== 'string') return cell.decimal
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
