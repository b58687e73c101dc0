import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey } from '../../src/accounts/keys.ts'
import { parsePeppers } from '../../src/accounts/pepper.ts'
import type { Principal } from '../../src/accounts/principal.ts'
import { ensureAllowance } from '../../src/billing/pools.ts'
import { type Executor, withTx } from '../../src/db/client.ts'
import { newId } from '../../src/ids.ts'
import { defaultTurnLimits } from '../../src/turns/start-turn.ts'
import { writeUsual } from '../../src/turns/usual-start.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makePerson, plainInput, start } from '../support/turns.ts'

const many = 1_000
let db: TestDatabase
let client: pg.Client
let runId: string
let accountId: string
let principal: Principal

/** Many runs are open of which the statistics say nothing: they are of a moment at which none was. */
beforeAll(async () => {
  db = await createTestDatabase()
  const person = await makePerson(db.database, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
  client = new pg.Client({ connectionString: db.url })
  await client.connect()
  await client.query(`select set_config('app.account', '*', false)`)
  await client.query('alter table runs set (autovacuum_enabled = off)')
  const run = await start(db.database, person)
  runId = run.id
  accountId = run.accountId
  const key = { name: 'k', reach: { kind: 'owner' } } as const
  const { info } = await withTx(db.database, 'system', async (tx) => {
    await ensureAllowance(tx, accountId, person.principal.plan)
    return createKey(tx, parsePeppers('a pepper for tests'), accountId, key)
  })
  principal = { ...person.principal, keyId: info.id }
  await copyRun('over', { status: 'completed', finished_at: new Date() })
  await client.query(`update runs set status = 'completed' where id = $1`, [runId])
  await client.query('analyze runs')
  await client.query(`update runs set status = 'in_progress' where id = $1`, [runId])
  await copyRun('open', {})
})
afterAll(async () => {
  await client.end()
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

/** Rows of `runs` that a statement fetches. */
async function fetchedBy(text: string, values: readonly unknown[]): Promise<number> {
  await client.query('begin')
  try {
    const before = await fetched()
    await client.query(text, [...values])
    return (await fetched()) - before
  } finally {
    await client.query('rollback')
  }
}

const fetchedSoFar = `select coalesce(idx_tup_fetch, 0)::int + coalesce(seq_tup_read, 0)::int as n
  from pg_stat_xact_user_tables where relname = 'runs'`

async function fetched(): Promise<number> {
  const { rows } = await client.query<{ n: number }>(fetchedSoFar)
  return rows[0]?.n ?? Number.NaN
}

const event = JSON.stringify([{ type: 'text.delta', step: 1, text: 'word' }])

test('events of a run are written without a look at the other runs that are open', async () => {
  const one = [[runId], [accountId], [1], [0], [0], [event]]
  expect(await fetchedBy('select append_to_runs($1, $2, $3, $4, $5, $6)', one)).toBeLessThan(10)
})

test('steps of a run are written without a look at the other runs that are open', async () => {
  const values = [accountId, runId, 1, 0, 0, event, '[]']
  expect(
    await fetchedBy('select append_to_run($1, $2, $3, $4, $5, $6, $7, null, null)', values),
  ).toBeLessThan(10)
})

test('the end of a run is written without a look at the other runs that are open', async () => {
  const values = [accountId, runId, 1, 0, 0, event, '[]']
  const end = `select end_turn($1, $2, $3, $4, $5, $6, $7, 'completed', '[]', null, '', 'stop', '{}',
    0, 0, '{}', 'none', 'msg_1', 1, 1, null)`
  expect(await fetchedBy(end, values)).toBeLessThan(10)
})

test('a turn begins without a look at each of the turns that are open', async () => {
  const counted = async (tx: Executor) =>
    Number((await tx.execute<{ n: number }>(sql.raw(fetchedSoFar))).rows[0]?.n)
  const later = new Date(Date.now() + 60_000)
  const owner = {
    runId: newId('run'),
    lease: { owner: 'replica_gone', seconds: 15 },
    limits: defaultTurnLimits,
  }
  const fetchedRows = await withTx(db.database, principal, async (tx) => {
    const before = await counted(tx)
    const run = await writeUsual(tx, principal, plainInput({ text: 'another' }), {
      ...owner,
      sentAt: later,
      notAfter: later,
    })
    expect(run?.status).toBe('in_progress')
    return (await counted(tx)) - before
  })
  expect(fetchedRows).toBeLessThan(20)
})
