import { afterEach, beforeEach, expect, test } from 'vitest'
import { importText } from '../../../src/sources/importers/import-text.ts'
import { readMarkdown } from '../../../src/sources/importers/read-markdown.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { resolveRefs } from '../../../src/sources/refs/ref-lookup.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase

beforeEach(async () => {
  db = await createTestDatabase()
})
afterEach(() => db.drop())

const bring = async (content: string, flags = {}) =>
  importText(db.database, readMarkdown(content, { title: 'T', ...flags }), {
    allowLicenses: [],
    replace: true,
  })
const rows = async (statement: string) => (await db.database.systemPool.query(statement)).rows
const refs = async () => (await rows('select ref from passages order by ordinal')).map(({ ref }) => ref)
const texts = () =>
  rows(
    'select p.ref, t.text, t.notes from passages p join passage_texts t on t.passage_id = p.id order by ordinal, t.language',
  )
const sentences = (count: number, words: string) =>
  Array.from({ length: count }, (_, i) => `${words} ${i + 1}.`).join(' ')

test('a long paragraph is cut into pieces at ends of sentences, and found by its number and by that of a piece', async () => {
  const long = sentences(40, 'the lamp burns in the long night at')
  const report = await bring(`# On light\n\nShort.\n\n${long}\n\nLast.`)
  const pieces = [1, 2, 3].map((piece) => `T, On light 2 §${piece}`)
  expect(await refs()).toEqual(['T, On light 1', ...pieces, 'T, On light 3'])
  expect(report).toMatchObject({ segments: 5, cut: 1, first: 'T, On light 1', last: 'T, On light 3' })
  const stored = await texts()
  expect(
    stored
      .slice(1, 4)
      .map(({ text }) => text)
      .join(' '),
  ).toBe(long)
  for (const { text } of stored) expect(text.split(' ').length).toBeLessThan(181)
  const [whole, piece] = await resolveRefs(db.database.system, ['T, On light 2', 'T, On light 2:3'])
  expect(whole?.found?.place).toMatchObject({ first: 2, last: 4 })
  expect(piece?.found?.ref).toBe('T, On light 2 §3')
  expect(await rows(`select distinct section_ref from passages`)).toEqual([{ section_ref: 'T, On light' }])
  expect((await checkLibrary(db.database.system, 100)).faults).toEqual([])
})

test('a translation is cut into as many pieces as the edition that the library has', async () => {
  await bring(`# One\n\n${sentences(40, 'מנורה דולקת בלילה הארוך הזה אצל')}\n\n${sentences(10, 'קצר מאד')}`)
  await bring(
    `# One\n\n${sentences(40, 'one lamp burns all through this very long night beside number')}\n\n${sentences(40, 'a long translation of a short text')}`,
  )
  const both = await rows(
    `select p.ref, count(*)::int as editions from passages p join passage_texts t on t.passage_id = p.id group by 1 order by 1`,
  )
  expect(both.filter(({ editions }) => editions !== 2)).toEqual([])
  expect(both.map(({ ref }) => ref)).toContain('T, One 2')
})

test('footnotes are stored apart from the words that they belong to', async () => {
  const report = await bring(
    [
      '# The gates[^t]',
      '',
      'The orchard has four gates[^1], and each has a keeper.[^keeper]',
      '',
      'A sign [^none] without a footnote.',
      '',
      '[^1]: Some manuscripts read *five*.',
      '[^keeper]: See the commentary.',
      '    It goes on.',
      '',
      '    And has a second paragraph.',
      '',
      '[^alone]: Nothing refers to this.',
      '[^t]: On the title.',
      '# Next',
      'Words.',
    ].join('\n'),
  )
  expect(await texts()).toEqual([
    {
      ref: 'T, The gates 1',
      text: 'The orchard has four gates, and each has a keeper.',
      notes: [
        'On the title.',
        'Some manuscripts read five.',
        'See the commentary. It goes on. And has a second paragraph.',
      ],
    },
    {
      ref: 'T, The gates 2',
      text: expect.stringContaining('A sign [^none] without'),
      notes: expect.anything(),
    },
    { ref: 'T, The gates 3', text: '[^alone]: Nothing refers to this.', notes: [] },
    { ref: 'T, Next 1', text: 'Words.', notes: [] },
  ])
  expect(report.notes).toBe(3)
})

test('a work with a Hebrew title has Hebrew refs without a further property', async () => {
  await bring('# פרק א\n\nמילים של ספר.', { title: 'ספר המעיין' })
  expect(await rows('select ref, he_ref from passages')).toEqual([
    { ref: 'ספר המעיין, פרק א 1', he_ref: 'ספר המעיין, פרק א א׳' },
  ])
})

test('the report names language, licence and headings, and lines that may be meant as headings', async () => {
  const text = [
    '---',
    'title: Signs',
    'license: CC0',
    '---',
    '# First',
    '',
    '#Second',
    '',
    'Words of two.',
    '',
    '**Third part**',
    '',
    'Words with **bold** in them.',
    '',
    'Chapter 4',
    '',
    'In chapter 5 he says this.',
    '',
    '== Sixth ==',
    '',
    'סימן ז',
    '',
    '3. a numbered saying',
  ].join('\n')
  const report = await importText(db.database, readMarkdown(text, {}), { allowLicenses: [] })
  expect(report).toMatchObject({ language: 'en', license: 'CC0', version: 'English text', headings: 1 })
  expect(report.likelyHeadings).toEqual([
    { line: 7, text: '#Second' },
    { line: 11, text: '**Third part**' },
    { line: 15, text: 'Chapter 4' },
    { line: 19, text: '== Sixth ==' },
    { line: 21, text: 'סימן ז' },
  ])
})

test('front matter without an end is refused with the remedy', async () => {
  expect(() => readMarkdown('---\ntitle: T\n\nWords.\n', {})).toThrow(
    'Write a line `---` after its last property.',
  )
  expect((await bring('---\n\nA line above a text is no front matter.')).segments).toBe(1)
})
