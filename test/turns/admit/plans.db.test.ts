import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import type { Executor } from '../../../src/db/client.ts'
import { admitAtOnce, admitWithLook } from '../../../src/turns/admit/admission.ts'
import type { Decision } from '../../../src/turns/admit/admission-types.ts'
import { renewLeases } from '../../../src/turns/drive/leases.ts'
import { endOf } from '../../../src/turns/record/finish-run.ts'
import { statements } from '../../../src/turns/record/statements.ts'
import { sendIn, writeToRun } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { useDatabase } from '../../support/database.ts'
import { useCaller, withKey } from '../../support/turns/caller.ts'
import { emptyEnd } from '../../support/turns/journal.ts'
import { admissionOf, admitted, plainInput, start } from '../../support/turns/start.ts'

const many = 1_000
/** As turns have it. */
let client: pg.PoolClient
let run: Run
let principal: Principal

/** Many runs are open of which the statistics say nothing: they are of a moment at which none was. */
const db = useDatabase()
const person = useCaller(db, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
beforeAll(async () => {
  client = await db.database.backgroundPool.connect()
  await client.query(`select set_config('app.account', '*', false)`)
  await client.query('alter table runs set (autovacuum_enabled = off)')
  run = await start(db.database, person)
  principal = await withKey(db.database, person)
  await copyRun('over', { status: 'completed', finished_at: new Date() })
  await client.query(`update runs set status = 'completed' where id = $1`, [run.id])
  await client.query('analyze runs')
  await client.query(`update runs set status = 'in_progress' where id = $1`, [run.id])
  await copyRun('open', {})
  await copyRun('queued', { status: 'queued' })
})
afterAll(async () => {
  client.release(true)
})

/** Many like the one run, of another account. */
async function copyRun(name: string, other: object): Promise<void> {
  await client.query(
    `insert into runs select (jsonb_populate_record(r, $2::jsonb || jsonb_build_object(
        'id', $3 || n, 'account_id', 'acct_other', 'session_id', r.session_id,
        'turn', n + (select count(*) from runs)))).*
      from runs r, generate_series(1, ${many}) n where r.id = $1`,
    [run.id, JSON.stringify(other), name],
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

const event = { type: 'text.delta', step: 1, text: 'word' } as const
const added = { events: [event], steps: [] }
const copies = (count: number) => Array.from({ length: count }, (_, i) => `open${i + 1}`)

test('events of some runs are written without a look at the others that are open', async () => {
  const ids = copies(20)
  const each = <T>(value: T) => ids.map(() => value)
  const append = (executor: Executor) =>
    sendIn(executor)(statements.appendToRuns, {
      ...{ runs: ids, accounts: each('acct_other'), epochs: each(1), eventsBefore: each(0) },
      ...{ stepsBefore: each(0), events: each(1), entries: each(JSON.stringify(added.events)) },
    })
  expect(await fetchedBy(append, (rows) => rows.length === ids.length)).toBeLessThan(100)
})

test.each([
  ['events', { kind: 'append' }, 10],
  ['a larger hold', { kind: 'prepareCall', more: 5n }, 10],
  // It also asks whether other turns of the account are queued.
  ['the end', { kind: 'end', row: endOf({} as Run, emptyEnd(0n)) }, 10],
] as const)('%s of a run are written without a look at the other open runs', async (_, purpose, most) => {
  const write = (executor: Executor) => writeToRun(sendIn(executor), run, added, purpose)
  expect(await fetchedBy(write, ({ owned }) => owned)).toBeLessThan(most)
})

test('leases of some runs are renewed without a look at the others that are open', async () => {
  const lease = { owner: 'replica_gone', seconds: 15 }
  const renew = (executor: Executor) => renewLeases(executor, lease, copies(20), 'skip')
  expect(await fetchedBy(renew, (rest) => rest.length === 0)).toBeLessThan(100)
})

test('a turn begins without a look at the open turns of other accounts', async () => {
  const admission = admissionOf({ ...person, principal }, { input: plainInput({ text: 'another' }) })
  const isRunning = (decision: Decision | undefined) =>
    decision !== undefined && admitted(decision).status === 'in_progress'
  const atOnce = (executor: Executor) => admitAtOnce(sendIn(executor), admission)
  expect(await fetchedBy(atOnce, isRunning)).toBeLessThan(20)
  const looking = (executor: Executor) => admitWithLook(executor, admission, { again: false, isLast: true })
  expect(await fetchedBy(looking, isRunning)).toBeLessThan(20)
})
