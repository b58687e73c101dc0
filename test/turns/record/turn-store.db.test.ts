import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { endOf } from '../../../src/turns/record/finish-run.ts'
import { createTurnStore, sendIn, type TurnStore, writeToRun } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { emptyEnd } from '../../support/turns/journal.ts'
import { admissionOf, admitted, decide, look, plainInput, start } from '../../support/turns/start.ts'
import { gate } from '../../support/upstream-scripts.ts'
import { useStore } from '../../support/world/store.ts'

let person: Caller
/** Connections that only the statements under test use. */
let own: Database
let store: TurnStore

const { db } = useStore()
beforeAll(async () => {
  person = await makeCaller(db.database, { concurrentTurns: 100, turnsPerMinute: 1_000 })
  person = { ...person, principal: await withKey(db.database, person) }
  own = openDatabase({ url: withName(db.url), onIdleError: () => undefined })
  store = createTurnStore(own)
})
afterAll(() => own.close())

/** The same database. The server shows the name with each connection. */
function withName(url: string): string {
  const named = new URL(url)
  named.searchParams.set('application_name', 'under_test')
  return named.href
}

const backends = async () => {
  const { rows } = await db.database.systemPool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'under_test' and datname = current_database() order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

const startRuns = (count: number) =>
  Promise.all(Array.from({ length: count }, () => start(db.database, person)))

const added = { events: [{ type: 'run.started' as const }], steps: [] }

const append = (run: Run, accountId = run.accountId) =>
  writeToRun(store.sendTo(accountId), run, added, { kind: 'append' })

const record = { kind: 'tool', call: { id: 'c', name: 'n', arguments: '{}' } } as never

const finish = (run: Run) =>
  writeToRun(
    store.sendTo(run.accountId),
    run,
    { ...added, steps: [{ record, costMicros: 100n }] },
    { kind: 'end', row: endOf(run, emptyEnd(100n)) },
  )

/** Appends a step that the table has already, so the statement fails. */
async function failing(run: Run) {
  await db.database.systemPool.query(
    `insert into run_log (run_id, seq, step, account_id, epoch, events, steps, cost_micros, entries)
      values ($1, 0, 1, $2, 1, 0, 1, 0, '[{}]')`,
    [run.id, run.accountId],
  )
  const steps = [{ record, costMicros: 0n }]
  return () => writeToRun(store.sendTo(run.accountId), run, { events: [], steps }, { kind: 'append' })
}

/** Deletes the steps that `failing` wrote. */
const forget = (runs: readonly Run[]) =>
  db.database.systemPool.query(`delete from run_log where run_id = any($1) and entries = '[{}]'`, [
    runs.map(({ id }) => id),
  ])

/** Runs `work` while a statement of the account waits for a lock of the row of `busy`, which is held until `before`. */
async function whileBusy<T>(
  busy: Run,
  work: (backend: number) => { readonly result: Promise<T>; readonly before?: Promise<unknown> },
): Promise<T> {
  const other = await db.database.systemPool.connect()
  try {
    await other.query('begin')
    await other.query('select from runs where id = $1 for update', [busy.id])
    const first = append(busy).catch(() => undefined)
    const waiting = async () => {
      const { rows } = await db.database.systemPool.query<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'under_test' and datname = current_database()`,
      )
      return rows[0]?.pid ?? 0
    }
    await expect.poll(waiting).toBeGreaterThan(0)
    const { result, before } = work(await waiting())
    await before
    await other.query('rollback')
    await first
    return await result
  } finally {
    other.release(true)
  }
}

/** The transaction that wrote the events of each run; undefined if there are none. */
async function transactionsOf(runs: readonly Run[]): Promise<readonly (string | undefined)[]> {
  const { rows } = await db.database.systemPool.query<{ run: string; by: string }>(
    'select run_id as run, xmin::text as by from run_log where run_id = any($1)',
    [runs.map(({ id }) => id)],
  )
  return runs.map(({ id }) => rows.find(({ run }) => run === id)?.by)
}

test('statements of an account use one connection, in order, each its own transaction', async () => {
  const runs = (await startRuns(9)) as [Run, ...Run[]]
  const [busy, ...others] = runs
  const before = await backends()
  await whileBusy(busy, () => ({ result: Promise.all(others.map((run) => append(run))) }))
  expect((await backends()).length).toBeLessThanOrEqual(before.length + 1)
  const { rows } = await db.database.systemPool.query<{ run: string }>(
    'select run_id as run from run_log where run_id = any($1) order by ctid',
    [runs.map(({ id }) => id)],
  )
  expect(rows.map(({ run }) => run)).toEqual(runs.map(({ id }) => id))
  expect(new Set(await transactionsOf(runs)).size).toBe(runs.length)
})

test('statements of many accounts at once each see the rows of their own', async () => {
  const others = await Promise.all(Array.from({ length: 12 }, () => makeCaller(db.database)))
  const runs = await Promise.all(others.map((other) => start(db.database, other)))
  const foreign = await Promise.all(
    runs.map((run, i) => append(run, runs[(i + 1) % runs.length]?.accountId ?? '')),
  )
  expect(foreign.map(({ owned }) => owned)).toEqual(runs.map(() => false))
  const mixed = await Promise.all(runs.flatMap((run) => [append(run), append({ ...run, eventCount: 1 })]))
  expect(mixed.every(({ owned }) => owned)).toBe(true)
})

/** What a turn has written, without what differs between any two turns. */
async function rowsOf(run: Run) {
  const { rows } = await db.database.systemPool.query(
    `select r.status, r.hold_micros, r.held_allowance_micros, r.cost_micros, r.reply, r.event_count, r.request,
        m.content, s.name, s.open_runs, extract(epoch from r.deadline_at - r.created_at)::int as seconds,
        (select array_agg(t.kind || (-t.allowance_micros - t.granted_micros) order by t.id) from ledger t where t.run_id = r.id) as moved
      from runs r join messages m on m.run_id = r.id join sessions s on s.id = r.session_id where r.id = $1`,
    [run.id],
  )
  return rows
}

test('a start in a transaction and one in a statement write the same', async () => {
  const text = `A "quoted" question, {with braces} and a \\ backslash.`
  const begin = () => admissionOf(person, { input: plainInput({ text }) })
  const looked = admitted(await look(db.database, begin()))
  const runs = [admitted(await decide(store, begin())), admitted(await decide(store, begin()))]
  const types = ({ createdAt, deadlineAt, startedAt, holdMicros, turn }: Run) =>
    [createdAt, deadlineAt, startedAt].every((at) => at instanceof Date && at.getTime() > 0) &&
    `${typeof holdMicros} ${holdMicros} ${turn}`
  expect(new Set([looked, ...runs].map(types))).toEqual(new Set([expect.any(String)]))
  expect(runs.map(({ admission }) => admission)).toMatchObject([{ rule: 'plain' }, { rule: 'plain' }])
  await Promise.all([looked, ...runs].map(finish))
  const expected = await rowsOf(looked)
  expect(expected).toMatchObject([{ status: 'cancelled', cost_micros: '100', event_count: 1, open_runs: 0 }])
  for (const run of runs) expect(await rowsOf(run)).toEqual(expected)
})

test('a failed statement undoes no other that is on its way', async () => {
  const [busy, a, bad, b] = (await startRuns(4)) as [Run, Run, Run, Run]
  const fail = await failing(bad)
  const settled = await whileBusy(busy, () => ({
    result: Promise.allSettled([append(a), fail(), append(b)]),
  }))
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(settled[1]).toMatchObject({ reason: { code: '23505' } })
  expect(await transactionsOf([a, b])).toEqual([expect.any(String), expect.any(String)])
  await forget([bad])
})

test('a failed statement leaves its connection, which serves the next one', async () => {
  const [bad, next] = (await startRuns(2)) as [Run, Run]
  const fail = await failing(bad)
  expect(await append(next)).toMatchObject({ owned: true })
  const before = await backends()
  await expect(fail()).rejects.toMatchObject({ code: '23505' })
  expect(await append({ ...next, eventCount: 1 })).toMatchObject({ owned: true })
  expect(await backends()).toEqual(before)
  await forget([bad])
})

test('a lost connection fails every statement on it, and the next gets another', async () => {
  const [busy, on, next] = (await startRuns(3)) as [Run, Run, Run]
  const settled = await whileBusy(busy, (backend) => {
    const both = [append(busy), append(on)]
    const cut = db.database.systemPool.query('select pg_terminate_backend($1)', [backend])
    return { result: Promise.allSettled(both), before: cut }
  })
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await append(next)).toMatchObject({ owned: true })
})

test('more accounts than connections that fail at once leave connections that work', async () => {
  const others = await Promise.all(Array.from({ length: 20 }, () => makeCaller(db.database)))
  const runs = await Promise.all(others.map((other) => start(db.database, other)))
  const fails = await Promise.all(runs.map((run) => failing(run)))
  const settled = await Promise.allSettled(fails.map((fail) => fail()))
  expect(settled.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(runs.map(() => '23505'))
  expect((await backends()).length).toBeLessThanOrEqual(8)
  expect((await Promise.all(runs.map((run) => append(run)))).every(({ owned }) => owned)).toBe(true)
  await forget(runs)
})

test('statements in a transaction are written with it or not at all', async () => {
  const [kept, undone] = (await startRuns(2)) as [Run, Run]
  const write = (run: Run, fail: boolean) =>
    store.transaction(run.accountId, async (tx) => {
      await writeToRun(sendIn(tx), run, added, { kind: 'append' })
      if (fail) throw new Error('undone')
    })
  await write(kept, false)
  await expect(write(undone, true)).rejects.toThrow('undone')
  expect(await transactionsOf([kept, undone])).toEqual([expect.any(String), undefined])
})

test('runs are written and ended while transactions use all their connections', async () => {
  const [written, ended] = (await startRuns(2)) as [Run, Run]
  const { tenantPool } = own
  const held = gate()
  const slow = Array.from({ length: tenantPool.options.max }, () =>
    store.transaction('acct_with_files', () => held.opened),
  )
  await expect.poll(() => tenantPool.totalCount - tenantPool.idleCount).toBe(slow.length)
  const { events } = added
  expect(await store.appendToRuns([{ ...written, events }])).toEqual(new Set([written.id]))
  expect(await finish(ended)).toMatchObject({ owned: true })
  held.open()
  await Promise.all(slow)
})
