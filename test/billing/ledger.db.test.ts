import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { balanceOf, ensureAllowance, grantCredits, raiseAllowance } from '../../src/billing/pools.ts'
import { type Executor, withTx } from '../../src/db/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { extendHold, placeHold, settleHold } from '../support/holds.ts'
import { checkInvariants } from '../support/invariants.ts'
import { makeAccount } from '../support/world/accounts.ts'

let db: TestDatabase
let runs = 0

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(async () => {
  expect(await checkInvariants(db.database)).toEqual([])
  await db.drop()
})

const credits = (n: number) => BigInt(n) * 1_000_000n
const inTx = <T>(work: (tx: Executor) => Promise<T>) => withTx(db.database, 'system', work)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

async function account(...grants: readonly { readonly amount: number; readonly expiresAt?: Date }[]) {
  const { id } = await makeAccount(db.database)
  for (const { amount, expiresAt } of grants) {
    await inTx((tx) => grantCredits(tx, id, credits(amount), expiresAt ?? null))
  }
  return id
}

async function hold(accountId: string, amount: number): Promise<string> {
  runs += 1
  const runId = `run_ledger_${runs}`
  await inTx((tx) => placeHold(tx, { accountId, runId, micros: credits(amount) }))
  return runId
}

const settle = (accountId: string, runId: string, chargeMicros: bigint | null) =>
  inTx((tx) => settleHold(tx, { accountId, runId, chargeMicros }))

const balance = (accountId: string) => inTx((tx) => balanceOf(tx, accountId))

/** Available and held of each pool in the order in which they were made, in whole credits. */
async function pools(accountId: string) {
  const { rows } = await db.database.systemPool.query<{ available: string; held: string }>(
    `select available_micros / 1000000 as available, held_micros / 1000000 as held from credit_pools
     where account_id = $1 order by id`,
    [accountId],
  )
  return rows.map((row) => [Number(row.available), Number(row.held)])
}

async function movements(runId: string) {
  const { rows } = await db.database.systemPool.query<{ kind: string; amount: string }>(
    `select kind, amount_micros::text as amount from credit_transactions where run_id = $1 order by id`,
    [runId],
  )
  return rows.map((row) => [row.kind, BigInt(row.amount)])
}

test('every transaction sums to zero, and pools are the sums of their entries', async () => {
  const id = await account({ amount: 30 }, { amount: 5, expiresAt: inDays(2) })
  const charged = await hold(id, 10)
  const free = await hold(id, 10)
  await settle(id, charged, 7_654_321n)
  await settle(id, free, null)
  const { rows } = await db.database.systemPool.query(
    `select kind, sum(e.amount_micros)::text as sum, bool_and(e.amount_micros <> 0) as moved
     from credit_transactions t join credit_entries e on e.transaction_id = t.id where t.account_id = $1
     group by t.id, kind order by t.id`,
    [id],
  )
  const kinds = ['grant', 'grant', 'hold', 'hold', 'charge', 'release', 'release']
  expect(rows).toEqual(kinds.map((kind) => ({ kind, sum: '0', moved: true })))
  expect(await balance(id)).toEqual({ availableMicros: credits(35) - 7_654_321n, heldMicros: 0n })
  expect(await checkInvariants(db.database)).toEqual([])
})

test('a hold is charged in part and the rest is given back', async () => {
  const id = await account({ amount: 10 })
  const run = await hold(id, 4)
  expect(await balance(id)).toEqual({ availableMicros: credits(6), heldMicros: credits(4) })
  await settle(id, run, credits(1))
  expect(await balance(id)).toEqual({ availableMicros: credits(9), heldMicros: 0n })
  expect(await movements(run)).toEqual([
    ['hold', credits(4)],
    ['charge', credits(1)],
    ['release', credits(3)],
  ])
})

test('a fully charged hold leaves nothing, and a free one leaves no charge row', async () => {
  const id = await account({ amount: 10 })
  const whole = await hold(id, 4)
  await settle(id, whole, credits(4))
  expect(await movements(whole)).toEqual([
    ['hold', credits(4)],
    ['charge', credits(4)],
    ['release', 0n],
  ])
  const free = await hold(id, 6)
  await settle(id, free, null)
  expect(await movements(free)).toEqual([
    ['hold', credits(6)],
    ['release', credits(6)],
  ])
  expect(await balance(id)).toEqual({ availableMicros: credits(6), heldMicros: 0n })
})

test('a charge above the hold is refused and nothing changes', async () => {
  const id = await account({ amount: 10 })
  const run = await hold(id, 4)
  await expect(settle(id, run, credits(4) + 1n)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('above the hold') },
  })
  expect(await pools(id)).toEqual([[6, 4]])
  await settle(id, run, null)
})

test('an extended hold is charged and given back as one', async () => {
  const id = await account({ amount: 3 }, { amount: 10 })
  const run = await hold(id, 2)
  await inTx((tx) => extendHold(tx, { accountId: id, runId: run, micros: credits(4), step: 3 }))
  expect(await pools(id)).toEqual([
    [0, 3],
    [7, 3],
  ])
  await settle(id, run, credits(5))
  expect(await pools(id)).toEqual([
    [0, 0],
    [8, 0],
  ])
})

