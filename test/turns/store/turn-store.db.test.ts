import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Run } from '../../../src/turns/run/run.ts'
import { runCall } from '../../../src/turns/store/turn-calls.ts'
import { createTurnStore, type TurnStore } from '../../../src/turns/store/turn-store.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { start } from '../../support/turns/start.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld
let person: Caller
let store: TurnStore

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
  person = await makeCaller(db.database, { concurrentTurns: 100 })
  store = createTurnStore(db.database)
})
afterAll(() => world.close())

const startRuns = (count: number) =>
  Promise.all(Array.from({ length: count }, () => start(db.database, person)))

const added = { events: [{ type: 'run.started' as const }], steps: [] }

const append = (run: Run) => store.call(run.accountId, runCall(run, added, { call: 'append' }))

/** A step that the table has already, so the call fails. */
async function failing(run: Run) {
  await db.database.systemPool.query(
    `insert into run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
      values ($1, 1, $2, 1, 'model', '{}', 0)`,
    [run.id, run.accountId],
  )
  const record = { kind: 'tool', call: { id: 'c', name: 'n', arguments: '{}' } } as never
  const steps = [{ record, costMicros: 0n }]
  return () => store.call(run.accountId, runCall(run, { events: [], steps }, { call: 'append' }))
}

/** Runs `work` while the account's calls wait for a lock of the row of `busy`. */
async function whileBusy<T>(busy: Run, work: () => Promise<T>): Promise<T> {
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query('select from runs where id = $1 for update', [busy.id])
    const waiting = append(busy).catch(() => undefined)
    const backend = async () => {
      const { rows } = await db.database.systemPool.query<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%append_to_run%'`,
      )
      return rows[0]?.pid ?? 0
    }
    await expect.poll(backend).toBeGreaterThan(0)
    const result = work()
    await other.query('rollback')
    await waiting
    return await result
  } finally {
    other.release(true)
  }
}

/** The transaction that wrote the events of each run; undefined if there are none. */
async function transactionsOf(runs: readonly Run[]): Promise<readonly (string | undefined)[]> {
  const { rows } = await db.database.systemPool.query<{ run: string; by: string }>(
    'select run_id as run, xmin::text as by from run_events where run_id = any($1)',
    [runs.map(({ id }) => id)],
  )
  return runs.map(({ id }) => rows.find(({ run }) => run === id)?.by)
}

test('calls made while the server is busy have their own answers', async () => {
  const [busy, a, lost, b] = (await startRuns(4)) as [Run, Run, Run, Run]
  const answers = await whileBusy(busy, () =>
    Promise.all([append(a), append({ ...lost, epoch: 7 }), append(b)]),
  )
  expect(answers.map(({ owned }) => owned)).toEqual([true, false, true])
  const [first, none, second] = await transactionsOf([a, lost, b])
  expect([first, none, second]).toEqual([expect.any(String), undefined, expect.any(String)])
})

test('a failed call undoes no other call of its batch', async () => {
  const [busy, a, bad, b] = (await startRuns(4)) as [Run, Run, Run, Run]
  const fail = await failing(bad)
  const settled = await whileBusy(busy, () => Promise.allSettled([append(a), fail(), append(b)]))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(settled[1]).toMatchObject({ reason: { cause: { code: '23505' } } })
  const [first, second] = await transactionsOf([a, b])
  expect([first, second]).toEqual([expect.any(String), expect.any(String)])
  expect(second).not.toBe(first)
  await db.database.systemPool.query('delete from run_steps where run_id = $1', [bad.id])
})

test.each(['accounts where id', 'credit_pools where account_id'])(
  'a batch gives way: while somebody has %s, its calls are made alone',
  async (rows) => {
    const [busy, a, b] = (await startRuns(3)) as [Run, Run, Run]
    const other = await db.database.systemPool.connect()
    try {
      await other.query('begin')
      const { rowCount } = await other.query(`select from ${rows} = $1 for no key update`, [busy.accountId])
      expect(rowCount).toBeGreaterThan(0)
      await whileBusy(busy, () => Promise.all([append(a), append(b)]))
      await other.query('rollback')
    } finally {
      other.release(true)
    }
    const [first, second] = await transactionsOf([a, b])
    expect(first).toBeDefined()
    expect(second).not.toBe(first)
  },
)

test('a connection lost under a call fails it, and the next call gets another', async () => {
  const [busy, next] = (await startRuns(2)) as [Run, Run]
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query('select from runs where id = $1 for update', [busy.id])
    const lost = append(busy)
    lost.catch(() => undefined)
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%append_to_run%'`
    await expect.poll(async () => (await db.database.systemPool.query(cut)).rowCount).toBe(1)
    await expect(lost).rejects.toThrow()
  } finally {
    other.release(true)
  }
  expect(await append(next)).toMatchObject({ owned: true })
})

test('calls in a transaction are written with it or not at all', async () => {
  const [kept, undone] = (await startRuns(2)) as [Run, Run]
  const write = (run: Run, fail: boolean) =>
    store.transaction(run.accountId, async (tx) => {
      await store.callIn(tx, run.accountId, runCall(run, added, { call: 'append' }))
      if (fail) throw new Error('undone')
    })
  await write(kept, false)
  await expect(write(undone, true)).rejects.toThrow('undone')
  expect(await transactionsOf([kept, undone])).toEqual([expect.any(String), undefined])
})

test('all connections are given back after calls of many accounts', async () => {
  const others = await Promise.all([1, 2, 3].map(() => makeCaller(db.database)))
  const runs = await Promise.all(others.map((other) => start(db.database, other)))
  await Promise.all(runs.map((run) => append(run)))
  const { turnPool } = db.database
  expect(turnPool.idleCount).toBe(turnPool.totalCount)
})
