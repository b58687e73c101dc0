import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { readIndexWatermark } from '../../../src/sources/index/index-watermark.ts'
import { createIndexWriter } from '../../../src/sources/index/index-writer.ts'
import { packPostings } from '../../../src/sources/index/packing/pack-postings.ts'
import { readPostingLists } from '../../../src/sources/index/packing/read-postings.ts'
import { blockSize } from '../../../src/sources/index/postings.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { lockLibrary, removeWork, storeWork } from '../../../src/sources/library/writing/library.ts'
import { ensureSearchIndex } from '../../../src/sources/library/writing/reindex.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await createTestDatabase()
})
afterEach(() => db.drop())

const titles = ['Aleph', 'Beth', 'Gimel', 'Daleth', 'He', 'Vav', 'Zayin']
const words = ['orchard', 'lantern', 'compass', 'garment', 'מדותיו', 'נפש האלהית']

/** Imports a work at the end of a block, so that it has its first passages there and the others in the next block. */
async function importAt(block: number): Promise<void> {
  const title = titles[block] ?? ''
  await db.database.system.execute(sql`
    insert into library_state (key, value) values ('next_doc', ${String(block * blockSize + blockSize - 3)}),
      ('indexed_to', ${String(block * blockSize + blockSize - 3)})
    on conflict (key) do update set value = excluded.value`)
  const writer = createIndexWriter()
  const refs = Array.from({ length: 6 }, (_, i) => `${title} ${i + 1}`)
  const stored = await withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    return storeWork(tx, {
      work: { title, heTitle: '', author: '', categories: [] },
      places: refs.map((ref) => ({ ref, heRef: '', sectionRef: ref })),
      versions: [
        {
          language: 'en',
          title: 'Only edition',
          license: 'CC0',
          sourceUrl: '',
          machineMade: false,
          texts: new Map(
            refs.map((ref, i) => [ref, `${words[i]} ${words[(i + block) % words.length]} common`]),
          ),
        },
      ],
    })
  })
  writer.add(stored.parts)
  await withTx(db.database, 'system', (tx) => writer.flush(tx))
}

const importBlocks = async (blocks: readonly number[]) => {
  for (const block of blocks) await importAt(block)
}

const found = async (text: string, work?: string) =>
  (await searchSources(db.database.system, { text, limit: 50, ...(work && { work }) })).map(
    ({ ref, score }) => `${ref} ${score.toFixed(6)}`,
  )

const queries = ['orchard', 'lantern compass', '"garment common"', 'common', 'מדותיו', 'נפש אלהית', 'beth']
const answers = () => Promise.all(queries.map((text) => found(text)))

const rowsOf = async (term: string) =>
  (
    await db.database.system.execute<{ block: number; documents: number }>(
      sql`select block, documents from search_postings where term = ${term} order by block`,
    )
  ).rows

const faults = async () => (await checkLibrary(db.database.system, 1_000)).faults

test('a packed index has one row per rare term and gives the same answers', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  const before = await answers()
  expect((await rowsOf('common')).length).toBe(6)
  expect(await packPostings(db.database)).toBe(true)
  // The last block is not complete and keeps its own row.
  expect(await rowsOf('common')).toEqual([
    { block: -1, documents: 27 },
    { block: 5, documents: 3 },
  ])
  expect(await answers()).toEqual(before)
  expect(await found('common', 'Gimel')).not.toEqual([])
  expect(await faults()).toEqual([])
  expect(await packPostings(db.database)).toBe(false)
})

test('the lists of a packed row are those of its blocks', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  const plain = await readPostingLists(db.database.system, ['common', 'orchard', 'absent'])
  await packPostings(db.database)
  expect(await readPostingLists(db.database.system, ['common', 'orchard', 'absent'])).toEqual(plain)
  const some = await readPostingLists(db.database.system, ['common'], [2, 5])
  expect(some.get('common')).toEqual(plain.get('common')?.filter(({ block }) => block === 2 || block === 5))
})

test('a packed index loses the words of a removed work only', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  await packPostings(db.database)
  await withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    await removeWork(tx, 'Gimel')
  })
  expect(await rowsOf('gimel')).toEqual([])
  expect((await rowsOf('common')).map(({ documents }) => documents)).toEqual([21, 3])
  expect((await found('common')).filter((hit) => hit.startsWith('Gimel'))).toEqual([])
  expect(await faults()).toEqual([])
})

test('later imports are found in a packed index, and are packed with it', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  await packPostings(db.database)
  await importBlocks([5, 6])
  const before = await answers()
  expect(await packPostings(db.database)).toBe(false)
  await db.database.system.execute(sql`update library_state set value = '0' where key = 'packed_to'`)
  expect(await packPostings(db.database)).toBe(true)
  expect(await rowsOf('common')).toEqual([
    { block: -1, documents: 39 },
    { block: 7, documents: 3 },
  ])
  expect(await answers()).toEqual(before)
  expect(await faults()).toEqual([])
})

test('frequent terms keep rows of limited size', async () => {
  await db.database.system.execute(sql`
    insert into search_postings (term, block, documents, data)
    select term, block, documents, decode(repeat('00000000', documents), 'hex')
    from (values ('frequent', 3000), ('rare', 10)) as t (term, documents), generate_series(0, 4) as block`)
  await db.database.system.execute(sql`
    insert into library_state (key, value) values ('next_doc', ${String(5 * blockSize)}),
      ('indexed_to', ${String(5 * blockSize)})`)
  await packPostings(db.database)
  const sizes = (await rowsOf('frequent')).map(({ documents }) => documents)
  expect(sizes.toSorted()).toEqual([3000, 3000, 3000, 6000])
  expect(await rowsOf('rare')).toEqual([{ block: -1, documents: 50 }])
})

test('no index is packed while an import is at work', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  expect(await packPostings(db.database, { settled: true })).toBe(false)
  await db.database.system.execute(sql`update versions set imported_at = now() - interval '1 hour'`)
  expect(await packPostings(db.database, { settled: true })).toBe(true)
})

test('a rebuilt index is not packed, and can be packed again', async () => {
  await importBlocks([0, 1, 2, 3, 4])
  await packPostings(db.database)
  const before = await answers()
  await ensureSearchIndex(db.database, { force: true })
  expect((await rowsOf('common')).every(({ block }) => block >= 0)).toBe(true)
  expect(await packPostings(db.database)).toBe(true)
  expect(await answers()).toEqual(before)
  const { indexedTo, nextDoc } = await readIndexWatermark(db.database.system)
  expect(indexedTo).toBe(nextDoc)
})
