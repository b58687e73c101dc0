import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectionExport } from '../support/collection-export.ts'
import { runLine } from '../support/command-line.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts'
import { type FakeSefaria, startFakeSefaria } from '../support/fake-sefaria.ts'
import { useFolder } from '../support/folder.ts'
import { lampRecords, lampSections } from '../support/publisher.ts'
import { newPerson } from '../support/world/person.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let fake: FakeSefaria
let model: FakeEmbeddings
const folder = useFolder()

beforeAll(async () => {
  world = await openWorld({ model: 'built-in' })
  model = await startFakeEmbeddings([['lamp']])
  fake = await startFakeSefaria()
  fake.files = collectionExport
  fake.sections = lampSections
  fake.records = lampRecords
})
afterAll(async () => {
  await fake?.close()
  await model?.close()
  await world?.close()
})

const run = (words: readonly string[], env = {}) => runLine(world.db, words, env)

type Entry = { actor: string; action: string; account: string | null; details: object }
const newest = async (): Promise<Entry | undefined> =>
  (JSON.parse(await run(['accounts', 'audit', '--limit', '1', '--json'])) as Entry[])[0]

const entry = (action: string, details: object) => ({
  actor: 'command line',
  action,
  account: null,
  details: { ...details, os_user: userInfo().username },
})

test('an import from a file is recorded with its counts, a failed one with its reason', async () => {
  const file = path.join(folder, 'texts.jsonl')
  const command = 'sources import jsonl'
  await writeFile(file, `${JSON.stringify({ work: 'House Book', ref: 'House Book 1', en: 'A lamp.' })}\n`)
  await run(['sources', 'import', 'jsonl', file])
  const counts = { works: 1, versions: 1, passages: 1, unchanged: 0, skipped: 0 }
  expect(await newest()).toMatchObject(
    entry('library.imported', { command, from: file, ...counts, outcome: 'done' }),
  )
  await writeFile(file, 'no JSON\n')
  await expect(run(['sources', 'import', 'jsonl', file])).rejects.toThrow('Line 1')
  expect(await newest()).toMatchObject(
    entry('library.imported', { command, from: file, outcome: 'failed: invalid_value' }),
  )
})

test('an import of Markdown is recorded', async () => {
  const file = path.join(folder, 'joy.md')
  await writeFile(file, '---\ntitle: Notes on Joy\nlicense: own\n---\n# On joy\n\nJoy is the way in.\n')
  await run(['sources', 'import', 'markdown', file])
  expect(await newest()).toMatchObject(
    entry('library.imported', {
      command: 'sources import markdown',
      from: file,
      segments: 1,
      outcome: 'done',
    }),
  )
})

test('imports from the publisher are recorded with their titles; a password is refused', async () => {
  const withUser = fake.baseUrl.replace('//', '//user:pass@')
  await run(['sources', 'import', 'sefaria-export', fake.booksUrl, '--title', 'Book of Nobody'])
  const exported = { command: 'sources import sefaria-export', from: fake.booksUrl, titles: 'Book of Nobody' }
  expect(await newest()).toMatchObject(
    entry('library.imported', { ...exported, versions: 1, outcome: 'done' }),
  )
  const importFrom = (baseUrl: string) =>
    run(['sources', 'import', 'sefaria', 'House Lamp', '--base-url', baseUrl])
  await expect(importFrom(withUser)).rejects.toThrow('a user or a password is not supported')
  expect(await newest()).toMatchObject(entry('library.imported', exported))
  await importFrom(fake.baseUrl).catch(() => undefined)
  const api = { command: 'sources import sefaria', from: `${fake.baseUrl}/`, titles: 'House Lamp' }
  expect(await newest()).toMatchObject(entry('library.imported', api))
})

test('adding a collection is recorded with what was permitted, an unanswered question is not', async () => {
  const before = await newest()
  await run(['sources', 'add', 'tanya', '--base-url', fake.baseUrl])
  expect(await newest()).toEqual(before)
  await run(['sources', 'add', 'tanya', '--base-url', fake.baseUrl, '--yes'])
  expect(await newest()).toMatchObject(
    entry('library.imported', {
      ...{ command: 'sources add', collection: 'tanya', from: fake.booksUrl, licences_allowed: 'none' },
      ...{ works: 1, versions: 1, skipped: 2, outcome: 'done' },
    }),
  )
})

test('making vectors and removing a work are recorded, and operators see the entries', async () => {
  await run(['sources', 'embed'], { EMBEDDINGS_BASE_URL: model.baseUrl, EMBEDDINGS_MODEL: 'fake' })
  expect(await newest()).toMatchObject(
    entry('library.embedded', { command: 'sources embed', embedded: expect.any(Number), outcome: 'done' }),
  )
  await run(['sources', 'remove', 'Tanya'])
  const removed = entry('library.work_removed', { command: 'sources remove', work: 'Tanya', outcome: 'done' })
  expect(await newest()).toMatchObject(removed)
  await expect(run(['sources', 'remove', 'Tanya'])).rejects.toThrow('no work')
  expect(await newest()).toMatchObject(removed)
  const { visitor: operator } = await newPerson(world, 'ops@example.org', 'operator = true')
  const page = await (await operator.get('/operator/audit')).text()
  expect(page).toContain('Work removed from the library')
  expect(page).toMatch(
    /the library<.*command line<.*work: Tanya, command: sources remove, os user: .+, outcome: done/s,
  )
})
