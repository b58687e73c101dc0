import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import type { Executor } from '../../../src/db/client.ts'
import { admitRun } from '../../../src/turns/admission/admit-run.ts'
import { renewLeases } from '../../../src/turns/ownership/leases.ts'
import { callsIn } from '../../../src/turns/store/turn-store.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { admissionOf, admitted, plainInput, start } from '../../support/turns/start.ts'

const many = 1_000
let db: TestDatabase
/** As turns have it. */
let client: pg.PoolClient
let runId: string
let accountId: string
let person: Caller
let principal: Principal

/** Many runs are open of which the statistics say nothing: they are of a moment at which none was. */
beforeAll(async () => {
  db = await createTestDatabase()
  person = await makeCaller(db.database, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
  client = await db.database.indexedPool.connect()
  await client.query(`select set_config('app.account', '*', false)`)
  await client.query('alter table runs set (autovacuum_enabled = off)')
  const run = await start(db.database, person)
  runId = run.id
  accountId = run.accountId
  principal = await withKey(db.database, person)
  await copyRun('over', { status: 'completed', finished_at: new Date() })
  await client.query(`update runs set status = 'completed' where id = $1`, [runId])
  await client.query('analyze runs')
  await client.query(`update runs set status = 'in_progress' where id = $1`, [runId])
  await copyRun('open', {})
})
afterAll(async () => {
  client.release(true)
  await db.drop()
})

/** Many like the one run. */
async function copyRun(name: string, other: object): Promise<void> {
  await client.query(
    `insert into runs select (jsonb_populate_record(r, $2::jsonb || jsonb_build_object(
        'id', $3 || n, 'session_id', r.session_id, 'turn', n + (select count(*) from runs), 'account_turn', n))).*
      from runs r, generate_series(1, ${many}) n where r.id = $1`,
    [runId, JSON.stringify(other), name],
  )
}

/** Rows of `runs` that a write fetches. It does what it is for, and is undone. */
async function fetchedBy<T>(
  write: (executor: Executor) => Promise<T>,
  written: (result: T) => unknown,
): Promise<number> {
  await client.query('begin')
  try {
    const before = await fetched()
    const result = await write(drizzle({ client }) as unknown as Executor)
    const after = await fetched()
    expect(written(result)).toBe(true)
    return after - before
  } finally {
    await client.query('rollback')
  }
}

async function fetched(): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select coalesce(idx_tup_fetch, 0)::int + coalesce(seq_tup_read, 0)::int as n
      from pg_stat_xact_user_tables where relname = 'runs'`,
  )
  return rows[0]?.n ?? Number.NaN
}

/** Whether the one row that a call returns says `true`. */
const call = (text: string, values: readonly unknown[]) => async () => {
  const { rows } = await client.query<{ done: boolean }>(`select ${text}`, [...values])
  return rows[0]?.done
}
const isDone = (done: unknown) => done

const event = JSON.stringify([{ type: 'text.delta', step: 1, text: 'word' }])
const copies = (count: number) => Array.from({ length: count }, (_, i) => `open${i + 1}`)

test('events of some runs are written without a look at the others that are open', async () => {
  const ids = copies(20)
  const each = <T>(value: T) => ids.map(() => value)
  const values = [ids, each(accountId), each(1), each(0), each(0), each(event)]
  const append = call('array_agg(id) @> $1 as done from append_to_runs($1, $2, $3, $4, $5, $6) as id', values)
  expect(await fetchedBy(() => append(), isDone)).toBeLessThan(100)
})

test('steps of a run are written without a look at the other runs that are open', async () => {
  const append = call('(append_to_run_2($1, $2, $3, $4, $5, $6, $7, null, null)).owned as done', [
    accountId,
    runId,
    1,
    0,
    0,
    event,
    '[]',
  ])
  expect(await fetchedBy(append, isDone)).toBeLessThan(10)
})

test('the end of a run is written without a look at the other runs that are open', async () => {
  const end = call(
    `owned as done from end_turn($1, $2, $3, $4, $5, $6, $7, 'completed', '[]', null, '', 'stop', '{}', 0, 0, '{}', 'none', 'msg_1', 1, 1, null)`,
    [accountId, runId, 1, 0, 0, event, '[]'],
  )
  expect(await fetchedBy(end, isDone)).toBeLessThan(10)
})

test('leases of some runs are renewed without a look at the others that are open', async () => {
  const lease = { owner: 'replica_gone', seconds: 15 }
  const renew = (executor: Executor) => renewLeases(executor, lease, copies(20), 'skip')
  expect(await fetchedBy(renew, (rest) => rest.length === 0)).toBeLessThan(100)
})

test('a turn begins without a look at each of the turns that are open', async () => {
  const begin = (executor: Executor) =>
    admitRun(callsIn(executor), principal, plainInput({ text: 'another' }), admissionOf(person))
  expect(await fetchedBy(begin, (decision) => admitted(decision).status === 'in_progress')).toBeLessThan(20)
})
