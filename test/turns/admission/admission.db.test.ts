import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, grantCredits } from '../../../src/billing/pools.ts'
import { withTx } from '../../../src/db/client.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { start } from '../../support/turns/start.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
})
afterAll(() => world.close())

async function rowsOf(person: Caller) {
  const tables = ['sessions', 'runs', 'messages', 'ledger']
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await db.database.systemPool.query<{ n: number }>(
      `select count(*)::int as n from ${table} where account_id = $1`,
      [person.principal.accountId],
    )
    counts[table] = rows[0]?.n ?? 0
  }
  return counts
}

const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
  )

test('of 30 turns started at once on credits for 5 exactly 5 are admitted', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 0n })
  const { accountId } = person.principal
  // Enough for five holds of two credits, and a rest that is no hold.
  await withTx(db.database, 'system', (tx) => grantCredits(tx, accountId, 7_000_000n))
  await withTx(db.database, 'system', (tx) => grantCredits(tx, accountId, 4_900_000n))
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => start(db.database, person)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(5)
  expect(codesOf(results)).toEqual(Array.from({ length: 25 }, () => 'insufficient_credits'))
  expect(await rowsOf(person)).toEqual({
    sessions: 5,
    runs: 5,
    messages: 5,
    ledger: 7,
  })
  const balance = await withTx(db.database, 'system', (tx) => balanceOf(tx, accountId))
  expect(balance).toEqual({ availableMicros: 1_900_000n, heldMicros: 10_000_000n })
})

test('the allowance of the month is given once though many first turns start at once', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 100_000_000n })
  await Promise.all(Array.from({ length: 10 }, () => start(db.database, person)))
  const balance = await withTx(db.database, 'system', (tx) => balanceOf(tx, person.principal.accountId))
  expect(balance).toEqual({ availableMicros: 80_000_000n, heldMicros: 20_000_000n })
})

test('the hold is twice the first call, at most a twentieth of the credits', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 80_000_000n, concurrentTurns: 10 })
  const runs = [await start(db.database, person), await start(db.database, person)]
  expect(runs.map(({ holdMicros }) => holdMicros)).toEqual([4_000_000n, 2_000_000n])
  const balance = await withTx(db.database, 'system', (tx) => balanceOf(tx, person.principal.accountId))
  expect(balance).toEqual({ availableMicros: 74_000_000n, heldMicros: 6_000_000n })
  const rich = await makeCaller(db.database, { monthlyMicros: 10_000_000_000n })
  expect((await start(db.database, rich, { firstCallMicros: 30_000_000n })).holdMicros).toBe(50_000_000n)
})

test('an account with credits for n first calls starts n turns', async () => {
  const person = await makeCaller(db.database, { monthlyMicros: 60_000_000n, concurrentTurns: 30 })
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => start(db.database, person)))
  expect(codesOf(results)).toEqual([])
})

test('no more turns run at once than the plan allows, and those refused leave nothing', async () => {
  const person = await makeCaller(db.database, { concurrentTurns: 3 })
  const results = await Promise.allSettled(Array.from({ length: 12 }, () => start(db.database, person)))
  expect(codesOf(results)).toEqual(Array.from({ length: 9 }, () => 'too_many_concurrent_runs'))
  expect(await rowsOf(person)).toMatchObject({ sessions: 3, runs: 3, messages: 3 })
})

test('turns of one session that start at once get their own numbers, and one runs', async () => {
  const person = await makeCaller(db.database)
  const { sessionId } = await start(db.database, person)
  const more = await Promise.all(Array.from({ length: 4 }, () => start(db.database, person, { sessionId })))
  expect(more.map((run) => run.turn).toSorted()).toEqual([2, 3, 4, 5])
  expect(more.map((run) => run.status)).toEqual(['queued', 'queued', 'queued', 'queued'])
  await expect(start(db.database, person, { sessionId })).rejects.toMatchObject({ code: 'session_busy' })
})
