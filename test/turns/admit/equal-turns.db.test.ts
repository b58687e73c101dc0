import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import type { Executor } from '../../../src/db/client.ts'
import { admitAtOnce, admitWithLook } from '../../../src/turns/admit/admission.ts'
import type { Admission } from '../../../src/turns/admit/admission-types.ts'
import { sendIn } from '../../../src/turns/record/turn-store.ts'
import { useDatabase } from '../../support/database.ts'
import { useCaller, withKey } from '../../support/turns/caller.ts'
import { admissionOf, plainInput } from '../../support/turns/start.ts'

const many = 2_000
const here = 'replica_here'
let client: pg.PoolClient
let principal: Principal

/** The connection has planned all statements while there was no run. Then one key sends one question many times. */
const db = useDatabase()
const person = useCaller(db, { concurrentTurns: 100_000, turnsPerMinute: 100_000 })
beforeAll(async () => {
  principal = await withKey(db.database, person)
  client = await db.database.backgroundPool.connect()
  await client.query(`select set_config('app.account', '*', false)`)
  await undone(() => admit({ isLook: true }))
  await admit({ isLook: false })
  await client.query(
    `insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', 'copy' || n, 'turn', n + 1,
        'status', 'completed', 'finished_at', now(), 'created_at', now() - n * interval '10 ms'))).*
      from runs r, generate_series(1, ${many}) n`,
  )
})
afterAll(async () => {
  client.release(true)
})

type Options = { readonly isLook: boolean; readonly retried?: boolean }

const admit = ({ isLook, retried = false }: Options) => {
  const { identity, ...input } = plainInput({ text: 'The same.' })
  const executor = drizzle({ client }) as unknown as Executor
  const admission: Admission = admissionOf(
    { ...person, principal },
    {
      ...{ clientAt: here, lease: { owner: here, seconds: 15 } },
      input: { ...input, identity: { ...identity, retried } },
    },
  )
  return isLook
    ? admitWithLook(executor, admission, { again: false, isLast: true })
    : admitAtOnce(sendIn(executor), admission)
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

/** What a start decides, and the rows of `runs` that it reads. */
const reading = (options: Options) =>
  undone(async () => {
    const before = await rowsRead()
    return { decision: await admit(options), read: (await rowsRead()) - before }
  })

test.each([
  ['one statement', false],
  ['a look at every rule', true],
])('a start by %s among many equal turns reads few of them', async (_, isLook) => {
  const { decision, read } = await reading({ isLook })
  expect(decision).toMatchObject({ kind: 'admitted' })
  expect(read).toBeLessThan(30)
})

test('a start among many equal turns finds the one whose client has disconnected', async () => {
  await undone(async () => {
    await client.query(`update runs set client_closed_at = now(), finished_at = null where id = 'copy7'`)
    expect(await admit({ isLook: false })).toBeUndefined()
    const before = await rowsRead()
    expect(await admit({ isLook: true })).toMatchObject({ kind: 'repeated', runId: 'copy7' })
    expect((await rowsRead()) - before).toBeLessThan(30)
  })
})

test('a retry among many equal turns reads few of them and gets the newest', async () => {
  const { decision, read } = await reading({ isLook: true, retried: true })
  expect(decision).toMatchObject({ kind: 'repeated', rule: 'marked_as_retry' })
  expect(read).toBeLessThan(30)
})
