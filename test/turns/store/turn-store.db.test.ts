import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import { admitRun } from '../../../src/turns/admission/admit-run.ts'
import { endOf } from '../../../src/turns/recording/finish-run.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { runCall, type WriteAnswer } from '../../../src/turns/store/turn-calls.ts'
import { callsIn, createTurnStore, type TurnStore } from '../../../src/turns/store/turn-store.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { emptyEnd } from '../../support/turns/journal.ts'
import { admissionOf, admitted, plainInput, start } from '../../support/turns/start.ts'
import { gate } from '../../support/upstream-scripts.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld
let person: Caller
let principal: Principal
let store: TurnStore

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
  person = await makeCaller(db.database, { concurrentTurns: 100 })
  principal = await withKey(db.database, person)
  store = createTurnStore(db.database)
})
afterAll(() => world.close())

const startRuns = (count: number) =>
  Promise.all(Array.from({ length: count }, () => start(db.database, person)))

const added = { events: [{ type: 'run.started' as const }], steps: [] }

const append = (run: Run, by = store) =>
  by.call<WriteAnswer>(run.accountId, runCall(run, added, { call: 'append' }))

const record = { kind: 'tool', call: { id: 'c', name: 'n', arguments: '{}' } } as never

const finish = (run: Run) => {
  const last = { ...added, steps: [{ record, costMicros: 100n }] }
  return store.call<WriteAnswer>(
    run.accountId,
    runCall(run, last, { call: 'finish', ...endOf(run, emptyEnd(100n)) }),
  )
}

/** A step that the table has already, so the call fails. */
async function failing(run: Run, by = store) {
  await db.database.systemPool.query(
    `insert into run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
      values ($1, 1, $2, 1, 'model', '{}', 0)`,
    [run.id, run.accountId],
  )
  const steps = [{ record, costMicros: 0n }]
  return () => by.call(run.accountId, runCall(run, { events: [], steps }, { call: 'append' }))
}

/** Deletes the steps that `failing` wrote. */
const forget = (runs: readonly Run[]) =>
  db.database.systemPool.query('delete from run_steps where run_id = any($1)', [runs.map(({ id }) => id)])

