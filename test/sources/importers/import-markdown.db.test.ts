import { afterEach, beforeEach, expect, test } from 'vitest'
import { importText } from '../../../src/sources/importers/import-text.ts'
import { readMarkdown } from '../../../src/sources/importers/read-markdown.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase

beforeEach(async () => {
  db = await createTestDatabase()
})
afterEach(() => db.drop())

const notes = `---
title: Notes on Dawn
he_title: רשימות
author: "A Reader"
category: Chasidut, Own
---
# Notes on Dawn

An opening *word* with a [link](http://example.org).

## On Waiting
One who waits
sees light.

- And again.

### Deeper
Below.

## On Light ##

> Last word.
`

const bring = async (content: string, flags = {}) =>
  importText(db.database, readMarkdown(content, flags), { allowLicenses: [], replace: true })
const rows = async (statement: string) => (await db.database.systemPool.query(statement)).rows

test('the front matter or an option says when a work was written', async () => {
  const composed = async () => (await rows('select composed_from, composed_to from works'))[0]
  await bring(notes.replace('author:', 'composed: 1790–1812\nauthor:'))
  expect(await composed()).toEqual({ composed_from: 1790, composed_to: 1812 })
  await bring(notes, { composed: '1796' })
  expect(await composed()).toEqual({ composed_from: 1796, composed_to: 1796 })
  await expect(bring(notes, { composed: '5556' })).rejects.toThrow(
    '"composed" is "5556": it must be a year such as 1796',
  )
})

test('headings become nodes of the refs and paragraphs numbered passages', async () => {
  expect(await bring(notes)).toEqual({
    work: 'Notes on Dawn',
    works: 1,
    versions: 1,
    segments: 5,
    unchanged: 0,
    language: 'en',
    version: 'English text',
    license: 'own',
    headings: 3,
    cut: 0,
    notes: 0,
    first: 'Notes on Dawn 1',
    last: 'Notes on Dawn, On Light 1',
    likelyHeadings: [],
  })
  expect(
    await rows(
      `select p.ref, t.text from passages p join passage_texts t on t.passage_id = p.id order by ordinal`,
    ),
  ).toEqual([
    { ref: 'Notes on Dawn 1', text: 'An opening word with a link.' },
    { ref: 'Notes on Dawn, On Waiting 1', text: 'One who waits sees light.' },
    { ref: 'Notes on Dawn, On Waiting 2', text: 'And again.' },
    { ref: 'Notes on Dawn, On Waiting, Deeper 1', text: 'Below.' },
    { ref: 'Notes on Dawn, On Light 1', text: 'Last word.' },
  ])
  expect(await rows('select title, he_title, author, categories from works')).toEqual([
    { title: 'Notes on Dawn', he_title: 'רשימות', author: 'A Reader', categories: ['Chasidut', 'Own'] },
  ])
  expect(await rows('select language, license from versions')).toEqual([{ language: 'en', license: 'own' }])
})

test('a second time nothing changes, and a changed text replaces the old one', async () => {
  await bring(notes)
  expect(await bring(notes)).toMatchObject({ versions: 0, unchanged: 1 })
  expect(await bring(notes.replace('Below.', 'Below it.'))).toMatchObject({ versions: 1, segments: 5 })
  expect((await checkLibrary(db.database.system, 100)).faults).toEqual([])
})

test('flags go before the front matter, and Hebrew is known by its letters', async () => {
  await bring('---\ntitle: One\n---\nשלום לכל הקוראים\n', { title: 'Two', license: 'CC-BY' })
  expect(
    await rows('select w.title, v.language, v.license from versions v join works w on w.id = v.work_id'),
  ).toEqual([{ title: 'Two', language: 'he', license: 'CC-BY' }])
})

test.each([
  ['a text without a title', 'Words.', {}, 'has no title'],
  ['a text without paragraphs', '# Only a heading', { title: 'T' }, 'no paragraphs'],
  [
    'a licence that is not allowed',
    'Words.',
    { title: 'T', license: 'CC-BY-NC' },
    'licence "CC-BY-NC" is not allowed',
  ],
  ['a language that is none', 'Words.', { title: 'T', language: 'klingon' }, 'not a language code'],
])('%s is refused in one sentence', async (_, content, flags, message) => {
  await expect(bring(content, flags)).rejects.toThrow(message)
  expect(await rows('select 1 from works')).toEqual([])
})

test.each([
  ['every passage has a text', `delete from passage_texts where text = 'Below.'`],
  [
    'every text is of a passage and a version, and every passage of a work',
    `insert into passage_texts (passage_id, version_id, language, doc_id, text) values (0, 0, 'en', 0, 'Lost.')`,
  ],
  ['every version has passages, as many as it says', 'update versions set doc_count = 4'],
  ['the index has every word of every text', `delete from search_postings where term = 'below'`],
  [
    'a row of the index holds as many documents as it says',
    'update search_postings set documents = documents + 1',
  ],
  ['document numbers stay below the next one', `update library_state set value = '1' where key = 'next_doc'`],
])('the check names rows that break "%s"', async (rule, damage) => {
  await bring(notes)
  expect((await checkLibrary(db.database.system, 100)).faults).toEqual([])
  await rows(damage)
  const { faults } = await checkLibrary(db.database.system, 100)
  expect(faults.find((fault) => fault.rule === rule)?.rows.length).toBeGreaterThan(0)
})

