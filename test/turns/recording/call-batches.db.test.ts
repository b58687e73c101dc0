import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ensureAllowance } from '../../../src/billing/pools.ts'
import { CallBatches } from '../../../src/db/call-batches.ts'
import { withTx } from '../../../src/db/client.ts'
import { makeCaller } from '../../support/turns/caller.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld
let account: string
let client: pg.PoolClient
let calls: CallBatches

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
  const { principal } = await makeCaller(db.database)
  account = principal.accountId
  await withTx(db.database, 'system', (tx) => ensureAllowance(tx, account, principal.plan))
  await db.database.systemPool.query('create table written (what text primary key, by bigint not null)')
})
beforeEach(async () => {
  client = await db.database.turnPool.connect()
  calls = new CallBatches(client)
  await db.database.systemPool.query('delete from written')
  for (const call of [write('known'), busy(0)]) await calls.query(call)
  await Promise.all(await whileBusy(() => [calls.query(write('a')), calls.query(write('b'))]))
  await db.database.systemPool.query('delete from written')
  return () => client.release(true)
})
afterAll(() => world.close())

const write = (what: string) => ({
  name: 'write',
  text: `insert into written select $2, pg_current_xact_id()::text::bigint from (select $1::text) as account`,
  values: [account, what],
})
/** Keeps the server busy until somebody else gives the lock of that number free. */
const busy = (lock: number) => ({
  name: 'busy',
  text: 'select $1::text, pg_advisory_xact_lock($2)',
  values: [account, lock],
})

const backendOf = (of: pg.PoolClient) => (of as unknown as { processID: number }).processID

/** What has been written, by transaction, in order. */
async function transactions(): Promise<readonly string[][]> {
  const { rows } = await db.database.systemPool.query<{ all: string[] }>(
    'select array_agg(what order by what) as all from written group by by order by by',
  )
  return rows.map(({ all }) => all)
}

/** Runs `work` while two calls keep the connection busy. */
async function whileBusy<T>(work: () => T): Promise<T> {
  const other = await db.database.systemPool.connect()
  try {
    await other.query('select pg_advisory_lock(7)')
    const waiting = [calls.query(busy(7)), calls.query(busy(7))]
    const result = work()
    await other.query('select pg_advisory_unlock(7)')
    await Promise.all(waiting)
    return result
  } finally {
    other.release()
  }
}

test('calls made while the server is busy are one transaction with own answers', async () => {
  const answers = await whileBusy(() => [
    calls.query(write('a')),
    calls.query({ name: 'busy', text: busy(0).text, values: [account, 1] }),
    calls.query(write('b')),
  ])
  const results = await Promise.all(answers)
  expect(results.map(({ command, rowCount }) => [command, rowCount])).toEqual([
    ['INSERT', 1],
    ['SELECT', 1],
    ['INSERT', 1],
  ])
  expect(await transactions()).toEqual([['a', 'b']])
})

test('calls of many bytes do not travel together: a batch is sent in one piece', async () => {
  const long = (name: string) => name.repeat(20_000)
  await Promise.all(await whileBusy(() => ['a', 'b', 'c'].map((name) => calls.query(write(long(name))))))
  const written = await transactions()
  expect(written.map((those) => those.map((what) => what[0]))).toEqual([['a'], ['b'], ['c']])
})

test('a failed call undoes no other call of its batch', async () => {
  await calls.query(write('there'))
  const answers = await whileBusy(() => [
    calls.query(write('a')),
    calls.query(write('there')),
    calls.query(write('b')),
  ])
  const [a, there, b] = await Promise.allSettled(answers)
  expect([a?.status, there?.status, b?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(there).toMatchObject({ reason: { code: '23505' } })
  expect(await transactions()).toEqual([['there'], ['a'], ['b']])
})

test('a statement new on its connection is sent alone', async () => {
  await calls.query(write('there'))
  const answers = await whileBusy(() => [
    calls.query(write('there')),
    calls.query({ name: 'new', text: 'select $1::text as account', values: [account] }),
    calls.query({ name: 'wrong', text: 'selec $1', values: [account] }),
    calls.query(write('a')),
  ])
  const settled = await Promise.allSettled(answers)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await transactions()).toEqual([['there'], ['a']])
})

test('a connection lost under a batch fails all its calls, without a retry', async () => {
  const other = await db.database.systemPool.connect()
  try {
    await other.query('select pg_advisory_lock(9)')
    const answers = await whileBusy(() => ({
      settled: Promise.allSettled([calls.query(write('a')), calls.query(busy(9)), calls.query(write('b'))]),
    }))
    await other.query('select pg_terminate_backend($1)', [backendOf(client)])
    const settled = await answers.settled
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(calls.query(write('c'))).rejects.toThrow()
  } finally {
    other.release(true)
  }
  expect(await transactions()).toEqual([])
})

test.each(['accounts where id', 'credit_pools where account_id'])(
  'a batch takes what others may wait for first, and gives way: while somebody has %s its calls are made alone',
  async (rows) => {
    const other = await db.database.systemPool.connect()
    try {
      await other.query('begin')
      const { rowCount } = await other.query(`select from ${rows} = $1 for no key update`, [account])
      expect(rowCount).toBe(1)
      await Promise.all(await whileBusy(() => [calls.query(write('a')), calls.query(write('b'))]))
      await other.query('rollback')
    } finally {
      other.release(true)
    }
    expect(await transactions()).toEqual([['a'], ['b']])
  },
)

test('calls that look at the clock are the last of their batch', async () => {
  const timed = { ...write('early'), onSend: () => write('timed').values }
  await Promise.all(await whileBusy(() => [calls.query(timed), calls.query(write('a'))]))
  const { rows } = await db.database.systemPool.query<{ what: string }>(
    'select what from written order by ctid',
  )
  expect(rows.map(({ what }) => what)).toEqual(['a', 'timed'])
  expect(await transactions()).toEqual([['a', 'timed']])
})
