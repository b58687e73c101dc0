import type { StateBlock } from 'markdown-it'

/**
 * Cells that all tables of one text may have. The parser fills short rows up to the number of columns, so that a few
 * bytes of text would become any number of cells.
 */
const maxCells = 4_000

/** Matches a delimiter row such as `|---|:-:|`, in linear time for a long row. */
const delimiters = /^[|:\-\s]+$/

/** A block rule that runs before the rule of tables: a table with too many cells is shown as source text. */
export function keepLargeTable(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  if (silent || startLine + 1 >= endLine || !lineOf(state, startLine).includes('|')) return false
  const below = lineOf(state, startLine + 1)
  if (!below.includes('-') || !delimiters.test(below)) return false
  const env = state.env as { tableCells?: number }
  const columns = below.split('|').length
  const left = maxCells - (env.tableCells ?? 0)
  const end = endOfTable(state, startLine, Math.min(endLine, startLine + 2 + Math.ceil(left / columns)))
  const cells = columns * (end - startLine)
  if (cells <= left) {
    env.tableCells = (env.tableCells ?? 0) + cells
    return false
  }
  const last = endOfTable(state, end, endLine)
  const token = state.push('code_block', 'code', 0)
  token.content = state.getLines(startLine, last, state.blkIndent, true)
  token.map = [startLine, last]
  state.line = last
  return true
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}

/** Number of the first empty line, or `limit`. */
function endOfTable(state: StateBlock, from: number, limit: number): number {
  let line = from
  while (line < limit && !state.isEmpty(line)) line += 1
  return line
}
