import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { type Executor, withTx } from '../../src/db/client.ts'
import {
  clearHistory,
  listMarks,
  markLimits,
  marksAt,
  recordReading,
  saveNote,
  setBookmark,
  startDaily,
  stopDaily,
} from '../../src/reader-marks/marks.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount } from '../support/world/accounts.ts'

let owner: { readonly accountId: string }

const db = useDatabase()
beforeEach(async () => {
  owner = { accountId: (await makeAccount(db.database)).id }
})

const asOwner = <T>(work: (tx: Executor) => Promise<T>) => withTx(db.database, owner, work)
const refsOf = async (kind: Parameters<typeof listMarks>[2]) =>
  (await asOwner((tx) => listMarks(tx, owner, kind))).map(({ ref }) => ref)

test('the history has each page once, the last one first, and can be cleared', async () => {
  for (const ref of ['A 1', 'A 2', 'A 1']) await asOwner((tx) => recordReading(tx, owner, ref))
  expect(await refsOf('history')).toEqual(['A 1', 'A 2'])
  await asOwner((tx) => clearHistory(tx, owner))
  expect(await refsOf('history')).toEqual([])
})

test('the history forgets its oldest page when it is full', async () => {
  await asOwner((tx) =>
    tx.execute(sql`insert into reading_marks (account_id, kind, ref, at)
      select ${owner.accountId}, 'history', 'A ' || n, now() - n * interval '1 minute'
      from generate_series(1, ${markLimits.history}) n`),
  )
  await asOwner((tx) => recordReading(tx, owner, 'A new'))
  const refs = await refsOf('history')
  expect(refs).toHaveLength(markLimits.history)
  expect(refs[0]).toBe('A new')
  expect(refs).not.toContain(`A ${markLimits.history}`)
})

test('a bookmark and a note of a passage are found by its ref, and removed', async () => {
  await asOwner(async (tx) => {
    await setBookmark(tx, owner, 'A 1:1', true)
    await saveNote(tx, owner, 'A 1:1', '  First\r\nline ')
    await saveNote(tx, owner, 'A 1:2', 'Other')
    await saveNote(tx, owner, 'A 1:2', 'Changed')
  })
  const marks = () => asOwner((tx) => marksAt(tx, owner, ['A 1:1', 'A 1:2', 'A 1:3']))
  expect([...(await marks())]).toEqual([
    ['A 1:1', { isBookmarked: true, note: 'First\nline' }],
    ['A 1:2', { isBookmarked: false, note: 'Changed' }],
  ])
  await asOwner(async (tx) => {
    await setBookmark(tx, owner, 'A 1:1', false)
    await saveNote(tx, owner, 'A 1:1', '')
    await saveNote(tx, owner, 'A 1:2', ' ')
  })
  expect([...(await marks())]).toEqual([])
})

test('a note that is too long is refused with both lengths', async () => {
  const long = 'x'.repeat(markLimits.text + 1)
  await expect(asOwner((tx) => saveNote(tx, owner, 'A 1:1', long))).rejects.toMatchObject({
    param: 'text',
    message: 'The note has 4,001 characters. It may have 4,000 characters: shorten it.',
  })
})

test('one bookmark more than an account may have is refused, also of two at once', async () => {
  await asOwner((tx) =>
    tx.execute(sql`insert into reading_marks (account_id, kind, ref)
      select ${owner.accountId}, 'bookmark', 'A ' || n from generate_series(1, ${markLimits.bookmark - 1}) n`),
  )
  const set = (ref: string) => asOwner((tx) => setBookmark(tx, owner, ref, true))
  const made = await Promise.allSettled([set('B 1'), set('B 2'), set('A 1')])
  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('a work that is read daily keeps its first day when it is started twice', async () => {
  await asOwner((tx) => startDaily(tx, owner, 'A'))
  const [first] = await asOwner((tx) => listMarks(tx, owner, 'daily'))
  await asOwner((tx) => startDaily(tx, owner, 'A'))
  expect(await asOwner((tx) => listMarks(tx, owner, 'daily'))).toEqual([first])
  await asOwner((tx) => stopDaily(tx, owner, 'A'))
  expect(await refsOf('daily')).toEqual([])
})
