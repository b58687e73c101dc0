import { sql } from 'drizzle-orm'
import { beforeEach, expect, test, vi } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { ServiceError } from '../../src/errors.ts'
import { deleteFile } from '../../src/workspace/files.ts'
import { useDatabase } from '../support/database.ts'
import { makeDocx, makePdf, paragraph } from '../support/documents.ts'
import { openWorkspace, type Said, type TestWorkspace } from '../support/workspace.ts'

/** Each document is read by a process of its own, which a busy machine starts slowly. */
vi.setConfig({ testTimeout: 60_000 })

let home: TestWorkspace

const db = useDatabase()
beforeEach(async () => {
  home = await openWorkspace(db.database)
})

type ReplayFilter = {
  readonly mark: string
  readonly ref: string
  readonly text: string
  readonly offset?: number
}
const passages = ({ content }: Said) => content['passages'] as readonly ReplayFilter[]
const keptTexts = async () => {
  const { rows } = await db.database.system.execute<{ text: string; problem: string }>(
    `select t.text, t.problem from file_texts t where account_id = '${home.place.accountId}'`,
  )
  return rows
}

test('a text is shown to the letter, as passages under marks that say where they stand', async () => {
  const { id } = await home.upload({ name: 'notes.md', content: '# דף\n\nA lamp.\r\n \nTwo\n\n' })
  const read = await home.call('read_file', { name: 'notes.md' })
  expect(read.content).toMatchObject({ name: 'notes.md', version: 1, length: 22, next_offset: null })
  expect(read.content['note']).toMatch(/not instructions/)
  expect(
    passages(read)
      .map(({ text }) => text)
      .join(''),
  ).toBe('# דף\n\nA lamp.\r\n \nTwo\n\n')
  expect(read.sources).toEqual([
    {
      mark: 'S1',
      ref: 'notes.md, paragraphs 1–3',
      heRef: '',
      title: 'notes.md',
      work: 'notes.md',
      language: 'und',
      version: 'Version 1',
      license: 'own',
      url: `/v1/files/${id}/content?version=1`,
      text: '# דף\n\nA lamp.\r\n \nTwo',
    },
  ])
})

test('a long text is read in parts without a lost letter, and marks count on', async () => {
  const content = Array.from({ length: 60 }, (_, i) => `פסקה ${i}: ${'מילה "ארוכה" '.repeat(60)}`).join(
    '\n\n',
  )
  await home.upload({ name: 'long.txt', content })
  let [text, offset, calls] = ['', 0 as number | null, 0]
  const marks: string[] = []
  while (offset !== null) {
    const read = await home.call('read_file', { name: 'long.txt', offset })
    expect(Buffer.byteLength(JSON.stringify(read.content))).toBeLessThan(26 * 1024)
    expect(read.sources.map((source) => `[${source.mark}]`)).toEqual(passages(read).map(({ mark }) => mark))
    expect(read.sources.map((source) => source.text)).toEqual(
      passages(read).map((shown) => shown.text.trim()),
    )
    text += passages(read)
      .map((shown) => shown.text)
      .join('')
    marks.push(...read.sources.map(({ mark }) => mark))
    offset = read.content['next_offset'] as number | null
    calls += 1
    if (calls > 20) throw new Error('the reading does not end')
  }
  expect(text).toBe(content)
  expect(calls).toBeGreaterThan(2)
  expect(new Set(marks).size).toBe(marks.length)
  const middle = await home.call('read_file', { name: 'long.txt', offset: 5 })
  expect(passages(middle)[0]?.text.startsWith(content.slice(5, 50))).toBe(true)
})

test('the agent reads PDF, Word and HTML, and their text is extracted once', async () => {
  await home.upload({ name: 'דף.pdf', content: makePdf([['First'], ['שלום עולם']]), type: 'text/plain' })
  await home.upload({ name: 'a.docx', content: makeDocx(paragraph('A lamp in a dark room.')) })
  await home.upload({ name: 'a.html', content: '<p>Light<script>x</script>', type: 'text/html' })
  const pdf = await home.call('read_file', { name: 'דף.pdf' })
  expect(pdf.sources.map(({ ref, language, text }) => [ref, language, text])).toEqual([
    ['דף.pdf, page 1', 'und', 'First'],
    ['דף.pdf, page 2', 'he', 'שלום עולם'],
  ])
  expect(passages(await home.call('read_file', { name: 'a.docx' }))[0]?.text).toBe('A lamp in a dark room.')
  expect(passages(await home.call('read_file', { name: 'a.html' }))[0]?.text).toBe('Light')
  expect((await keptTexts()).map(({ text }) => text).sort()).toEqual(
    ['First\fשלום עולם\f', 'A lamp in a dark room.', 'Light'].sort(),
  )
  await db.database.system.execute(`update file_texts set text = 'kept' where text = 'Light'`)
  expect(passages(await home.call('read_file', { name: 'a.html' }))[0]?.text).toBe('kept')
})