/** Runs `work` while three batches of the account are under way, which wait for a lock of the row of `busy`. */
async function whileBusy<T>(busy: Run, work: () => Promise<T>): Promise<T> {
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query('select from runs where id = $1 for update', [busy.id])
    const first = append(busy).catch(() => undefined)
    const backend = async () => {
      const { rows } = await db.database.systemPool.query<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%append_to_run_2(%'`,
      )
      return rows[0]?.pid ?? 0
    }
    await expect.poll(backend).toBeGreaterThan(0)
    const others = [append(busy), append(busy)].map((one) => one.catch(() => undefined))
    const result = work()
    await other.query('rollback')
    await Promise.all([first, ...others])
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

test('calls made while the server is busy are one transaction with own answers', async () => {
  const [busy, a, lost, b] = (await startRuns(4)) as [Run, Run, Run, Run]
  const answers = await whileBusy(busy, () =>
    Promise.all([append(a), append({ ...lost, epoch: 7 }), append(b)]),
  )
  expect(answers.map(({ owned }) => owned)).toEqual([true, false, true])
  const [first, none, second] = await transactionsOf([a, lost, b])
  expect(first).toBeDefined()
  expect(second).toBe(first)
  expect(none).toBeUndefined()
})

test('a batch makes its calls in the order in which they came', async () => {
  const [busy, ...runs] = (await startRuns(9)) as [Run, ...Run[]]
  await whileBusy(busy, () => Promise.all(runs.map((run) => append(run))))
  const { rows } = await db.database.systemPool.query<{ run: string }>(
    'select run_id as run from run_events where run_id = any($1) order by ctid',
    [runs.map(({ id }) => id)],
  )
  expect(rows.map(({ run }) => run)).toEqual(runs.map(({ id }) => id))
})

/** What a turn has written, without what differs between any two turns. */
async function rowsOf(run: Run) {
  const { rows } = await db.database.systemPool.query(
    `select r.status, r.hold_micros, r.hold_parts, r.cost_micros, r.usage, r.output, r.event_count, r.request,
        m.content, s.name, extract(epoch from r.deadline_at - r.created_at)::int as seconds,
        (select array_agg(t.kind || (-t.allowance_micros - t.granted_micros) order by t.id) from ledger t where t.run_id = r.id) as moved
      from runs r join messages m on m.run_id = r.id join sessions s on s.id = r.session_id where r.id = $1`,
    [run.id],
  )
  return rows
}

test('starts and ends in a batch write the same as those that are sent alone', async () => {
  const [busy] = (await startRuns(1)) as [Run]
  const input = plainInput({ text: `A "quoted" question, {with braces} and a \\ backslash.` })
  const begin = () => admitRun(store, principal, input, admissionOf(person, { runId: newId('run') }))
  const alone = admitted(await begin())
  const together = (await whileBusy(busy, () => Promise.all([begin(), begin(), begin()]))).map(admitted)
  const types = ({ createdAt, deadlineAt, startedAt, holdMicros, turn }: Run) =>
    [createdAt, deadlineAt, startedAt].every((at) => at instanceof Date && at.getTime() > 0) &&
    `${typeof holdMicros} ${holdMicros} ${turn}`
  expect(new Set([alone, ...together].map(types))).toEqual(new Set([expect.any(String)]))
  await finish(alone)
  const ended = whileBusy({ ...busy, eventCount: 1 }, () => Promise.all(together.map(finish)))
  expect((await ended).map(({ owned }) => owned)).toEqual([true, true, true])
  const expected = await rowsOf(alone)
  expect(expected).toMatchObject([{ status: 'cancelled', cost_micros: '100', event_count: 1 }])
  for (const run of together) expect(await rowsOf(run)).toEqual(expected)
})

test('a failed call undoes no other call of its batch', async () => {
  const [busy, a, bad, b] = (await startRuns(4)) as [Run, Run, Run, Run]
  const fail = await failing(bad)
  const settled = await whileBusy(busy, () => Promise.allSettled([append(a), fail(), append(b)]))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(settled[1]).toMatchObject({ reason: { code: '23505' } })
  const [first, second] = await transactionsOf([a, b])
  expect([first, second]).toEqual([expect.any(String), expect.any(String)])
  expect(second).not.toBe(first)
  await forget([bad])
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
      where wait_event_type = 'Lock' and query like '%append_to_run_2(%'`
    await expect.poll(async () => (await db.database.systemPool.query(cut)).rowCount).toBe(1)
    await expect(lost).rejects.toThrow()
  } finally {
    other.release(true)
  }
  expect(await append(next)).toMatchObject({ owned: true })
})

test('a failed call leaves a connection that works', async () => {
  const own = openDatabase({ url: db.url, onIdleError: () => undefined })
  try {
    const [bad, next] = (await startRuns(2)) as [Run, Run]
    const by = createTurnStore(own)
    const fail = await failing(bad, by)
    expect(await append(next, by)).toMatchObject({ owned: true })
    await expect(fail()).rejects.toMatchObject({ code: '23505' })
    expect(await append({ ...next, eventCount: 1 }, by)).toMatchObject({ owned: true })
    expect(own.callPool.totalCount).toBe(1)
    await forget([bad])
  } finally {
    await own.close()
  }
})

test('more calls than connections that fail at once leave a pool that works', async () => {
  const others = await Promise.all(Array.from({ length: 20 }, () => makeCaller(db.database)))
  const runs = await Promise.all(others.map((other) => start(db.database, other)))
  const fails = await Promise.all(runs.map((run) => failing(run)))
  const settled = await Promise.allSettled(fails.map((fail) => fail()))
  expect(settled.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(runs.map(() => '23505'))
  const { callPool } = db.database
  expect(callPool.totalCount).toBeLessThanOrEqual(callPool.options.max)
  expect((await Promise.all(runs.map((run) => append(run)))).every(({ owned }) => owned)).toBe(true)
  await forget(runs)
})

test('calls in a transaction are written with it or not at all', async () => {
  const [kept, undone] = (await startRuns(2)) as [Run, Run]
  const write = (run: Run, fail: boolean) =>
    store.transaction(run.accountId, async (tx) => {
      await callsIn(tx).call(run.accountId, runCall(run, added, { call: 'append' }))
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
  const { callPool } = db.database
  await expect.poll(() => callPool.idleCount).toBe(callPool.totalCount)
})

test('runs are written and ended while transactions use all their connections', async () => {
  const [written, ended] = (await startRuns(2)) as [Run, Run]
  const { indexedPool } = db.database
  const held = gate()
  const slow = Array.from({ length: indexedPool.options.max }, () =>
    store.transaction('acct_with_files', () => held.opened),
  )
  await expect.poll(() => indexedPool.totalCount - indexedPool.idleCount).toBe(slow.length)
  const events = JSON.stringify(added.events)
  expect(await store.appendToRuns([{ ...written, events }])).toEqual(new Set([written.id]))
  expect(await finish(ended)).toMatchObject({ owned: true })
  held.open()
  await Promise.all(slow)
})
