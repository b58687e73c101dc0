import { beforeEach, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { readBuffer } from '../../src/workspace/content.ts'
import { findByName, findVersion, listByName } from '../../src/workspace/files.ts'
import { useLibrary } from '../support/library-lines.ts'
import { cantillated, english, pointed } from '../support/sheets.ts'
import { openWorkspace, type TestWorkspace } from '../support/workspace.ts'

const facts = { work: 'The Gate', license: 'CC0', source_url: 'https://example.org/gate' }
const book = [
  { ...facts, ref: 'The Gate 1:1', he_ref: 'השער א׳:א׳', he: pointed, en: english },
  { ...facts, ref: 'The Gate 1:2', he_ref: 'השער א׳:ב׳', he: 'מִי שֶׁסּוֹפֵר מְאַחֵר.' },
  { ...facts, ref: 'The Gate 2:1', he_ref: 'השער ב׳:א׳', he: cantillated },
  ...Array.from({ length: 61 }, (_, i) => ({
    ...facts,
    ref: `The Gate 3:${i + 1}`,
    en: `The ${i + 1}th of many short lines.`,
  })),
]

let home: TestWorkspace

const db = useLibrary(book)
beforeEach(async () => {
  home = await openWorkspace(db.database)
})

const make = (more: object) =>
  home.call('make_source_sheet', { name: 'lamps', title: 'On lamps', formats: ['md'], ...more })
const names = () =>
  withTx(db.database, home.place, async (tx) =>
    (await listByName(tx, home.place.projectId)).files.map(({ name }) => name),
  )
const contentOf = (name: string) =>
  withTx(db.database, home.place, async (tx) => {
    const file = await findByName(tx, home.place.projectId, name)
    const version = file && (await findVersion(tx, file))
    return version ? (await readBuffer({}, tx, version)).toString() : undefined
  })

test("a sheet has the library's texts with refs, licences and its author's notes", async () => {
  const made = await make({
    items: [
      { ref: 'the gate 1:1-2', heading: 'First', note: 'Why?' },
      { ref: 'השער ב:א', languages: 'he' },
    ],
  })
  expect(made.content).toMatchObject({
    written: ['lamps.md'],
    sources: [
      { n: 1, ref: 'The Gate 1:1–2', he_ref: 'השער א׳:א׳–ב׳', languages: ['he', 'en'], passages: 2 },
      { n: 2, ref: 'The Gate 2:1', languages: ['he'], passages: 1 },
    ],
    files: [{ filename: 'lamps.md', action: 'created', contentType: 'text/markdown; charset=utf-8' }],
  })
  const content = await contentOf('lamps.md')
  for (const part of [
    pointed,
    english,
    cantillated,
    '## 1. First',
    '**Note:** Why?',
    'CC0',
    'example.org/gate',
  ]) {
    expect(content).toContain(part)
  }
})

test('missing refs are named with the nearest ones, and no sheet is written', async () => {
  const made = await make({ items: [{ ref: 'The Gate 1:1' }, { ref: 'The Gate 1:9' }, { ref: 'Nowhere 5' }] })
  expect(made).toMatchObject({
    isError: true,
    content: {
      items: [
        { ref: 'The Gate 1:9', nearest: expect.arrayContaining(['The Gate 1:2', 'The Gate 1:1']) },
        { ref: 'Nowhere 5' },
      ],
    },
  })
  expect(await names()).toEqual([])
})

test('a text in another language only, or too long, is refused with the reason', async () => {
  const made = await make({ items: [{ ref: 'The Gate 2:1', languages: 'en' }, { ref: 'The Gate 3' }] })
  expect(made).toMatchObject({
    isError: true,
    content: {
      items: [
        { problem: 'The library has it in these languages only: he.' },
        { problem: 'It names more than 60 passages: name a smaller range.' },
      ],
    },
  })
})

test('a sheet with a known name is a new version in each of its formats', async () => {
  const items = [{ ref: 'The Gate 1:1' }]
  await make({ items, formats: ['md', 'docx', 'md'] })
  const again = await make({ items, name: 'lamps.docx', formats: ['docx', 'html'] })
  expect(again.content).toMatchObject({
    files: [
      { filename: 'lamps.docx', action: 'updated', contentType: expect.stringContaining('wordprocessingml') },
      { filename: 'lamps.html', action: 'created' },
    ],
  })
  expect((await names()).toSorted()).toEqual(['lamps.docx', 'lamps.html', 'lamps.md'])
})

test('a sheet that is made can be read and searched by what it says, in each format', async () => {
  await make({ items: [{ ref: 'The Gate 1:1' }], formats: ['docx', 'html', 'pdf'] })
  for (const name of ['lamps.docx', 'lamps.html', 'lamps.pdf']) {
    const read = await home.call('read_file', { name })
    const text = JSON.stringify(read.content['passages'])
    expect(text).toContain('Book of Lamps')
    expect(text).not.toContain('font-face')
  }
})

test('a sheet with the name of an uploaded file is refused in every format', async () => {
  await home.upload({ name: 'lamps.docx', content: 'mine' })
  const made = await make({ items: [{ ref: 'The Gate 1:1' }], formats: ['md', 'docx'] })
  expect(made).toMatchObject({
    isError: true,
    content: { error: expect.stringMatching(/"lamps.docx" was uploaded/) },
  })
  expect(await names()).toEqual(['lamps.docx'])
})

test('when the plan has no room for all formats none is written', async () => {
  home = await openWorkspace(db.database, { storedBytes: 90_000 })
  const made = await make({ items: [{ ref: 'The Gate 1:1' }], formats: ['md', 'html', 'docx'] })
  expect(made).toMatchObject({
    isError: true,
    content: { error: expect.stringMatching(/stores 87\.9 KB/) },
  })
  expect(await names()).toEqual([])
})

test('input out of bounds is an error that the model reads', async () => {
  const items = [{ ref: 'The Gate 1:1' }]
  const refused = [
    { items: [] },
    { items: Array(41).fill(items[0]) },
    { items, title: '  ' },
    { items, formats: ['odt'] },
    { items: [{ ref: 'The Gate 1:1', note: 'x'.repeat(4_001) }] },
  ]
  for (const more of refused) expect((await make(more)).isError).toBe(true)
  await expect(make({ items, name: '../..' })).rejects.toThrow(/name/)
})
