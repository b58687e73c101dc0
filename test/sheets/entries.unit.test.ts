import { expect, test } from 'vitest'
import {
  type EditedSheet,
  editedEntries,
  movedEntry,
  newNote,
  newPassage,
  type SheetEntry,
  sheetLimits,
  withEntry,
} from '../../src/sheets/entries.ts'

const note = (id: string, text = id): SheetEntry => ({ kind: 'note', id, text })
const edit = (
  order: readonly string[],
  fields: Readonly<Record<string, string>> = {},
  removed: readonly string[] = [],
): EditedSheet => ({
  title: '',
  intro: '',
  order,
  removed,
  field: (name, id) => fields[`${name}-${id}`],
})
const ids = (entries: readonly SheetEntry[]) => entries.map(({ id }) => id)

test('an edit gives the entries the order and the texts of the page', () => {
  const stored = [note('a'), note('b'), note('c')]
  expect(editedEntries(stored, edit(['c', 'a', 'b'], { 'text-a': ' new\r\nline ' }))).toEqual([
    note('c'),
    note('a', 'new\nline'),
    note('b'),
  ])
})

test('an entry that another window added stays, and one that it removed does not come back', () => {
  const stored = [note('a'), note('added')]
  expect(ids(editedEntries(stored, edit(['gone', 'a'])))).toEqual(['a', 'added'])
})

test('an entry that the page removed is removed, also when its place is sent twice', () => {
  expect(ids(editedEntries([note('a'), note('b')], edit(['b', 'a', 'b'], {}, ['a'])))).toEqual(['b'])
})

test('a field that the page does not have keeps its value, and unknown languages are not stored', () => {
  const passage = { ...newPassage('A 1', { languages: 'he', heading: 'Kept' }), id: 'p' }
  expect(editedEntries([passage], edit(['p'], { 'languages-p': 'fr' }))).toEqual([passage])
  expect(editedEntries([passage], edit(['p'], { 'languages-p': 'en', 'he-p': 'First' }))).toEqual([
    { ...passage, languages: 'en', versions: { he: 'First', en: '' } },
  ])
})

test('a text that is too long is refused with the name of its field and both lengths', () => {
  const long = 'x'.repeat(sheetLimits.note + 1)
  expect(() => editedEntries([note('a')], edit(['a'], { 'text-a': long }))).toThrow(
    expect.objectContaining({
      param: 'text-a',
      message: 'A note has 4,001 characters. It may have 4,000 characters: shorten it.',
    }),
  )
})

test('an entry moves by one place and stays where it is at the end', () => {
  const entries = [note('a'), note('b'), note('c')]
  expect(ids(movedEntry(entries, 'a', 1))).toEqual(['b', 'a', 'c'])
  expect(ids(movedEntry(entries, 'c', -1))).toEqual(['a', 'c', 'b'])
  expect(ids(movedEntry(entries, 'a', -1))).toEqual(['a', 'b', 'c'])
  expect(ids(movedEntry(entries, 'none', 1))).toEqual(['a', 'b', 'c'])
})

test('a new entry comes after the one that is named, otherwise last, until the sheet is full', () => {
  const added = newNote()
  expect(withEntry([note('a'), note('b')], added, 'a')[1]).toBe(added)
  expect(withEntry([note('a'), note('b')], added).at(-1)).toBe(added)
  const full = Array.from({ length: sheetLimits.entries }, (_, i) => note(String(i)))
  expect(() => withEntry(full, added)).toThrow(/may have 50 passages and notes/)
})
