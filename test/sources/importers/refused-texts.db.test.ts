import { expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { lockLibrary, removeVersion } from '../../../src/sources/library/writing/library.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'
import { importLines } from '../../support/library-lines.ts'

const db = useEmptyLibrary()

const load = (lines: readonly object[], replace = false) =>
  importLines(
    db.database,
    lines.map((line) => ({ work: 'Lamp', ...line })),
    { replace },
  )
const refs = async () =>
  (await db.database.systemPool.query('select ref from passages order by ordinal')).rows.map(({ ref }) => ref)
const remove = (title: string) =>
  withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    return removeVersion(tx, 'Lamp', { title, language: undefined })
  })

test('a word of 1.1 million letters is refused with its ref', async () => {
  await expect(load([{ ref: 'Lamp 1', en: `light ${'a'.repeat(1_100_000)}` }])).rejects.toThrow(
    /Lamp 1.* has a word of more than 100,000 characters/,
  )
})

test('a word of 90,000 letters without order is stored', async () => {
  const letters = Array.from({ length: 90_000 }, (_, i) => 'abcdefghijklmnop'[(i * i * 7 + (i >> 3)) % 16])
  await load([{ ref: 'Lamp 1', en: `light ${letters.join('')}` }])
  expect(await refs()).toEqual(['Lamp 1'])
})

test.each(['\u200b\u200d', '\u00ad', '\u05b0\u05b8'])(
  'a text of invisible characters is refused',
  async (en) => {
    await expect(load([{ ref: 'Lamp 1', en }])).rejects.toThrow(/Lamp 1 has no visible characters/)
  },
)

test('a shortened file is refused with the number of lost passages, until it is told to replace', async () => {
  const lines = ['oil', 'wick', 'light'].map((word, i) => ({ ref: `Lamp ${i + 1}`, en: `The ${word}.` }))
  await load(lines)
  const shorter = lines.slice(0, 1)
  await expect(load(shorter)).rejects.toThrow(/lacks 2 of the 3 passages .*Lamp 2; Lamp 3\. .*--replace/)
  expect(await refs()).toEqual(['Lamp 1', 'Lamp 2', 'Lamp 3'])
  await load(shorter, true)
  expect(await refs()).toEqual(['Lamp 1'])
})

test('one version can be removed, and its passages go with it', async () => {
  await load([{ ref: 'Lamp 1', en: 'The glimmer.', version_en: 'First' }])
  await load([
    { ref: 'Lamp 1', en: 'The gleam.', version_en: 'Second' },
    { ref: 'Lamp 2', en: 'The wick.', version_en: 'Second' },
  ])
  expect(await remove('Second')).toBe(1)
  expect(await refs()).toEqual(['Lamp 1'])
  expect(await searchSources(db.database.system, { text: 'gleam', limit: 5 })).toEqual([])
  expect((await checkLibrary(db.database.system, 10)).faults).toEqual([])
  expect(await remove('Third')).toBe(0)
  await expect(remove('First')).rejects.toThrow(/no other version/)
})
