import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SefariaApi } from '../../../src/sources/importers/sefaria/api.ts'
import { importFromApi } from '../../../src/sources/importers/sefaria/import-api.ts'
import type { RestrictedLicense } from '../../../src/sources/library/licenses.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import type { FakeSection, FakeSefaria } from '../../support/fake-sefaria.ts'
import { leaf, schemaFile, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

let fake: FakeSefaria

beforeAll(async () => {
  fake = await startFakeSefaria()
})
afterAll(() => fake.close())
beforeEach(() => {
  fake.sections = gates
  fake.records = {}
  fake.shapes = {
    'Gates of Song': ['Gates of Song, Introduction', 'Gates of Song', 'Gates of Song, Part II'],
    'Gates of Song, Part II': ['Gates of Song, Part II'],
    'Gates of Song, Introduction': ['Gates of Song, Introduction'],
  }
})
const db = useEmptyLibrary()
afterEach(async () => {
  expect((await checkLibrary(db.database.system, 1_000)).faults).toEqual([])
})

const edition = (versionTitle: string, language: string, languageFamilyName: string, license: string) => ({
  ...{ versionTitle, language, actualLanguage: language, languageFamilyName, license },
})
const available = [
  edition('Manuscript', 'he', 'hebrew', 'CC0'),
  edition('Press', 'en', 'english', 'CC-BY-NC'),
]

const hebrew = (text: unknown) => ({ ...available[0], text })
const english = (text: unknown) => ({ ...available[1], text })

const section = (ref: string, heRef: string, fields: object): FakeSection => ({
  ...{
    ref,
    heRef,
    sectionRef: ref,
    heSectionRef: heRef,
    indexTitle: 'Gates of Song',
    heIndexTitle: 'שערי זמר',
  },
  ...{ sections: [/\d+[ab]?$/.exec(ref)?.[0]].filter(Boolean), book: ref.replace(/ \d+$/, ''), textDepth: 2 },
  ...{
    categories: ['Chasidut', 'Made Up'],
    addressTypes: ['Integer', 'Integer'],
    index_offsets_by_depth: {},
  },
  ...{ available_versions: available, warnings: [], ...fields },
})

const gates: readonly FakeSection[] = [
  section('Gates of Song, Introduction', 'שערי זמר, הקדמה', {
    sections: [],
    textDepth: 1,
    versions: [
      hebrew(['פתיחה']),
      english(['Opening<sup class="footnote-marker">1</sup><i class="footnote">n</i>']),
    ],
    next: 'Gates of Song 1',
  }),
  section('Gates of Song 1', 'שערי זמר א׳', {
    versions: [hebrew(['אחת', '', 'שלוש']), english(['one', 'two'])],
    next: 'Gates of Song 4',
  }),
  section('Gates of Song 4', 'שערי זמר ד׳', {
    versions: [hebrew(['ארבע'])],
    next: 'Gates of Song, Part II 1',
    index_offsets_by_depth: { 2: 10 },
  }),
  section('Gates of Song, Part II 1', 'שערי זמר, תנינא א׳', { versions: [hebrew(['תנינא'])], next: null }),
]

const get = (titles: readonly string[], allowLicenses: readonly RestrictedLicense[] = [], intervalMs = 0) =>
  importFromApi(db.database, new SefariaApi(fake.baseUrl, { intervalMs, baseMs: 1 }), {
    titles,
    allowLicenses,
  })

const refs = async () =>
  (await db.database.systemPool.query<{ ref: string }>('select ref from passages order by ordinal')).rows.map(
    ({ ref }) => ref,
  )

test('a work is walked through all its parts, and its numbering is the API’s', async () => {
  const report = await get(['Gates of Song'], ['cc-by-nc'])
  expect(report).toMatchObject({ works: 1, versions: 2, segments: 8, failed: [], skipped: [] })
  const chapters = ['1:1', '1:2', '1:3', '4:11'].map((at) => `Gates of Song ${at}`)
  expect(await refs()).toEqual(['Gates of Song, Introduction 1', ...chapters, 'Gates of Song, Part II 1:1'])
  const { rows } = await db.database.systemPool.query(
    `select p.he_ref, p.section_ref from passages p where p.ref in ('Gates of Song 1:3', 'Gates of Song, Introduction 1')
     order by p.ordinal`,
  )
  expect(rows).toEqual([
    { he_ref: 'שערי זמר, הקדמה א׳', section_ref: 'Gates of Song, Introduction' },
    { he_ref: 'שערי זמר א׳:ג׳', section_ref: 'Gates of Song 1' },
  ])
})

test('a version whose licence is not allowed is not stored, and a second time nothing changes', async () => {
  const report = await get(['Gates of Song'])
  expect(report).toMatchObject({ versions: 1, segments: 5 })
  const why = 'licence "CC-BY-NC" is not allowed: add --allow-license cc-by-nc'
  expect(report.skipped).toEqual([{ what: 'Gates of Song: Press', why }])
  expect(await get(['Gates of Song'])).toMatchObject({ works: 0, versions: 0, unchanged: 1 })
})

test('a part comes in alone and does not drive out the others', async () => {
  expect(await get(['Gates of Song, Introduction'])).toMatchObject({ segments: 1 })
  expect(await refs()).toEqual(['Gates of Song, Introduction 1'])
  await get(['Gates of Song, Part II'])
  expect(await refs()).toEqual(['Gates of Song, Introduction 1', 'Gates of Song, Part II 1:1'])
})

test('a chapter comes in alone, and the other chapters of its part stay', async () => {
  await get(['Gates of Song'])
  const before = await refs()
  fake.sections = gates.map((known) =>
    known.ref === 'Gates of Song 4' ? { ...known, versions: [hebrew(['חדש'])] } : known,
  )
  const from = fake.requests.length
  expect(await get(['Gates of Song 4'])).toMatchObject({ works: 1, failed: [] })
  expect(fake.requests.slice(from).some(({ path }) => path.includes('Part_II.1'))).toBe(false)
  expect(await refs()).toEqual(before)
  expect(await readPassage(db.database.system, 'Gates of Song 4:11', {})).toMatchObject({
    passages: [{ text: 'חדש' }],
  })
})

test('a chapter that was not there comes in at its place', async () => {
  for (const title of ['Gates of Song, Introduction', 'Gates of Song 4', 'Gates of Song, Part II'])
    await get([title])
  await get(['Gates of Song 1'])
  const chapters = ['1:1', '1:3', '4:11'].map((at) => `Gates of Song ${at}`)
  expect(await refs()).toEqual(['Gates of Song, Introduction 1', ...chapters, 'Gates of Song, Part II 1:1'])
})

test('a range of chapters is refused, and nothing changes', async () => {
  expect((await get(['Gates of Song 1-4'])).failed).toMatchObject([
    { why: '"Gates of Song 1-4" is a range. Name each chapter.' },
  ])
  expect(await refs()).toEqual([])
})

test('a single passage comes in alone', async () => {
  await get(['Gates of Song 1:3'])
  expect(await refs()).toEqual(['Gates of Song 1:3'])
  await get(['Gates of Song 1'])
  expect(await refs()).toEqual(['Gates of Song 1:1', 'Gates of Song 1:3'])
})

test('author, date and other titles come from the record of the work', async () => {
  const parts = [leaf('Introduction', 'הקדמה', ['Integer']), leaf('', '', ['Integer', 'Integer'])]
  const facts = { titleVariants: ['Song Gates'], compDate: [1786, 1796] }
  const record = schemaFile('Gates of Song', 'שערי זמר', { nodes: parts }, facts)
  fake.records = { 'Gates of Song': Object.values(record)[0] }
  await get(['Gates of Song'])
  const { rows } = await db.database.systemPool.query(
    'select author, composed_from as from, composed_to as to from works',
  )
  expect(rows).toEqual([{ author: 'Rivka of Nowhere', from: 1786, to: 1796 }])
  expect(await readPassage(db.database.system, 'Song Gates, Introduction 1', {})).toMatchObject({
    passages: [{ ref: 'Gates of Song, Introduction 1' }],
  })
})

test('an error that comes with status 200 is reported, and the other titles come in', async () => {
  const report = await get(['No Such Book', 'Gates of Song'])
  expect(report).toMatchObject({ works: 1 })
  const why = 'Sefaria has no answer about "No Such Book": Could not find title in reference: No Such Book.'
  expect(report.failed).toEqual([{ what: 'No Such Book', why }])
})

test('a section that cannot be had is reported, and stays as it was, in its place', async () => {
  fake.fail('Gates_of_Song.4', 500, 4)
  expect((await get(['Gates of Song'])).failed).toMatchObject([{ what: 'Gates of Song: Gates of Song 4' }])
  const without = await refs()
  expect(without).toContain('Gates of Song, Part II 1:1')
  expect(without).not.toContain('Gates of Song 4:11')
  await get(['Gates of Song'])
  const before = await refs()
  expect(before).toContain('Gates of Song 4:11')
  fake.fail('Gates_of_Song.4', 500, 4)
  expect((await get(['Gates of Song'])).failed).toHaveLength(1)
  expect(await refs()).toEqual(before)
})

test('a work is not stored when the API fails three sections in a row', async () => {
  for (const path of ['Gates_of_Song.4', 'Gates_of_Song.5', 'Gates_of_Song.6']) fake.fail(path, 500, 4)
  expect((await get(['Gates of Song'])).failed).toHaveLength(1)
  expect(await refs()).toEqual([])
})

test('overload and faults of the server are waited out', async () => {
  fake.fail('Gates_of_Song.1', 429)
  fake.fail('Gates_of_Song.4', 502, 2)
  expect(await get(['Gates of Song'])).toMatchObject({ works: 1, failed: [] })
})

test('the API is asked one question at a time, with a pause, by a client that says who it is', async () => {
  const from = fake.requests.length
  await get(['Gates of Song, Introduction'], [], 40)
  const asked = fake.requests.slice(from)
  const pauses = asked.slice(1).map(({ atMs }, i) => atMs - (asked[i]?.atMs ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThan(35)
  expect(asked.every(({ agent }) => agent.startsWith('meduyak/'))).toBe(true)
})
