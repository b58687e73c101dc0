import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExecuteTogether, type PreparedCall, statementsOn } from '../../src/db/statement-batch.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let client: pg.PoolClient
let execute: ExecuteTogether

beforeAll(async () => {
  db = await createTestDatabase()
  client = await db.database.callPool.connect()
  execute = statementsOn(client)
  await client.query('create temporary table noted (n int primary key, at bigint default txid_current())')
})
afterAll(async () => {
  client.release(true)
  await db.drop()
})

const note: PreparedCall['statement'] = {
  name: 'note',
  text: 'insert into noted (n) values ($1) returning to_json(n)',
}
const noting = (n: unknown): PreparedCall => ({ statement: note, values: [n] })

async function noted() {
  const { rows } = await client.query<{ n: number; at: string }>('select n, at from noted order by n')
  return rows
}

test('a batch of statements is one transaction, and answers come in order', async () => {
  expect(await execute([2, 1, 3].map(noting))).toEqual([2, 1, 3])
  const rows = await noted()
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3])
  expect(new Set(rows.map(({ at }) => at)).size).toBe(1)
})

test('one statement that fails undoes its batch, and the connection works on', async () => {
  await expect(execute([10, 1, 11].map(noting))).rejects.toMatchObject({ code: '23505' })
  expect((await noted()).map(({ n }) => n)).toEqual([1, 2, 3])
  expect(await execute([noting(12)])).toEqual([12])
})

test('batches that are sent without waiting keep their own answers and failures', async () => {
  const sent = [[20, 21], [20, 22], [23]].map((ns) => execute(ns.map(noting)))
  expect(await Promise.allSettled(sent)).toMatchObject([
    { value: [20, 21] },
    { reason: { code: '23505' } },
    { value: [23] },
  ])
  expect((await noted()).map(({ n }) => n).filter((n) => n >= 20)).toEqual([20, 21, 23])
})

test('a failed first use of a statement leaves it usable', async () => {
  const statement = { name: 'halved', text: 'select to_json(10 / $1::int)' }
  await expect(execute([{ statement, values: [0] }])).rejects.toMatchObject({ code: '22012' })
  expect(await execute([{ statement, values: [5] }])).toEqual([2])
})

test('a value that cannot be sent fails before anything is sent', async () => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  await expect(async () => execute([noting(30), noting(loop)])).rejects.toThrow(/circular/i)
  expect((await noted()).some(({ n }) => n === 30)).toBe(false)
})

test('values of all kinds arrive as they are', async () => {
  const texts = ['', 'a "quoted" \\ one', '{braces, and commas}', 'NULL', 'שלום']
  const at = new Date('2026-11-26T15:00:00.123Z')
  const bytes = Buffer.from([0, 255, 7])
  const statement = {
    name: 'echoed',
    text: `select json_build_object('texts', $1::text[], 'at', $2::timestamptz at time zone 'UTC', 'bytes', encode($3::bytea, 'hex'),
      'json', $4::jsonb, 'big', $5::bigint::text, 'yes', $6::boolean, 'none', $7::text)`,
  }
  const values = [texts, at, bytes, { a: [1, 'b'] }, 2n ** 60n, true, undefined]
  expect(await execute([{ statement, values }])).toEqual([
    {
      texts,
      at: '2026-11-26T15:00:00.123',
      bytes: '00ff07',
      json: { a: [1, 'b'] },
      big: `${2n ** 60n}`,
      yes: true,
      none: null,
    },
  ])
})
