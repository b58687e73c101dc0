import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * What the cells of a column hold: one text, a list separated by `|`, or a list of the given words. With `?` a cell may
 * be empty. A list of words may always be empty.
 */
type Cells = 'text' | 'text?' | 'list' | 'list?' | readonly string[]

type Value<C extends Cells> = C extends 'text' | 'text?' ? string : readonly string[]

/** A row of a table, by the names of its columns. */
export type Row<T extends Readonly<Record<string, Cells>>> = { readonly [K in keyof T]: Value<T[K]> }

/**
 * Reads a table of tab-separated values whose first line has the names of the columns.
 * @param columns in the order of the file, with what their cells hold.
 * @param unique a column in which no value may occur twice.
 * @throws Error with file, line and column of the first cell that does not fit.
 */
export function readTable<const T extends Readonly<Record<string, Cells>>>(
  file: URL,
  columns: T,
  unique?: keyof T & string,
): readonly Row<T>[] {
  return parseTable(path.basename(fileURLToPath(file)), readFileSync(file, 'utf8'), columns, unique)
}

/** Reads the text of a table, see `readTable`. */
export function parseTable<const T extends Readonly<Record<string, Cells>>>(
  file: string,
  text: string,
  columns: T,
  unique?: keyof T & string,
): readonly Row<T>[] {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  const names = Object.keys(columns)
  if (head !== names.join('\t'))
    throw new Error(`${file}:1: the columns are "${head}". Write: ${names.join(', ')}, separated by tabs.`)
  const rows = lines.map((line, index) => {
    const where = `${file}:${index + 2}`
    const cells = line.split('\t')
    if (cells.length !== names.length)
      throw new Error(`${where}: ${cells.length} columns. Write ${names.length}, separated by tabs.`)
    const row = Object.entries<Cells>(columns).map(([name, kind], at) => {
      const cell = cells[at] ?? ''
      const fault = faultOf(cell, kind)
      if (fault !== undefined) throw new Error(`${where}, column "${name}": "${cell}": ${fault}.`)
      return [name, cellValue(cell, kind)]
    })
    return Object.fromEntries(row) as Row<T>
  })
  if (unique !== undefined)
    refuseRepeated(
      file,
      rows.map((row) => String(row[unique])),
      unique,
    )
  return rows
}

function refuseRepeated(file: string, values: readonly string[], column: string): void {
  const lines = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    const first = lines.get(value)
    if (first !== undefined)
      throw new Error(`${file}:${index + 2}, column "${column}": "${value}" is also in line ${first}.`)
    lines.set(value, index + 2)
  }
}

function cellValue(cell: string, kind: Cells): string | readonly string[] {
  if (kind === 'text' || kind === 'text?') return cell
  return cell === '' ? [] : cell.split('|')
}

function faultOf(cell: string, kind: Cells): string | undefined {
  if (cell === '') return kind === 'text' || kind === 'list' ? 'it is empty' : undefined
  if (kind === 'text' || kind === 'text?')
    return cell.trim() === cell ? undefined : 'it has a space at an end'
  const items = cell.split('|')
  if (items.some((item) => item.trim() !== item || item === ''))
    return 'an item is empty or has a space at an end'
  if (new Set(items).size < items.length) return 'an item occurs twice'
  const unknown = typeof kind === 'string' ? undefined : items.find((item) => !kind.includes(item))
  return unknown === undefined
    ? undefined
    : `"${unknown}" is unknown. Known: ${(kind as readonly string[]).join(', ')}`
}
