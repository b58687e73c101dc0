import type { Parameter } from '../../src/routes/turn-request/parameters.ts'

/** The parameters as a Markdown table of the documents. */
export function tableOf(parameters: readonly Parameter[]): string {
  const words = {
    honoured: 'honoured',
    ignored: 'accepted and ignored',
    refused: 'refused (400 `unsupported_parameter`)',
  }
  const rows = [
    ['parameter', 'what the service does', ''],
    ...parameters.map(({ name, does, note = '' }) => [`\`${name}\``, words[does], note]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
}