test('HTML is removed, and Hebrew refs have Hebrew numerals', async () => {
  await bring('---\ntitle: Marked\nhe_title: מסומן\n---\nThe <b>lamp</b> &amp; the oil<br>burn.')
  expect(
    await rows(
      `select p.he_ref, t.text from passages p join passage_texts t on t.passage_id = p.id where p.ref = 'Marked 1'`,
    ),
  ).toEqual([{ he_ref: 'מסומן א׳', text: 'The lamp & the oil burn.' }])
})

test('a source_url that is no web address is refused by name', async () => {
  await expect(bring('Text.', { title: 'Bad', source_url: 'shelf 3' })).rejects.toThrow(
    /"source_url" is "shelf 3"/,
  )
})

const imported = async (content: string) => {
  await bring(content, { title: 'T' })
  return (
    await rows(
      'select p.ref, t.text from passages p join passage_texts t on t.passage_id = p.id order by ordinal',
    )
  ).map(({ ref, text }) => `${ref}: ${text}`)
}

test('code blocks are passages, and a line of theirs is never a heading', async () => {
  expect(
    await imported('## Tools\n\n```sh\n# not a heading\n\nsearch *word*\n```\n\n~~~\n- x\n~~~\nAfter.'),
  ).toEqual(['T, Tools 1: # not a heading search *word*', 'T, Tools 2: - x', 'T, Tools 3: After.'])
})

test('underlined headings become nodes of the refs', async () => {
  expect(await imported('Gates\n=====\nOne.\n\nFirst *gate*\n---\nTwo.\n\n***\n\nThree.')).toEqual([
    'T, Gates 1: One.',
    'T, Gates, First gate 1: Two.',
    'T, Gates, First gate 2: Three.',
  ])
})

test('numbers of lists and lines in brackets stay in the text', async () => {
  expect(
    await imported('3. Third.\n4. Fourth.\n\n[1]: Ibid.\n\n[א]: שם\n\n> Said:\n>\n> - one\n> - two'),
  ).toEqual(['T 1: 3. Third. 4. Fourth.', 'T 2: [1]: Ibid.', 'T 3: [א]: שם', 'T 4: Said:', 'T 5: one two'])
})

test('a list without blank lines is one passage, with the lists in it', async () => {
  expect(await imported('Before:\n- a\n  - b\n  - c\n- d\n\nAfter.')).toEqual([
    'T 1: Before:',
    'T 2: a b c d',
    'T 3: After.',
  ])
})

test('a paragraph under a loose list item has a number of its own', async () => {
  expect(await imported('1. One.\n\n   More.\n\n2. Two.')).toEqual([
    'T 1: 1. One.',
    'T 2: More.',
    'T 3: 2. Two.',
  ])
})

test('markup of any kind leaves only the words', async () => {
  expect(
    await imported(
      [
        '~~Old~~ **bold**, \\*star\\*, `x<y>`, &lt;b&gt; ![picture](p.png) <i>i</i><br>end.',
        '<div>\nIn *HTML*.\n</div>',
        '<!-- hidden\n\nhidden -->',
        '| a | b |\n|---|---|\n| *c* | d |',
        '    Indented.\n\n    # Again.',
        '\u00a0',
        'Last\u00a0one.',
      ].join('\n\n'),
    ),
  ).toEqual([
    'T 1: Old bold, *star*, x<y>, <b> i end.',
    'T 2: In HTML.',
    'T 3: a b c d',
    'T 4: Indented.',
    'T 5: # Again.',
    'T 6: Last one.',
  ])
})

test('front matter is YAML, in which lists and long texts may stand', async () => {
  await bring(
    "---\n# ours\nTitle: 'One''s own' # a note\nauthor: >-\n  A\n  Reader\ncategory:\n  - Chasidut\n  - Own\nversion: 1.10\ntags: [x]\n---\nText.",
  )
  expect(
    await rows(
      'select w.title, w.author, w.categories, v.title as version from works w join versions v on v.work_id = w.id',
    ),
  ).toEqual([{ title: "One's own", author: 'A Reader', categories: ['Chasidut', 'Own'], version: '1.10' }])
})

test.each([
  ['title: One: two', /line 2 .*quotes/],
  ['title: "כ"ק"', /line 2 .*quotes/],
  ['title: T\nauthor:\n  name: A', /"author".*text/],
  ['- title', /name: value/],
  ['title: T\nLicence: CC-BY-NC', /"license".* in place of "licence"/],
])('front matter that cannot be read as it was meant is refused: %j', async (matter, message) => {
  await expect(bring(`---\n${matter}\n---\nText.`)).rejects.toThrow(message)
})
