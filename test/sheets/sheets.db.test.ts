import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Executor, withTx } from '../../src/db/client.ts'
import { type FileReader, readEntries, sheetForFiles } from '../../src/sheets/content.ts'
import { newNote, newPassage, type SheetEntry, sheetLimits, withEntry } from '../../src/sheets/entries.ts'
import { findSharedSheet, linkOfSheet, shareSheet, unshareSheet } from '../../src/sheets/public-link.ts'
import { changeSheet, createSheet, deleteSheet, findSheet, listSheets } from '../../src/sheets/store.ts'
import { importLines, useLibrary } from '../support/library-lines.ts'
import { makeAccount, testPeppers } from '../support/world/accounts.ts'

const gate = { work: 'The Gate', he_title: 'השער', license: 'CC0', source_url: 'https://example.org/gate' }
const book = [
  {
    ...gate,
    ref: 'The Gate 1:1',
    he_ref: 'השער א׳:א׳',
    he: 'נר קטן',
    en: 'A small lamp.',
    version_en: 'First',
  },
  {
    ...gate,
    ref: 'The Gate 1:2',
    he_ref: 'השער א׳:ב׳',
    he: 'שמן שאול',
    en: 'Borrowed oil.',
    version_en: 'First',
  },
]
const second = book.map(({ he: _, ...line }) => ({
  ...line,
  version_en: 'Second',
  en: `Otherwise: ${line.en}`,
}))

let owner: { readonly accountId: string }

const db = useLibrary(book)
beforeAll(async () => {
  await importLines(db.database, second)
})
beforeEach(async () => {
  owner = { accountId: (await makeAccount(db.database)).id }
})

const asOwner = <T>(work: (tx: Executor) => Promise<T>) => withTx(db.database, owner, work)
const make = (title: string, entries: readonly SheetEntry[] = []) =>
  asOwner((tx) => createSheet(tx, owner, title, entries))
const read = (entries: readonly SheetEntry[]) =>
  readEntries(db.database.system, entries, AbortSignal.timeout(120_000))

test('a sheet is made, listed with its number of passages, and deleted', async () => {
  const { id } = await make('  Lamps ', [newPassage('The Gate 1:1'), newNote('Why?')])
  expect(await asOwner((tx) => listSheets(tx, owner))).toMatchObject([
    { id, title: 'Lamps', passages: 1, isPublic: false },
  ])
  await asOwner((tx) => deleteSheet(tx, owner, id))
  expect(await asOwner((tx) => listSheets(tx, owner))).toEqual([])
  await expect(asOwner((tx) => deleteSheet(tx, owner, id))).rejects.toMatchObject({ code: 'not_found' })
})

