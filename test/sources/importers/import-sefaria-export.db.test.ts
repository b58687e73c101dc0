import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { openBucket } from '../../../src/sources/importers/sefaria/bucket.ts'
import { openFolder } from '../../../src/sources/importers/sefaria/folder.ts'
import { openParser } from '../../../src/sources/importers/sefaria/format/parser.ts'
import { type ImportOptions, importExport } from '../../../src/sources/importers/sefaria/import-export.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { lockLibrary, removeWork } from '../../../src/sources/library/writing/library.ts'
import type { ExportFiles, FakeSefaria } from '../../support/fake-sefaria.ts'
import {
  sampleExport,
  schemaFile,
  startFakeSefaria,
  versionFile,
  writeExport,
} from '../../support/fake-sefaria.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

let fake: FakeSefaria

/** One for all imports: a thread of its own for each would be most of the work. */
const parser = openParser()

beforeAll(async () => {
  fake = await startFakeSefaria()
})
afterAll(async () => {
  await fake.close()
  await parser.close()
})
beforeEach(() => {
  fake.files = sampleExport
})
const db = useEmptyLibrary()
afterEach(async () => {
  expect((await checkLibrary(db.database.system, 1_000)).faults).toEqual([])
})

const rows = async <T extends object>(statement: string): Promise<T[]> =>
  (await db.database.systemPool.query<T>(statement)).rows

const optionsOf = (options: Partial<ImportOptions>): ImportOptions => ({
  ...{ titles: [], categories: [], allowLicenses: [], parser },
  ...options,
})
/** The refs in reading order. */
const refsLike = async (start: string): Promise<readonly string[]> => {
  const order = 'from passages p join works w on w.id = p.work_id order by w.title, p.ordinal'
  return (await rows<{ ref: string }>(`select p.ref ${order}`))
    .map(({ ref }) => ref)
    .filter((ref) => ref.startsWith(start))
}

async function fromFolder(files: ExportFiles, options: Partial<ImportOptions> = {}) {
  const folder = await writeExport(files)
  try {
    return await importExport(db.database, await openFolder(folder.path), optionsOf(options))
  } finally {
    await folder.remove()
  }
}

const fromBucket = async (options: Partial<ImportOptions> = {}) =>
  importExport(db.database, await openBucket(fake.booksUrl, { baseMs: 1 }), optionsOf(options))

const lamp = (text: unknown, others: object = {}): ExportFiles =>
  versionFile({
    ...{ title: 'Lamp of Dawn', versionTitle: 'E', license: 'CC0', text, sectionNames: ['C', 'P'] },
    ...others,
  })

test('a whole export comes in with its refs, notes, licences and counts', async () => {
  const report = await fromFolder(sampleExport)
  const counts = { works: 5, versions: 7, segments: 22, machineMade: 1, unchanged: 0 }
  expect(report).toMatchObject({ ...counts, failed: [] })
  const places = await rows<{ place: string }>(`select concat_ws(' | ', ref, he_ref, section_ref) as place
    from passages where ref like 'Lamp%' order by ordinal`)
  expect(places.map(({ place }) => place)).toEqual([
    'Lamp of Dawn 1:1 | נר השחר א׳:א׳ | Lamp of Dawn 1',
    'Lamp of Dawn 1:2 | נר השחר א׳:ב׳ | Lamp of Dawn 1',
    'Lamp of Dawn 2:1 | נר השחר ב׳:א׳ | Lamp of Dawn 2',
    'Lamp of Dawn 3:2 | נר השחר ג׳:ב׳ | Lamp of Dawn 3',
  ])
  const english =
    await rows(`select t.text, t.notes from passage_texts t join versions v on v.id = t.version_id
    where v.title = 'Community Translation' order by t.doc_id`)
  expect(english).toEqual([
    { text: 'The lamp burns in the window', notes: ['See Window 2a, there.'] },
    { text: 'Between night & day', notes: [] },
  ])
  const versions = await rows<{ version: string }>(`select concat_ws(' | ', v.language, v.title, v.license,
    v.source_url, v.machine_made) as version from versions v join works w on w.id = v.work_id
    where w.title = 'Lamp of Dawn' order by v.title`)
  expect(versions.map(({ version }) => version)).toEqual([
    'en | Community Translation | CC-BY | https://www.sefaria.org/Lamp_of_Dawn | f',
    'he | First Print (Nowhere, 1901) | Public Domain | https://www.sefaria.org/Lamp_of_Dawn | f',
    'en | Open Torah Ai | CC0 | https://www.sefaria.org/Lamp_of_Dawn | t',
  ])
  expect(report.skipped.map(({ why }) => why).sort()).toEqual([
    'licence "CC-BY-NC" is not allowed: add --allow-license cc-by-nc',
    'licence "unknown" is not allowed: add --allow-license unknown',
    'merged texts hide edition and licence',
  ])
})