test.each([
  ['charged', 1_000_000n],
  ['free', null],
])('a second settlement of a run that was %s is refused by the unique key', async (_, chargeMicros) => {
  const id = await account({ amount: 10 })
  const run = await hold(id, 4)
  await settle(id, run, chargeMicros)
  const before = [await pools(id), await movements(run)]
  for (const again of [null, 0n]) {
    await expect(settle(id, run, again)).rejects.toMatchObject({ cause: { code: '23505' } })
  }
  expect([await pools(id), await movements(run)]).toEqual(before)
})

test('a second hold of a run is refused', async () => {
  const id = await account({ amount: 10 })
  const run = await hold(id, 1)
  const again = inTx((tx) => placeHold(tx, { accountId: id, runId: run, micros: 1n }))
  await expect(again).rejects.toMatchObject({ cause: { code: '23505' } })
  await settle(id, run, null)
})

test('of two settlements at the same moment one wins', async () => {
  const id = await account({ amount: 10 })
  const run = await hold(id, 4)
  const both = await Promise.allSettled([settle(id, run, credits(1)), settle(id, run, credits(1))])
  expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await pools(id)).toEqual([[9, 0]])
})

test('credits that expire first are held first, spent first, and given back last', async () => {
  const id = await account(
    { amount: 10 },
    { amount: 3, expiresAt: inDays(20) },
    { amount: 2, expiresAt: inDays(1) },
    { amount: 9, expiresAt: inDays(-1) },
  )
  const run = await hold(id, 8)
  expect(await pools(id)).toEqual([
    [7, 3],
    [0, 3],
    [0, 2],
    [9, 0],
  ])
  await settle(id, run, credits(4))
  expect(await pools(id)).toEqual([
    [10, 0],
    [1, 0],
    [0, 0],
    [9, 0],
  ])
})

test('expired credits cannot be held', async () => {
  const id = await account({ amount: 9, expiresAt: inDays(-1) }, { amount: 1 })
  await expect(hold(id, 2)).rejects.toMatchObject({ code: 'insufficient_credits' })
  expect(await pools(id)).toEqual([
    [9, 0],
    [1, 0],
  ])
})

test('settlements that hold the same pools in another order do not deadlock', async () => {
  const id = await account({ amount: 50 }, { amount: 50, expiresAt: inDays(1) })
  const held: string[] = []
  for (let n = 0; n < 20; n += 1) held.push(await hold(id, 5))
  const settled = await Promise.allSettled(
    held.map((run, n) => settle(id, run, n % 2 === 0 ? credits(3) : null)),
  )
  expect(settled.filter((one) => one.status === 'rejected')).toEqual([])
  expect(await balance(id)).toEqual({ availableMicros: credits(70), heldMicros: 0n })
})

test("the month's allowance is given once, however many ask at the same moment", async () => {
  const { id } = await makeAccount(db.database)
  const plan = builtInPlans.of('basic')
  await Promise.all(Array.from({ length: 20 }, () => inTx((tx) => ensureAllowance(tx, id, plan))))
  await inTx((tx) => ensureAllowance(tx, id, plan))
  expect(await pools(id)).toEqual([[1_000, 0]])
  expect(await balance(id)).toEqual({ availableMicros: credits(1_000), heldMicros: 0n })
})

test('an allowance expires with its month, and grants outlive it', async () => {
  const id = await account({ amount: 1 })
  await inTx((tx) => ensureAllowance(tx, id, builtInPlans.of('basic')))
  const { rows } = await db.database.systemPool.query(
    `select kind, expires_at = date_trunc('month', now(), 'UTC') + interval '1 month' as "endsWithMonth"
     from credit_pools where account_id = $1 order by id`,
    [id],
  )
  expect(rows).toEqual([
    { kind: 'grant', endsWithMonth: null },
    { kind: 'allowance', endsWithMonth: true },
  ])
})

test("a higher plan raises this month's allowance at once; a lower one takes none back", async () => {
  const { id } = await makeAccount(db.database)
  const [basic, pro] = [builtInPlans.of('basic'), builtInPlans.of('pro')]
  await inTx((tx) => raiseAllowance(tx, id, basic, pro))
  expect(await balance(id), 'not given yet: the new plan will be').toMatchObject({ availableMicros: 0n })
  await inTx((tx) => ensureAllowance(tx, id, basic))
  await inTx((tx) => raiseAllowance(tx, id, basic, pro))
  expect(await balance(id)).toMatchObject({ availableMicros: pro.monthlyMicros })
  await inTx((tx) => raiseAllowance(tx, id, pro, basic))
  expect(await balance(id)).toMatchObject({ availableMicros: pro.monthlyMicros })
  expect(await checkInvariants(db.database)).toEqual([])
})

test('the database refuses a negative pool, whatever the code does', async () => {
  const id = await account({ amount: 1 })
  for (const column of ['available_micros', 'held_micros']) {
    const change = db.database.systemPool.query(
      `update credit_pools set ${column} = -1 where account_id = $1`,
      [id],
    )
    await expect(change).rejects.toMatchObject({ code: '23514' })
  }
})

test('the invariants see money that appears from nowhere', async () => {
  const id = await account({ amount: 1 })
  const add = (micros: number) =>
    db.database.systemPool.query(
      `update credit_pools set available_micros = available_micros + $2 where account_id = $1`,
      [id, micros],
    )
  await add(5)
  expect(await checkInvariants(db.database)).toEqual([
    expect.stringContaining('a pool holds what its entries say'),
  ])
  await add(-5)
})
