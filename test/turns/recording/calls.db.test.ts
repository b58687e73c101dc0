import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../../src/accounts/principal.ts'
import { withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import { admitRun } from '../../../src/turns/admission/admit-run.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { createTurnStore, type TurnStore } from '../../../src/turns/store/turn-store.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { endWith, journalOf } from '../../support/turns/journal.ts'
import { admissionOf, plainInput } from '../../support/turns/start.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld
let store: TurnStore
let person: Caller
/** The same by a key, as the usual start wants it. */
let principal: Principal

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
  store = createTurnStore(db.database)
  person = await makeCaller(db.database)
  principal = await withKey(db.database, person)
})
afterAll(() => world.close())

const later = (ms: number) => new Date(Date.now() + ms)

type Times = {
  readonly notAfter: Date
  readonly sentAt?: Date
  readonly owner?: string
  readonly text?: string
}

/** Sent after all others, unless stated: they make the same request. Nobody says where the clients are. */
const startUntil = async (times: Times, runId = newId('run'), of = person, by = principal) => {
  const { notAfter, sentAt = later(60_000), owner = 'replica_gone', text = 'question' } = times
  const onSend = () => ({ sentAt, notAfter, underPressure: false })
  const admission = admissionOf(of, { lease: { owner, seconds: 15 }, runId, onSend })
  const decision = await admitRun(store, by, plainInput({ text }), admission)
  return decision.kind === 'admitted' ? decision.run : decision.kind
}

async function rowsOf(runId: string) {
  const { rows } = await db.database.systemPool.query<{ runs: number; held: number; moved: number }>(
    `select (select count(*)::int from runs where id = $1) as runs,
      (select count(*)::int from runs where id = $1 and hold_parts = array[hold_micros]) as held,
      (select count(*)::int from ledger where run_id = $1) as moved`,
    [runId],
  )
  return rows[0]
}

test('a start in time is written with its hold', async () => {
  const runId = newId('run')
  expect(await startUntil({ notAfter: later(60_000) }, runId)).toMatchObject({
    ...{ id: runId, status: 'in_progress', epoch: 1 },
  })
  expect(await rowsOf(runId)).toEqual({ runs: 1, held: 1, moved: 1 })
})

test('a start that the server comes to after its time writes nothing', async () => {
  const runId = newId('run')
  expect(await startUntil({ notAfter: later(-60_000) }, runId)).toBe('late')
  expect(await rowsOf(runId)).toEqual({ runs: 0, held: 0, moved: 0 })
})

test.each([
  ['the account', 'accounts where id'],
  ['the credits, which it locks later,', 'credit_pools where account_id'],
])('a start that waits for %s beyond its time writes nothing', async (_, rows) => {
  const runId = newId('run')
  const now = await db.database.systemPool.query<{ at: Date }>('select clock_timestamp() as at')
  const notAfter = new Date((now.rows[0]?.at.getTime() ?? 0) + 300)
  let late: Promise<unknown> | undefined
  await withTx(db.database, 'system', async (tx) => {
    await tx.execute(`select from ${rows} = '${principal.accountId}' for update`)
    late = startUntil({ notAfter }, runId)
    await tx.execute('select pg_sleep(0.5)')
  })
  expect(await late).toBe('late')
  expect(await rowsOf(runId)).toEqual({ runs: 0, held: 0, moved: 0 })
})

test('a start overtaken by a duplicate elsewhere writes nothing; a later one is its own turn', async () => {
  const elsewhere = 'replica_other'
  expect(await startUntil({ notAfter: later(60_000), owner: elsewhere })).toMatchObject({ epoch: 1 })
  const overtaken = newId('run')
  const early = { notAfter: later(60_000), sentAt: later(-10_000) }
  expect(await startUntil(early, overtaken)).toBe('overtaken')
  expect(await rowsOf(overtaken)).toEqual({ runs: 0, held: 0, moved: 0 })
  expect(await startUntil({ notAfter: later(60_000) })).toMatchObject({ epoch: 1 })
})

test('a call that may not be sent any more fails with that reason and writes nothing', async () => {
  const runId = newId('run')
  const reason = new Error('the client has disconnected')
  const onSend = () => {
    throw reason
  }
  const sent = admitRun(store, principal, plainInput(), admissionOf(person, { runId, onSend }))
  await expect(sent).rejects.toBe(reason)
  expect(await rowsOf(runId)).toEqual({ runs: 0, held: 0, moved: 0 })
})

test('a second write of one start is refused, whatever it would have said', async () => {
  const runId = newId('run')
  await startUntil({ notAfter: later(60_000) }, runId)
  await expect(startUntil({ notAfter: later(60_000) }, runId)).rejects.toMatchObject({
    code: '23505',
  })
  expect(await rowsOf(runId)).toEqual({ runs: 1, held: 1, moved: 1 })
})

/** Someone with so many slots, and how they start a turn by key. */
async function withSlots(concurrentTurns: number) {
  const of = await makeCaller(db.database, { concurrentTurns })
  const by = await withKey(db.database, of)
  return async (): Promise<Run | undefined> => {
    const runId = newId('run')
    const refusal = { code: 'too_many_concurrent_runs' }
    try {
      const run = await startUntil({ notAfter: later(60_000), text: runId }, runId, of, by)
      return typeof run === 'string' ? undefined : run
    } catch (error) {
      expect(error).toMatchObject(refusal)
      return undefined
    }
  }
}

async function endTurn(run: Run | undefined): Promise<void> {
  if (run) await endWith(journalOf(db.database, run))
}

test('a turn that stays open takes one place, however many that came after it are over', async () => {
  const begin = await withSlots(2)
  expect(await begin()).toBeDefined()
  for (let i = 0; i < 3; i += 1) {
    const run = await begin()
    expect(run).toBeDefined()
    await endTurn(run)
  }
  expect(await begin()).toBeDefined()
  expect(await begin()).toBeUndefined()
})

test('no more turns than slots are admitted while the clock is behind', async () => {
  const begin = await withSlots(3)
  const first = await begin()
  await endTurn(first)
  const ahead = `update runs set created_at = now() + interval '30 seconds' where id = $1`
  await db.database.systemPool.query(ahead, [first?.id])
  const runs = [await begin(), await begin(), await begin()]
  expect(runs.map((run) => run?.accountTurn)).toEqual([2, 3, 4])
  expect(await begin()).toBeUndefined()
})