test('complex, Talmud and folio works have canonical refs, in reading order', async () => {
  await fromFolder(sampleExport)
  const under = (title: string, ...at: readonly string[]) => at.map((place) => `${title}${place}`)
  expect(await refsLike('')).toEqual([
    ...under('Columns ', '2a:1', '2b:1', '2c:1', '2d:1'),
    ...under('Gates of Song', ', Introduction 1', ' 1:1:1', ' 1:1:2', ' 3:1:1', ' 3:2:1'),
    ...under('Gates of Song, Part II', ', Letters 1:1', ' 1:1:1'),
    ...under('Lamp of Dawn ', '1:1', '1:2', '2:1', '3:2'),
    ...under('Tractate Window ', '2a:1', '2a:2', '2b:1'),
    ...under('Window Glosses ', '2a:1:1', '2a:1:2'),
  ])
  expect(await rows(`select author from works where title = 'Gates of Song'`)).toEqual([
    { author: 'Rivka of Nowhere' },
  ])
})

test('licences come in when the operator allows them, and a wrong language is set right', async () => {
  await fromFolder(sampleExport)
  const report = await fromFolder(sampleExport, { allowLicenses: ['cc-by-nc', 'unknown'] })
  expect(report).toMatchObject({ versions: 2, unchanged: 7 })
  expect(report.remarks).toMatchObject([{ why: 'marked "en", but its words are "es": stored as "es"' }])
  const titles = `'Press Translation', 'La luz en español'`
  expect(
    await rows(`select language, license from versions where title in (${titles}) order by license`),
  ).toEqual([
    { language: 'en', license: 'CC-BY-NC' },
    { language: 'es', license: 'unknown' },
  ])
})

test('a second import changes nothing, and a third only what changed', async () => {
  await fromBucket()
  const before = await rows(`select id, title, content_hash from versions order by id`)
  expect(await fromBucket()).toMatchObject({ works: 0, versions: 0, segments: 0, unchanged: 7 })
  expect(await rows(`select id, title, content_hash from versions order by id`)).toEqual(before)
  const name = 'json/Chasidut/Made Up/Lamp of Dawn/English/Community Translation.json'
  const old = sampleExport[name] as object
  fake.files = { ...sampleExport, [name]: { ...old, text: [['The lamp burns'], ['Between'], ['At last']] } }
  expect(await fromBucket()).toMatchObject({ works: 1, versions: 1, segments: 3, unchanged: 6 })
  const lamps = ['1:1', '1:2', '2:1', '3:1', '3:2'].map((at) => `Lamp of Dawn ${at}`)
  expect(await refsLike('Lamp')).toEqual(lamps)
})

test('importing again gives works their date, although no file changed', async () => {
  const dates = () =>
    rows('select title, composed_from as from, composed_to as to from works where composed_from is not null')
  await fromBucket()
  expect(await dates()).toEqual([])
  const path = 'schemas/Gates_of_Song.json'
  const dated = { ...(sampleExport[path] as object), compDate: '1901', errorMargin: '3' }
  fake.files = { ...sampleExport, [path]: dated }
  expect(await fromBucket()).toMatchObject({ versions: 0, failed: [] })
  expect(await dates()).toEqual([{ title: 'Gates of Song', from: 1898, to: 1904 }])
})

test('a file that lost its Hebrew title keeps the Hebrew refs, and the index has their words', async () => {
  const heRefs = () => rows<{ he_ref: string }>('select he_ref from passages order by ordinal')
  await fromFolder(lamp([['one'], ['two']], { heTitle: 'נר השחר' }))
  const before = await heRefs()
  expect(await fromFolder(lamp([['one'], ['two']]))).toMatchObject({ versions: 0, unchanged: 1 })
  expect(await fromFolder(lamp([['one'], ['three']]))).toMatchObject({ versions: 1 })
  expect(await heRefs()).toEqual(before)
  const { faults } = await checkLibrary(db.database.system, 1_000)
  expect(faults).toEqual([])
})

