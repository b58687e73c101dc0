import { beforeEach, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { ServiceError } from '../../src/errors.ts'
import { readBuffer } from '../../src/workspace/content.ts'
import { listVersions } from '../../src/workspace/files.ts'
import { useDatabase } from '../support/database.ts'
import { makePdf } from '../support/documents.ts'
import { openWorkspace, type Said, type TestWorkspace } from '../support/workspace.ts'

let home: TestWorkspace

const db = useDatabase()
beforeEach(async () => {
  home = await openWorkspace(db.database, { fileBytes: 1_000, storedBytes: 1_500 })
})

/** The contents of a file, oldest first. */
const contentsOf = (fileId: string) =>
  withTx(db.database, home.place, async (tx) => {
    const versions = await listVersions(tx, fileId, 100)
    const contents: string[] = []
    for (const version of versions.toReversed()) contents.push((await readBuffer({}, tx, version)).toString())
    return contents
  })
const textOf = async (name: string) => {
  const shown = (await home.call('read_file', { name })).content['passages'] as readonly { text: string }[]
  return shown.map(({ text }) => text).join('')
}
const refusal = ({ isError, content }: Said) => (isError ? content['error'] : 'done')

test('an edit is a new version; what was uploaded stays', async () => {
  const { id } = await home.upload({
    name: 'notes.txt',
    content: 'one two',
    type: 'text/plain; charset=latin1',
  })
  const edited = await home.call('edit_file', { name: 'notes.txt', old: 'two', new: 'שתיים' })
  expect(edited.content['files']).toEqual([
    { id, filename: 'notes.txt', bytes: 14, contentType: 'text/plain; charset=utf-8', action: 'updated' },
  ])
  await home.call('write_file', { name: 'notes.txt', content: 'all new' })
  expect(await contentsOf(id)).toEqual(['one two', 'one שתיים', 'all new'])
  const versions = await withTx(db.database, home.place, (tx) => listVersions(tx, id, 100))
  expect(versions.map(({ version, runId }) => [version, runId])).toEqual([
    [3, 'run_test'],
    [2, 'run_test'],
    [1, null],
  ])
  expect(await textOf('notes.txt')).toBe('all new')
})

test('an edit needs its passage exactly once, and takes what replaces it literally', async () => {
  await home.upload({ name: 'a.txt', content: 'x y x' })
  expect(refusal(await home.call('edit_file', { name: 'a.txt', old: 'x', new: 'z' }))).toMatch(
    /stands 2 times/,
  )
  expect(refusal(await home.call('edit_file', { name: 'a.txt', old: 'q', new: 'z' }))).toMatch(
    /stands 0 times/,
  )
  await home.call('edit_file', { name: 'a.txt', old: 'y', new: '$& $1' })
  expect(await textOf('a.txt')).toBe('x $& $1 x')
})

test('what a turn wrote is read as it was written, whatever it looks like', async () => {
  await home.call('write_file', { name: 'sheet.html', content: '<p>kept <b>as</b> it is' })
  expect(await textOf('sheet.html')).toBe('<p>kept <b>as</b> it is')
  await home.call('write_file', { name: 'odd.md', content: '%PDF-1.7 is how a PDF begins' })
  expect(await textOf('odd.md')).toBe('%PDF-1.7 is how a PDF begins')
})

test("a text never overwrites a document or takes a document's name", async () => {
  const { id } = await home.upload({ name: 'scan', content: makePdf([['x']]).subarray(0, 900) })
  expect(refusal(await home.call('write_file', { name: 'scan', content: 'x' }))).toMatch(/no text file/)
  expect(refusal(await home.call('edit_file', { name: 'scan', old: 'PDF', new: 'x' }))).toMatch(
    /no text file/,
  )
  expect(await contentsOf(id)).toHaveLength(1)
  await expect(home.call('write_file', { name: 'sheet.PDF', content: 'x' })).rejects.toThrow(
    /no ending of a text/,
  )
})

test('a renamed file keeps its versions under its new name; a taken name is refused', async () => {
  const { id } = await home.upload({ name: 'a.txt', content: 'one' })
  await home.upload({ name: 'b.txt', content: 'two' })
  await home.call('edit_file', { name: 'a.txt', old: 'one', new: 'uno' })
  const renamed = await home.call('rename_file', { name: 'a.txt', new_name: 'דף.txt' })
  expect(renamed.content).toMatchObject({ files: [{ id, filename: 'דף.txt', action: 'updated' }] })
  expect(await textOf('דף.txt')).toBe('uno')
  expect(await contentsOf(id)).toEqual(['one', 'uno'])
  const rename = (name: string, new_name: string) => home.call('rename_file', { name, new_name })
  expect(refusal(await rename('a.txt', 'c.txt'))).toMatch(/no file "a.txt"/)
  expect(refusal(await rename('b.txt', 'דף.txt'))).toMatch(/already/)
  expect(refusal(await rename('b.txt', 'b.txt'))).toMatch(/already/)
})

test('turns that swap the names of two files at once do not deadlock', async () => {
  await home.upload({ name: 'a.txt', content: 'one' })
  await home.upload({ name: 'b.txt', content: 'two' })
  const rounds = Array.from({ length: 10 }, (_, i) =>
    home.call(
      'rename_file',
      i % 2 === 0 ? { name: 'a.txt', new_name: 'b.txt' } : { name: 'b.txt', new_name: 'a.txt' },
    ),
  )
  expect((await Promise.all(rounds)).every(({ isError }) => isError)).toBe(true)
})

test('edits of one file at once are all made, one after the other', async () => {
  const { id } = await home.upload({ name: 'a.txt', content: 'a b c d e f' })
  const edits = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) =>
    home.call('edit_file', { name: 'a.txt', old: letter, new: letter.toUpperCase() }),
  )
  expect((await Promise.all(edits)).every(({ isError }) => !isError)).toBe(true)
  expect(await textOf('a.txt')).toBe('A B C D E F')
  expect(await contentsOf(id)).toHaveLength(7)
})

test("the agent writes within the plan's storage, with old versions counted", async () => {
  expect(refusal(await home.call('write_file', { name: 'a.md', content: 'x'.repeat(1_001) }))).toMatch(
    /at most 1,000 bytes/,
  )
  const writes = Array.from({ length: 5 }, (_, i) =>
    home.call('write_file', { name: `${i}.md`, content: 'x'.repeat(600) }),
  )
  const refused = (await Promise.all(writes)).filter(({ isError }) => isError)
  expect(refused).toHaveLength(3)
  expect(refused.map(refusal)).toEqual(Array(3).fill(expect.stringMatching(/make room/)))
  expect(refusal(await home.call('write_file', { name: 'small.md', content: 'x'.repeat(301) }))).toMatch(
    /make room/,
  )
})

test('uploads that are sealed at once store no more together than one after the other', async () => {
  const uploads = Array.from({ length: 6 }, (_, i) =>
    home.upload({ name: `${i}.txt`, content: 'x'.repeat(600) }).then(
      () => 'stored',
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    ),
  )
  const outcomes = await Promise.all(uploads)
  expect(outcomes.toSorted()).toEqual([...Array(4).fill('file_too_large'), 'stored', 'stored'])
})
