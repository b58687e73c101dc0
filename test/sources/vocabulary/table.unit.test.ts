import { expect, test } from 'vitest'
import { parseTable } from '../../../src/sources/vocabulary/data/table.ts'

const columns = { id: 'text', names: 'list', given: 'list?', uses: ['index', 'refs'] } as const

const read = (...rows: readonly string[]) =>
  parseTable('some.tsv', ['id\tnames\tgiven\tuses', ...rows, ''].join('\n'), columns, 'id')

test('a table is read by its columns', () => {
  expect(read('kotzk\tKotzk|קוצק\t\tindex|refs')).toEqual([
    { id: 'kotzk', names: ['Kotzk', 'קוצק'], given: [], uses: ['index', 'refs'] },
  ])
})

test.each([
  ['an empty cell', 'a\t\t\t', 'some.tsv:3, column "names": "": it is empty.'],
  ['an empty item', 'a\tA||B\t\t', 'some.tsv:3, column "names": "A||B": an item is empty'],
  ['a space', 'a\tA |B\t\t', 'some.tsv:3, column "names": "A |B": an item is empty or has a space'],
  ['a repeated item', 'a\tA|A\t\t', 'some.tsv:3, column "names": "A|A": an item occurs twice.'],
  [
    'an unknown word',
    'a\tA\t\tsearch',
    'some.tsv:3, column "uses": "search": "search" is unknown. Known: index',
  ],
  ['a missing column', 'a\tA', 'some.tsv:3: 2 columns. Write 4, separated by tabs.'],
  ['a repeated id', 'first\tA\t\t', 'some.tsv:3, column "id": "first" is also in line 2.'],
])('a table with %s is refused with file, line and column', (_, row, message) => {
  expect(() => read('first\tFirst\t\t', row)).toThrow(message)
})

test('a table with other columns is refused', () => {
  expect(() => parseTable('some.tsv', 'id\tname\n', columns)).toThrow(
    'some.tsv:1: the columns are "id\tname". Write: id, names, given, uses, separated by tabs.',
  )
})