test('what was removed from the library comes back', async () => {
  await fromFolder(sampleExport)
  await withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    await removeWork(tx, 'Columns')
  })
  expect(await fromFolder(sampleExport)).toMatchObject({ works: 1, versions: 1, segments: 4 })
})

test('works are chosen by title or category, and an unknown name is an error', async () => {
  expect(await fromBucket({ titles: ['columns'] })).toMatchObject({ works: 1, segments: 4 })
  expect(await fromBucket({ categories: ['made up'] })).toMatchObject({ works: 4 })
  await expect(fromBucket({ titles: ['Nothing'] })).rejects.toThrow(
    'nothing under the title or category "Nothing"',
  )
})

test('the bucket is never asked for merged files, and each request names the client', async () => {
  const from = fake.requests.length
  await fromBucket()
  const asked = fake.requests.slice(from)
  expect(asked.filter(({ path }) => path.includes('merged'))).toEqual([])
  expect(asked.every(({ agent }) => agent.startsWith('meduyak/'))).toBe(true)
})

test('what may pass is tried again; what does not pass is reported and the rest comes in', async () => {
  fake.fail('Gates of Song/Hebrew', 503, 2)
  fake.fail('Study Edition', 429)
  fake.fail('Window Glosses', 500, 4)
  const report = await fromBucket()
  expect(report).toMatchObject({ works: 4, segments: 20 })
  expect(report.failed).toHaveLength(1)
  expect(report.failed[0]?.why).toMatch(/could not be read: the server answered 500 \(tried 4 times\)\.$/)
  expect(await fromBucket()).toMatchObject({ works: 1, segments: 2, unchanged: 6, failed: [] })
})

test('a work whose schema cannot be had waits for another time', async () => {
  fake.fail('Tractate_Window.json', 500, 4)
  expect((await fromBucket({ titles: ['Tractate Window'] })).failed).toHaveLength(1)
  expect(await rows('select ref from passages')).toEqual([])
})

test('a bucket that is not there is one clear sentence', async () => {
  const closed = await startFakeSefaria()
  await closed.close()
  const gone = openBucket(closed.booksUrl, { baseMs: 1 })
  await expect(gone).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+\/books\.json could not be read: ECONNREFUSED \(tried 4 times\)\.$/,
  )
  fake.slow('slow.json', 200)
  const slow = openBucket(`${fake.baseUrl}/slow.json`, { baseMs: 1, timeoutMs: 20 })
  await expect(slow).rejects.toThrow('no answer within 0.02 s (tried 4 times)')
})

test('a text whose licence the publisher restricts stays as it was, and the report says so', async () => {
  await fromFolder(lamp([['free']]))
  const restricted = lamp([['free, corrected']], { license: 'CC-BY-NC' })
  expect((await fromFolder(restricted)).skipped).toMatchObject([
    { why: expect.stringMatching(/add --allow-license cc-by-nc; the library keeps its earlier text$/) },
  ])
  expect(await rows('select text from passage_texts')).toEqual([{ text: 'free' }])
  await fromFolder(restricted, { allowLicenses: ['cc-by-nc'] })
  expect(await rows('select license from versions')).toEqual([{ license: 'CC-BY-NC' }])
})

test('faulty rows of the list of books do not stop the import of the others', async () => {
  const json_url = `${fake.baseUrl}/json/Chasidut/Made Up/Columns/English/Study Edition.json`
  const faulty = [
    { title: null, versionTitle: 'A', json_url },
    'row',
    { title: 'B', versionTitle: 'B', json_url: 7 },
  ]
  const books = [...faulty, { title: 'Columns', versionTitle: null, json_url }]
  const schema = { path: 'schemas/Columns.json', url: `${fake.baseUrl}/schemas/Columns.json` }
  const list = { books, special_files: [{ path: 5 }, schema] }
  fake.files = { ...sampleExport, 'list.json': list, 'other.json': [] }
  const source = await openBucket(`${fake.baseUrl}/list.json`, { baseMs: 1 })
  expect(source.entries.map(({ name }) => name)).toEqual(['Columns//Study Edition.json'])
  const report = await importExport(db.database, source, optionsOf({}))
  expect(report).toMatchObject({ works: 1, segments: 4, failed: [] })
  const other = openBucket(`${fake.baseUrl}/other.json`, { baseMs: 1 })
  await expect(other).rejects.toThrow(/other\.json is not a books\.json .* Name the address of a mirror/)
})

