import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Executor, withTx } from '../../src/db/client.ts'
import { copyRows } from '../../src/db/copy.ts'
import { useDatabase } from '../support/database.ts'

const db = useDatabase()
beforeAll(async () => {
  await db.database.system.execute(
    sql`create table copied (a int, b bigint, c text, d jsonb, e bytea, unique (a))`,
  )
})

const target = { table: 'copied', columns: ['a', 'b', 'c', 'd', 'e'] }

type Row = readonly [number, number, string, string, Buffer]

const copy = (executor: Executor, rows: readonly Row[]) =>
  copyRows(executor, target, rows.length, (writer, row) => {
    const [a, b, c, d, e] = rows[row] as Row
    writer.int4(a)
    writer.int8(b)
    writer.text(c)
    writer.jsonb(d)
    writer.bytes(e, 0, e.length)
  })

const count = async () =>
  (await db.database.system.execute<{ n: number }>(sql`select count(*)::int as n from copied`)).rows[0]?.n

test('values of every kind arrive as they were, also those longer than a chunk', async () => {
  const long = 'אבג 😀 \\ \t " \n'.repeat(60_000)
  const rows: Row[] = [
    [1, 2 ** 40, 'פשוט', '{"a":["\\u05d0"]}', Buffer.from([0, 255, 10])],
    [-2, -5, '', '[]', Buffer.alloc(0)],
    [3, 0, long, '"x"', Buffer.alloc(700_000, 7)],
  ]
  await withTx(db.database, 'system', (tx) => copy(tx, rows))
  const found = await db.database.system.execute(sql`select a, b, c, d, e from copied order by abs(a)`)
  expect(found.rows).toEqual([
    { a: 1, b: String(2 ** 40), c: 'פשוט', d: { a: ['א'] }, e: Buffer.from([0, 255, 10]) },
    { a: -2, b: '-5', c: '', d: [], e: Buffer.alloc(0) },
    { a: 3, b: '0', c: long, d: 'x', e: Buffer.alloc(700_000, 7) },
  ])
})

test('a row that breaks a constraint fails the transaction and leaves nothing', async () => {
  const before = await count()
  const rows = [100, 101, 100].map((a): Row => [a, 0, '', '0', Buffer.alloc(0)])
  const copying = withTx(db.database, 'system', (tx) => copy(tx, rows))
  await expect(copying).rejects.toThrow(/duplicate key/)
  expect(await count()).toBe(before)
})

test('outside of a transaction nothing is copied', async () => {
  await expect(copy(db.database.system, [[1, 0, '', '0', Buffer.alloc(0)]])).rejects.toThrow(
    /in a transaction only/,
  )
})
