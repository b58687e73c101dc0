import { expect, test } from 'vitest'
import { importText } from '../../../src/sources/importers/import-text.ts'
import { readMarkdown } from '../../../src/sources/importers/read-markdown.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { resolveRefs } from '../../../src/sources/refs/ref-lookup.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

const db = useEmptyLibrary()

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
const book = (content: string) => bring(content, { title: 'T' })
const rows = async (statement: string) => (await db.database.systemPool.query(statement)).rows
const refs = async () => (await rows('select ref from passages order by ordinal')).map(({ ref }) => ref)
const texts = () =>
  rows(
    'select p.ref, t.text, t.notes from passages p join passage_texts t on t.passage_id = p.id order by ordinal, t.language',
  )

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
    ...{ work: 'Notes on Dawn', works: 1, versions: 1, segments: 5, unchanged: 0, language: 'en' },
    ...{ version: 'English text', license: 'own', headings: 3, cut: 0, notes: 0, likelyHeadings: [] },
    ...{ first: 'Notes on Dawn 1', last: 'Notes on Dawn, On Light 1' },
  })
  expect((await texts()).map(({ ref, text }) => `${ref}: ${text}`)).toEqual([
    'Notes on Dawn 1: An opening word with a link.',
    'Notes on Dawn, On Waiting 1: One who waits sees light.',
    'Notes on Dawn, On Waiting 2: And again.',
    'Notes on Dawn, On Waiting, Deeper 1: Below.',
    'Notes on Dawn, On Light 1: Last word.',
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
    'a restricted licence',
    'Words.',
    { title: 'T', license: 'CC-BY-NC' },
    'licence "CC-BY-NC" is not allowed',
  ],
  ['a wrong address', 'Words.', { title: 'T', source_url: 'shelf 3' }, '"source_url" is "shelf 3"'],
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
  expect(await rows('select p.he_ref from passages p')).toEqual([{ he_ref: 'מסומן א׳' }])
  expect(await texts()).toMatchObject([{ text: 'The lamp & the oil burn.' }])
})

const imported = async (content: string) => {
  await book(content)
  return (await texts()).map(({ ref, text }) => `${ref}: ${text}`)
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
  const written = [
    '~~Old~~ **bold**, \\*star\\*, `x<y>`, &lt;b&gt; ![picture](p.png) <i>i</i><br>end.',
    ...['<div>\nIn *HTML*.\n</div>', '<!-- hidden\n\nhidden -->', '| a | b |\n|---|---|\n| *c* | d |'],
    ...['    Indented.\n\n    # Again.', '\u00a0', 'Last\u00a0one.'],
  ]
  expect(await imported(written.join('\n\n'))).toEqual([
    'T 1: Old bold, *star*, x<y>, <b> i end.',
    ...['T 2: In HTML.', 'T 3: a b c d', 'T 4: Indented.', 'T 5: # Again.', 'T 6: Last one.'],
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

const sentences = (count: number, words: string) =>
  Array.from({ length: count }, (_, i) => `${words} ${i + 1}.`).join(' ')

test('a long paragraph is cut into pieces at ends of sentences, and found by its number and by that of a piece', async () => {
  const long = sentences(40, 'the lamp burns in the long night at')
  const report = await book(`# On light\n\nShort.\n\n${long}\n\nLast.`)
  const pieces = [1, 2, 3].map((piece) => `T, On light 2 §${piece}`)
  expect(await refs()).toEqual(['T, On light 1', ...pieces, 'T, On light 3'])
  expect(report).toMatchObject({ segments: 5, cut: 1, first: 'T, On light 1', last: 'T, On light 3' })
  const stored = await texts()
  const cut = stored.slice(1, 4).map(({ text }) => text)
  expect(cut.join(' ')).toBe(long)
  for (const { text } of stored) expect(text.split(' ').length).toBeLessThan(181)
  const [whole, piece] = await resolveRefs(db.database.system, ['T, On light 2', 'T, On light 2:3'])
  expect(whole?.found?.place).toMatchObject({ first: 2, last: 4 })
  expect(piece?.found?.ref).toBe('T, On light 2 §3')
  expect(await rows(`select distinct section_ref from passages`)).toEqual([{ section_ref: 'T, On light' }])
  expect((await checkLibrary(db.database.system, 100)).faults).toEqual([])
})

test('a translation is cut into as many pieces as the edition that the library has', async () => {
  await book(`# One\n\n${sentences(40, 'מנורה דולקת בלילה הארוך הזה אצל')}\n\n${sentences(10, 'קצר מאד')}`)
  await book(
    `# One\n\n${sentences(40, 'one lamp burns all through this very long night beside number')}\n\n${sentences(40, 'a long translation of a short text')}`,
  )
  const both = await rows(
    `select p.ref, count(*)::int as editions from passages p join passage_texts t on t.passage_id = p.id group by 1 order by 1`,
  )
  expect(both.filter(({ editions }) => editions !== 2)).toEqual([])
  expect(both.map(({ ref }) => ref)).toContain('T, One 2')
})

test('footnotes are stored apart from the words that they belong to', async () => {
  const lines = [
    ...['# The gates[^t]', '', 'The orchard has four gates[^1], and each has a keeper.[^keeper]', ''],
    ...['A sign [^none] without a footnote.', '', '[^1]: Some manuscripts read *five*.'],
    ...['[^keeper]: See the commentary.', '    It goes on.', '', '    And has a second paragraph.', ''],
    ...['[^alone]: Nothing refers to this.', '[^t]: On the title.', '# Next', 'Words.'],
  ]
  const report = await book(lines.join('\n'))
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
  const lines = [
    ...['---', 'title: Signs', 'license: CC0', '---', '# First', '', '#Second', '', 'Words of two.', ''],
    ...['**Third part**', '', 'Words with **bold** in them.', '', 'Chapter 4', ''],
    'In chapter 5 he says this.',
    ...['', '== Sixth ==', '', 'סימן ז', '', '3. a numbered saying'],
  ]
  const report = await bring(lines.join('\n'))
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
  expect((await book('---\n\nA line above a text is no front matter.')).segments).toBe(1)
})
