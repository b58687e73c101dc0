import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** What the work gives, which is undone, and the rows of `runs` that it fetches. */
async function fetchedBy<T>(
  on: pg.PoolClient,
  work: (executor: Executor) => Promise<T>,
  prepare: (executor: Executor) => Promise<unknown> = async () => undefined,
) {
  const executor = drizzle({ client: on }) as unknown as Executor
  const fetched = async () =>
    (
      await on.query<{ n: number }>(
        `select coalesce(idx_tup_fetch, 0)::int + coalesce(seq_tup_read, 0)::int as n
          from pg_stat_xact_user_tables where relname = 'runs'`,
      )
    ).rows[0]?.n ?? Number.NaN
  await on.query('begin')
  try {
    await prepare(executor)
    const before = await fetched()
    const result = await work(executor)
    return { result, rows: (await fetched()) - before }
  } finally {
    await on.query('rollback')
  }
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
  const { result, rows } = await fetchedBy(client, append)
  expect(result).toHaveLength(ids.length)
  expect(rows).toBeLessThan(100)
})

test.each([
  ['events', { kind: 'append' }, 10],
  ['a larger hold', { kind: 'prepareCall', more: 5n }, 10],
  // It also asks whether other turns of the account are queued.
  ['the end', { kind: 'end', row: endOf({} as Run, emptyEnd(0n)) }, 10],
] as const)('%s of a run are written without a look at the other open runs', async (_, purpose, most) => {
  const write = (executor: Executor) => writeToRun(sendIn(executor), run, added, purpose)
  const { result, rows } = await fetchedBy(client, write)
  expect(result.owned).toBe(true)
  expect(rows).toBeLessThan(most)
})

test('leases of some runs are renewed without a look at the others that are open', async () => {
  const lease = { owner: 'replica_gone', seconds: 15 }
  const renew = (executor: Executor) => renewLeases(executor, lease, copies(20), 'skip')
  const { result, rows } = await fetchedBy(client, renew)
  expect(result).toEqual([])
  expect(rows).toBeLessThan(100)
})

test('a turn begins without a look at the open turns of other accounts', async () => {
  const admission = admissionOf({ ...person, principal }, { input: plainInput({ text: 'another' }) })
  const atOnce = (executor: Executor) => admitAtOnce(sendIn(executor), admission)
  const looking = (executor: Executor) => admitWithLook(executor, admission, { again: false, isLast: true })
  for (const write of [atOnce, looking]) {
    const { result, rows } = await fetchedBy<Decision | undefined>(client, write)
    expect(result && admitted(result).status).toBe('in_progress')
    expect(rows).toBeLessThan(20)
  }
})

describe('among 2,000 equal turns of one key', () => {
  const here = 'replica_here'
  let equals: pg.PoolClient
  let keyed: Principal

  /** The connection has planned all statements while there was no run. */
  const own = useDatabase()
  const sender = useCaller(own, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
  beforeAll(async () => {
    keyed = await withKey(own.database, sender)
    equals = await own.database.backgroundPool.connect()
    await equals.query(`select set_config('app.account', '*', false)`)
    await fetchedBy(equals, admit({ isLook: true }))
    await admit({ isLook: false })(drizzle({ client: equals }) as unknown as Executor)
    await equals.query(
      `insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', 'copy' || n, 'turn', n + 1,
          'status', 'completed', 'finished_at', now(), 'created_at', now() - n * interval '10 ms'))).*
        from runs r, generate_series(1, 2000) n`,
    )
  })
  afterAll(async () => {
    equals.release(true)
  })

  const admit =
    ({ isLook, retried = false }: { readonly isLook: boolean; readonly retried?: boolean }) =>
    (executor: Executor) => {
      const { identity, ...input } = plainInput({ text: 'The same.' })
      const admission = admissionOf(
        { ...sender, principal: keyed },
        {
          ...{ clientAt: here, lease: { owner: here, seconds: 15 } },
          input: { ...input, identity: { ...identity, retried } },
        },
      )
      return isLook
        ? admitWithLook(executor, admission, { again: false, isLast: true })
        : admitAtOnce(sendIn(executor), admission)
    }

  test.each([
    ['one statement', false],
    ['a look at every rule', true],
  ])('a start by %s reads few of them', async (_, isLook) => {
    const { result, rows } = await fetchedBy(equals, admit({ isLook }))
    expect(result).toMatchObject({ kind: 'admitted' })
    expect(rows).toBeLessThan(30)
  })

  test('a start finds the one whose client has disconnected', async () => {
    const { result, rows } = await fetchedBy(equals, admit({ isLook: true }), async (executor) => {
      await equals.query(`update runs set client_closed_at = now(), finished_at = null where id = 'copy7'`)
      expect(await admit({ isLook: false })(executor)).toBeUndefined()
    })
    expect(result).toMatchObject({ kind: 'repeated', runId: 'copy7' })
    expect(rows).toBeLessThan(30)
  })

  test('a retry reads few of them and gets the newest', async () => {
    const { result, rows } = await fetchedBy(equals, admit({ isLook: true, retried: true }))
    expect(result).toMatchObject({ kind: 'repeated', rule: 'marked_as_retry' })
    expect(rows).toBeLessThan(30)
  })
})