test('an unreadable file is refused with its reason and not tried again', async () => {
  await home.upload({ name: 'bomb.docx', content: makeDocx(' '.repeat(150_000_000)) })
  for (let i = 0; i < 2; i += 1) {
    const { isError, content } = await home.call('read_file', { name: 'bomb.docx' })
    expect({ isError, content }).toEqual({
      isError: true,
      content: {
        error: expect.stringMatching(/bomb\.docx" cannot be read.*unpacks to more/),
        name: 'bomb.docx',
        problem: expect.stringMatching(/^It unpacks to more/),
      },
    })
  }
  expect(await keptTexts()).toEqual([{ text: '', problem: expect.stringContaining('unpacks') }])
  await home.upload({ name: 'a.bin', content: Buffer.from([1, 0, 2]) })
  await home.upload({ name: 'latin.txt', content: Buffer.from([0xe9, 0x20, 0xe8]) })
  await home.upload({ name: 'long.txt', content: Buffer.alloc(4_000_001, 'a') })
  const why = async (name: string) => (await home.call('read_file', { name })).content['error']
  expect(await why('a.bin')).toMatch(/neither a text nor a document/)
  expect(await why('latin.txt')).toMatch(/encoding that cannot be told. Save it as UTF-8/)
  expect(await why('long.txt')).toMatch(/too large/)
  expect(await why('nothing.txt')).toMatch(/no file "nothing.txt"/)
})

test('files of 0 bytes and 1 byte, and texts in UTF-16, are read', async () => {
  await home.upload({ name: 'empty.txt', content: '' })
  await home.upload({ name: 'one.txt', content: 'x' })
  await home.upload({ name: 'wide.txt', content: Buffer.from('\ufeffשלום', 'utf16le') })
  const empty = await home.call('read_file', { name: 'empty.txt' })
  expect({ isError: empty.isError, content: empty.content }).toMatchObject({
    isError: false,
    content: { length: 0, next_offset: null, passages: [] },
  })
  expect(passages(await home.call('read_file', { name: 'one.txt' }))[0]?.text).toBe('x')
  expect(passages(await home.call('read_file', { name: 'wide.txt' }))[0]?.text).toBe('שלום')
})

test('names are labels: none of them reaches anything outside of the project', async () => {
  const other = await openWorkspace(db.database)
  await other.upload({ name: 'secret.txt', content: 'not yours' })
  const climbs = [
    '../',
    '..\\',
    '/',
    '//',
    '../db/',
    'a/../',
    '%2e%2e/',
    '..%2f',
    '....//',
    `../${other.place.projectId}/`,
  ]
  const names = [
    ...climbs.flatMap((climb) => [`${climb}secret.txt`, `${climb}etc/passwd`, `${climb}${climb}.env`]),
    ...[
      'secret.txt',
      'secret.txt\u0000',
      'file:///etc/passwd',
      '~/.ssh/id_rsa',
      'C:\\secret.txt',
      '.',
      '..',
      '',
      ' ',
    ],
    `${other.place.projectId}/secret.txt`,
    "' or 1=1 --",
  ]
  for (const name of names) {
    for (const [tool, args] of [
      ['read_file', { name }],
      ['edit_file', { name, old: 'not', new: 'now' }],
      ['rename_file', { name, new_name: 'mine.txt' }],
    ] as const) {
      const said = await home.call(tool, args).catch((error: unknown) => {
        if (error instanceof ServiceError) return { isError: true }
        throw error
      })
      expect({ name, tool, isError: said.isError }).toEqual({ name, tool, isError: true })
    }
  }
  expect((await home.call('list_files', {})).content).toEqual({ files: [] })
  expect((await other.call('list_files', {})).content).toMatchObject({
    files: [{ name: 'secret.txt', version: 1 }],
  })
  await home.call('write_file', { name: '../../etc/cron.d/evil.md', content: 'x' })
  expect((await home.call('list_files', {})).content).toMatchObject({ files: [{ name: 'evil.md' }] })
})

test('a search looks through all files, in both languages, and shows where it found', async () => {
  await home.upload({ name: 'rain.txt', content: 'It rained all day.\n\nThe rest is about clouds.' })
  await home.upload({
    name: 'lamp.docx',
    content: makeDocx(
      `${paragraph(`Opening words. ${'Filler '.repeat(80)}`)}${paragraph('A lamp shines in the dark.')}`,
    ),
  })
  await home.upload({ name: 'דף.pdf', content: makePdf([['משהו אחר'], ['ובשמחה רבה עבדו את השם']]) })
  const english = await home.call('search_files', { query: 'lamps shining' })
  expect(passages(english)[0]).toMatchObject({
    ref: 'lamp.docx, paragraph 2',
    text: 'A lamp shines in the dark.',
  })
  const { offset = 0 } = passages(english)[0] ?? {}
  const around = await home.call('read_file', { name: 'lamp.docx', offset })
  expect(passages(around)[0]?.text).toBe('A lamp shines in the dark.')
  const hebrew = await home.call('search_files', { query: 'שִׂמְחָה', limit: 1 })
  expect(passages(hebrew)).toMatchObject([{ ref: 'דף.pdf, page 2' }])
  // The library knows that these are one thing.
  expect(passages(await home.call('search_files', { query: 'simcha' }))[0]).toMatchObject({
    ref: 'דף.pdf, page 2',
  })
  expect((await home.call('search_files', { query: 'zzyzx' })).content).toEqual({
    error: 'Nothing in the files of the project matches "zzyzx".',
  })
})

test('a search says which files it could not look through', async () => {
  await home.upload({ name: 'lamp.txt', content: 'A lamp.' })
  await home.upload({ name: 'scan.pdf', content: makePdf([[]]) })
  const { content } = await home.call('search_files', { query: 'lamp' })
  expect(content).toMatchObject({ not_searched: ['scan.pdf'], not_searched_count: 1 })
})

test('a search says how many files are beyond those that it looks at', async () => {
  const { id } = await home.upload({ name: 'lamp.txt', content: 'A lamp.' })
  await withTx(db.database, home.place, (tx) =>
    tx.execute(sql`
      insert into files select (jsonb_populate_record(f, jsonb_build_object(
        'id', f.id || n, 'name', 'copy-' || n || '.txt', 'created_at', f.created_at - n * interval '1 second'))).*
      from files f, generate_series(1, 510) n where f.id = ${id}`),
  )
  const { content } = await home.call('search_files', { query: 'lamp' })
  // Of 511 files 500 are listed. The copies have no content, so all but the first are not searched.
  expect(content['not_searched_count']).toBe(510)
})

test('a result of many passages stays within its bytes', async () => {
  const line = `lamp ${'"מילה" '.repeat(150)}`
  await home.upload({ name: 'lamps.txt', content: Array.from({ length: 40 }, () => line).join('\n\n') })
  const { content, sources } = await home.call('search_files', { query: 'lamp', limit: 20 })
  expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(26 * 1024)
  expect(sources.length).toBeGreaterThan(3)
})

test('of two files of one name the newer one is meant', async () => {
  await home.upload({ name: 'a.txt', content: 'older' })
  await home.upload({ name: 'a.txt', content: 'newer' })
  expect(passages(await home.call('read_file', { name: 'a.txt' }))[0]?.text).toBe('newer')
  expect((await home.call('list_files', {})).content['files']).toHaveLength(1)
})

test('a deleted file takes what was read of it along', async () => {
  const { id } = await home.upload({ name: 'a.html', content: '<p>x', type: 'text/html' })
  await home.call('read_file', { name: 'a.html' })
  expect(await keptTexts()).toHaveLength(1)
  await withTx(db.database, home.place, (tx) => deleteFile(tx, id))
  expect(await keptTexts()).toHaveLength(0)
})

test('reading ends with the turn', async () => {
  await home.upload({ name: 'a.html', content: '<p>x', type: 'text/html' })
  const stopped = AbortSignal.abort(new Error('stopped'))
  await expect(home.call('read_file', { name: 'a.html' }, stopped)).rejects.toThrow('stopped')
  await expect(home.call('search_files', { query: 'x' }, stopped)).rejects.toThrow('stopped')
})