test('a sheet without a title is refused, and so is one more than an account may have', async () => {
  await expect(make(' \n ')).rejects.toMatchObject({ code: 'invalid_value', param: 'title' })
  await asOwner((tx) =>
    tx.execute(sql`insert into source_sheets (id, account_id, title)
      select ${owner.accountId} || n, ${owner.accountId}, 'T' from generate_series(1, ${sheetLimits.sheets - 1}) n`),
  )
  const made = await Promise.allSettled([make('One'), make('Two'), make('Three')])
  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('two changes at the same time both count', async () => {
  const { id } = await make('Lamps')
  const add = (text: string) =>
    asOwner((tx) =>
      changeSheet(tx, owner, id, ({ entries }) => ({ entries: withEntry(entries, newNote(text)) })),
    )
  await Promise.all(['a', 'b', 'c', 'd'].map(add))
  const { entries } = await asOwner((tx) => findSheet(tx, owner, id))
  expect(entries.map((entry) => entry.kind === 'note' && entry.text).toSorted()).toEqual(['a', 'b', 'c', 'd'])
})

test('another account can neither read, change, share nor delete a sheet', async () => {
  const { id } = await make('Lamps')
  const other = { accountId: (await makeAccount(db.database)).id }
  const share = (tx: Executor, by: typeof other, of: string) => shareSheet(tx, testPeppers, by, of)
  for (const act of [findSheet, share, unshareSheet, deleteSheet]) {
    const refused = withTx(db.database, other, (tx) => act(tx, other, id) as Promise<unknown>)
    await expect(refused).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('a public link shows the sheet until it is revoked, and a later link is another one', async () => {
  const { id } = await make('Lamps')
  const find = (token: string) => findSharedSheet(db.database.system, token)
  const share = async () => {
    const sheet = await asOwner((tx) => shareSheet(tx, testPeppers, owner, id))
    return linkOfSheet(testPeppers, sheet)?.token ?? ''
  }
  const first = await share()
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(await share()).toBe(first)
  expect((await find(first))?.id).toBe(id)
  await asOwner((tx) => unshareSheet(tx, owner, id))
  expect(await find(first)).toBeUndefined()
  const again = await share()
  expect(again).not.toBe(first)
  for (const wrong of ['', 'x', `${again}x`, "' or true --"]) expect(await find(wrong)).toBeUndefined()
  await db.database.system.execute(
    sql`update accounts set suspended_at = now() where id = ${owner.accountId}`,
  )
  expect(await find(again)).toBeUndefined()
})

test('passages show the chosen version, and say when the library has it no longer', async () => {
  const [chosen, gone, fullest] = await read([
    newPassage('The Gate 1:1-2', { versions: { he: '', en: 'Second' } }),
    newPassage('The Gate 1:1', { versions: { he: '', en: 'Third' } }),
    newPassage('the gate 1:1', { languages: 'he' }),
  ])
  expect(chosen).toMatchObject({
    kind: 'passage',
    replaced: [],
    source: { rows: [{ texts: { he: 'נר קטן', en: 'Otherwise: A small lamp.' } }, {}] },
    offered: { en: ['First', 'Second'] },
  })
  expect(gone).toMatchObject({ replaced: ['Third'], source: { versions: [{}, { title: 'First' }] } })
  expect(fullest).toMatchObject({ source: { versions: [{ language: 'he', license: 'CC0' }] } })
})

const reader: FileReader = { language: 'en', nameOf: (ref) => ref }

test('a passage that the library does not have is named, and the others are still shown', async () => {
  const entries = await read([
    newNote('Before'),
    newPassage('The Gate 1:1'),
    newNote('Between'),
    newPassage('The Gate 9:9'),
    newPassage('The Gate 1:2', { heading: 'Oil' }),
  ])
  expect(entries.map(({ kind }) => kind)).toEqual(['note', 'passage', 'note', 'missing', 'passage'])
  const sheet = sheetForFiles({ title: 'Lamps', intro: 'Read.' }, entries, reader)
  expect(sheet.intro).toBe('Read.\nBefore')
  expect(sheet.sources.map(({ heading, note }) => [heading, note])).toEqual([
    ['', 'Between\nThe Gate 9:9: this passage is no longer in the library.'],
    ['Oil', ''],
  ])
})

test('a file is Hebrew for a Hebrew title, and for a reader of Hebrew pages', async () => {
  const entries = await read([newPassage('The Gate 1:1'), newPassage('The Gate 9:9')])
  const nameOf = (ref: string) => ref.replace('The Gate 9:9', 'השער ט׳:ט׳')
  const file = (title: string, language: 'he' | 'en') =>
    sheetForFiles({ title, intro: '' }, entries, { language, nameOf })
  expect(file('Lamps', 'en').language).toBe('en')
  for (const made of [file('Lamps', 'he'), file('נרות', 'en'), file('נרות', 'he')]) {
    expect(made.language).toBe('he')
    expect(made.sources[0]?.note).toBe('הקטע השער ט׳:ט׳ אינו עוד בספרייה.')
    expect(made.sources[0]?.versions.map(({ heWork }) => heWork)).toContain('השער')
  }
})

test('a file needs at least one passage of the library', async () => {
  const entries = await read([newNote('Alone'), newPassage('Nowhere 5')])
  expect(() => sheetForFiles({ title: 'Lamps', intro: '' }, entries, reader)).toThrow(
    /has no passage of the library/,
  )
})