test('broken files are reported with what is wrong, and the rest comes in', async () => {
  const empty = 'json/A/Empty/English/x.json'
  const report = await fromFolder({
    ...lamp([['light']]),
    'json/A/Cut/English/x.json': '{"title": "Cut", "text": [["a"',
    'json/A/List/English/x.json': '[]',
    'json/A/Textless/English/x.json': { title: 'Textless', versionTitle: 'x', license: 'CC0' },
    [empty]: { title: 'Empty', versionTitle: 'x', license: 'CC0', text: [[], ['', '']] },
  })
  expect(report).toMatchObject({ works: 1, versions: 1 })
  expect(report.failed.map(({ what }) => what.split('/')[2])).toEqual(['Cut', 'List', 'Textless'])
  expect(report.skipped).toEqual([{ what: empty, why: 'it holds no text' }])
})

test('files in a folder of any shape are known by what is in them', async () => {
  const file = Object.values(lamp([['light']]))[0]
  expect(await fromFolder({ 'download.json': file }, { titles: ['Lamp of Dawn'] })).toMatchObject({
    segments: 1,
  })
})

test('a ref that belongs to another work fails that work alone', async () => {
  const report = await fromFolder({
    ...versionFile({ title: 'Book', versionTitle: 'E', license: 'CC0', text: { Part: [['one']] } }),
    ...versionFile({ title: 'Book, Part', versionTitle: 'E', license: 'CC0', text: [['two']] }),
    ...lamp([['light']]),
  })
  expect(report).toMatchObject({ works: 2, versions: 2 })
  expect(report.failed).toEqual([
    { what: 'Book', why: expect.stringContaining('"Book, Part 1:1" belongs to another work') },
  ])
})

test('a work that Sefaria renamed is taken over instead of doubled', async () => {
  await fromFolder(sampleExport, { titles: ['Gates of Song'] })
  const [name, old] = Object.entries(sampleExport).find(([path]) => path.includes('Gates of Song/')) ?? []
  const schema = sampleExport['schemas/Gates_of_Song.json'] as { schema: object }
  const [former, now] = ['Gates of Song', 'Gates of Songs']
  const report = await fromFolder({
    [String(name).replace(former, now)]: { ...(old as object), title: now },
    ...schemaFile(now, 'שערי זמר', schema.schema, { titleVariants: [former, now] }),
  })
  expect(report.remarks).toEqual([{ what: now, why: `it was in the library as "${former}"` }])
  expect(await rows('select title from works')).toEqual([{ title: 'Gates of Songs' }])
  expect(await refsLike('')).toEqual(await refsLike('Gates of Songs'))
})

test('an import that is stopped keeps the works it has done and goes on where it stopped', async () => {
  const controller = new AbortController()
  const onProgress = () => controller.abort()
  const first = await fromFolder(sampleExport, { signal: controller.signal, onProgress })
  expect(first).toMatchObject({ works: 1, interrupted: true })
  expect(await fromFolder(sampleExport)).toMatchObject({ works: 4, unchanged: 1, interrupted: false })
})

test('links come in from every passage of the side that the library has', async () => {
  const report = await fromFolder(sampleExport, { links: true })
  expect(report.links).toBe(7)
  const link = (from_ref: string, to_ref: string, kind = '') => ({ from_ref, to_ref, kind })
  expect(await rows('select from_ref, to_ref, kind from links order by 1, 2')).toEqual([
    link('Gates of Song, Introduction 1', 'Tractate Window 2a', 'commentary'),
    link('Lamp of Dawn 1:1', 'Exodus 3:2'),
    link('Lamp of Dawn 1:1', 'Genesis 1:1-2', 'quotation'),
    ...['1:2', '2:1'].map((at) => link(`Lamp of Dawn ${at}`, 'Exodus 3:2')),
    ...['1', '2'].map((at) =>
      link(`Tractate Window 2a:${at}`, 'Gates of Song, Introduction 1', 'commentary'),
    ),
  ])
  expect(await fromBucket({ links: true })).toMatchObject({ links: 0, failed: [] })
})
