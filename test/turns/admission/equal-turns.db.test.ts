import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import type { Executor } from '../../../src/db/client.ts'
import { type Admission, admitRun } from '../../../src/turns/admission/admit-run.ts'
import { callsIn } from '../../../src/turns/store/turn-store.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { admissionOf, plainInput } from '../../support/turns/start.ts'

const many = 2_000
const here = 'replica_here'
let db: TestDatabase
let client: pg.PoolClient
let person: Caller
let principal: Principal

/** The connection has planned all statements while there was no run. Then one key sends one question many times. */
beforeAll(async () => {
  db = await createTestDatabase()
  person = await makeCaller(db.database, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
  principal = await withKey(db.database, person)
  client = await db.database.indexedPool.connect()
  await client.query(`select set_config('app.account', '*', false)`)
  await client.query('insert into replicas (id, seen_at, settled_at) values ($1, now(), now())', [here])
  const lost = new Map([['run_none', here]])
  for (const retried of [false, true])
    await undone(() =>
      admit({ clients: { replicas: new Set(), gone: new Set(['replica_gone']), lost } }, retried),
    )
  await admit()
  await client.query(
    `insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', 'copy' || n, 'turn', n + 1, 'account_turn', n + 1,
        'status', 'completed', 'finished_at', now(), 'created_at', now() - n * interval '10 ms'))).*
      from runs r, generate_series(1, ${many}) n`,
  )
})
afterAll(async () => {
  client.release(true)
  await db.drop()
})

const admit = (more: Partial<Admission> = {}, retried = false) => {
  const { identity, ...input } = plainInput({ text: 'The same.' })
  const executor = drizzle({ client }) as unknown as Executor
  const admission = admissionOf(person, { clientAt: here, lease: { owner: here, seconds: 15 }, ...more })
  return admitRun(callsIn(executor), principal, { ...input, identity: { ...identity, retried } }, admission)
}

async function undone<T>(work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

/** Rows of `runs` that this transaction has read. */
async function rowsRead(): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select coalesce(idx_tup_fetch, 0)::int + coalesce(seq_tup_read, 0)::int as n
      from pg_stat_xact_user_tables where relname = 'runs'`,
  )
  return rows[0]?.n ?? Number.NaN
}

test.each([
  ['connected clients', {}],
  ['a client that was lost here', { lost: new Map([['copy7', here]]) }],
])('a start among many equal turns of %s reads few of them', async (_, report) => {
  const clients = {
    replicas: new Set<string>(),
    gone: new Set<string>(),
    lost: new Map<string, string>(),
    ...report,
  }
  const { decision, read } = await undone(async () => {
    const before = await rowsRead()
    return { decision: await admit({ clients }), read: (await rowsRead()) - before }
  })
  expect(decision).toMatchObject('lost' in report ? { known: { id: 'copy7' } } : { kind: 'admitted' })
  expect(read).toBeLessThan(30)
})

test('a retry among many equal turns reads few of them and gets the newest', async () => {
  const { decision, read } = await undone(async () => {
    const before = await rowsRead()
    return { decision: await admit({}, true), read: (await rowsRead()) - before }
  })
  expect(decision).toMatchObject({ kind: 'repeated' })
  expect(read).toBeLessThan(30)
})
