import { afterAll, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import {
  type AccountCredits,
  creditsOf,
  ensureAllowance,
  grantCredits,
  raiseAllowance,
} from '../../src/billing/account-credits.ts'
import { type Executor, withTx } from '../../src/db/client.ts'
import type { Run } from '../../src/turns/run/run.ts'
import { useDatabase } from '../support/database.ts'
import { placeHold, settleHold } from '../support/holds.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type Caller, makeCaller } from '../support/turns/caller.ts'
import { makeAccount } from '../support/world/accounts.ts'

const db = useDatabase()
afterAll(async () => {
  expect(await checkInvariants(db.database)).toEqual([])
})

const credits = (n: number) => BigInt(n) * 1_000_000n
const inTx = <T>(work: (tx: Executor) => Promise<T>) => withTx(db.database, 'system', work)

/** An account with this month's allowance and granted credits, in whole credits. */
async function account({ allowance = 0, granted = 0 }): Promise<Caller> {
  const limits = { monthlyMicros: credits(allowance), turnsPerMinute: 1_000, concurrentTurns: 100 }
  const person = await makeCaller(db.database, limits)
  const { accountId, plan } = person.principal
  await inTx(async (tx) => {
    await ensureAllowance(tx, accountId, plan)
    if (granted > 0) await grantCredits(tx, accountId, credits(granted))
  })
  return person
}

const hold = (person: Caller, amount: number): Promise<Run> => placeHold(db.database, person, credits(amount))
const settle = (run: Run, charge: number | null) =>
  settleHold(db.database, run, charge === null ? null : credits(charge))

/** Allowance, granted and held credits. */
async function has({ principal: { accountId } }: Caller): Promise<readonly number[]> {
  const row: AccountCredits = await inTx((tx) => creditsOf(tx, accountId))
  return [row.allowanceMicros, row.grantedMicros, row.heldMicros].map((micros) => Number(micros) / 1_000_000)
}

/** The rows of an account or run in the ledger: kind, and changes of allowance and granted credits. */
async function entries(id: string): Promise<readonly (readonly [string, number, number])[]> {
  const { rows } = await db.database.systemPool.query<{ kind: string; allowance: string; granted: string }>(
    `select kind, allowance_micros::text as allowance, granted_micros::text as granted from ledger
     where $1 in (account_id, run_id) order by id`,
    [id],
  )
  return rows.map(({ kind, allowance, granted }) => [
    kind,
    Number(allowance) / 1_000_000,
    Number(granted) / 1_000_000,
  ])
}

/** As if the account's last allowance had been given in the month before. */
const endMonth = ({ principal: { accountId } }: Caller) =>
  db.database.systemPool.query(
    `update accounts set allowance_month = allowance_month - interval '1 month' where id = $1`,
    [accountId],
  )

test('a charge above the hold is refused and nothing changes', async () => {
  const person = await account({ granted: 10 })
  const run = await hold(person, 4)
  await expect(settle(run, 5)).rejects.toMatchObject({ code: '23514', constraint: 'runs_cost' })
  expect(await has(person)).toEqual([0, 6, 4])
  await settle(run, null)
})

test.each([
  ['charged', 1],
  ['free', null],
])('a second end of a run that was %s changes nothing', async (_, charge) => {
  const person = await account({ granted: 10 })
  const run = await hold(person, 4)
  await settle(run, charge)
  const before = [await has(person), await entries(run.id)]
  for (const again of [null, 0, 2]) expect(await settle(run, again)).toBe(false)
  expect([await has(person), await entries(run.id)]).toEqual(before)
})

test('the database refuses a second charge of a run', async () => {
  const person = await account({ granted: 10 })
  const run = await hold(person, 4)
  await settle(run, 1)
  const again = db.database.systemPool.query(
    `insert into ledger (account_id, run_id, kind, allowance_micros, granted_micros) values ($1, $2, 'charge', 0, 0)`,
    [run.accountId, run.id],
  )
  await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'ledger_one_charge' })
})

test('of two ends at the same moment one wins', async () => {
  const person = await account({ granted: 10 })
  const run = await hold(person, 4)
  const both = await Promise.all([settle(run, 1), settle(run, 1)])
  expect(both.toSorted()).toEqual([false, true])
  expect(await has(person)).toEqual([0, 9, 0])
})

test('the allowance is held first, spent first, and given back last', async () => {
  const person = await account({ allowance: 5, granted: 10 })
  const run = await hold(person, 8)
  expect(await has(person)).toEqual([0, 7, 8])
  await settle(run, 6)
  expect(await has(person)).toEqual([0, 9, 0])
  expect(await entries(run.id)).toEqual([['charge', -5, -1]])
})

test("the month's allowance is given once, however many ask at the same moment", async () => {
  const person = await makeCaller(db.database, { monthlyMicros: credits(1_000) })
  const { accountId, plan } = person.principal
  const ensure = () => inTx((tx) => ensureAllowance(tx, accountId, plan))
  await Promise.all(Array.from({ length: 20 }, ensure))
  await ensure()
  expect(await has(person)).toEqual([1_000, 0, 0])
  expect(await entries(accountId)).toEqual([['allowance', 1_000, 0]])
})

test('an allowance expires with its month, and granted credits outlive it', async () => {
  const person = await account({ allowance: 9, granted: 1 })
  await endMonth(person)
  expect(await has(person)).toEqual([0, 1, 0])
  await settle(await hold(person, 3), 3)
  expect(await has(person)).toEqual([6, 1, 0])
  const { accountId } = person.principal
  expect((await entries(accountId)).slice(2)).toEqual([
    ['expire', -9, 0],
    ['allowance', 9, 0],
    ['charge', -3, 0],
  ])
})

test('an expired allowance cannot be held, on a plan that gives none', async () => {
  const person = await account({ allowance: 9, granted: 1 })
  await endMonth(person)
  const plan = { ...person.principal.plan, monthlyMicros: 0n }
  const poor: Caller = {
    principal: { ...person.principal, plan },
    plans: { names: [plan.name], of: () => plan },
  }
  await expect(hold(poor, 2)).rejects.toMatchObject({ code: 'insufficient_credits' })
  expect(await has(person)).toEqual([0, 1, 0])
})

test('what a turn gives back of the allowance after the month goes to the new one', async () => {
  const person = await account({ allowance: 9 })
  const run = await hold(person, 5)
  await endMonth(person)
  await settle(await hold(person, 1), 1)
  expect(await has(person)).toEqual([8, 0, 5])
  await settle(run, 2)
  expect(await has(person)).toEqual([11, 0, 0])
})

test("a higher plan raises this month's allowance at once; a lower one takes none back", async () => {
  const { id } = await makeAccount(db.database, 'basic')
  const [basic, pro] = [builtInPlans.of('basic'), builtInPlans.of('pro')]
  const changeTo = (plan: typeof basic) => inTx((tx) => raiseAllowance(tx, id, plan))
  const allowance = async () => (await inTx((tx) => creditsOf(tx, id))).allowanceMicros
  await changeTo(pro)
  expect(await allowance(), 'not given yet: the new plan will be').toBe(0n)
  await inTx((tx) => ensureAllowance(tx, id, basic))
  await changeTo(pro)
  expect(await allowance()).toBe(pro.monthlyMicros)
  await changeTo(basic)
  expect(await allowance()).toBe(pro.monthlyMicros)
  await changeTo(pro)
  expect(await allowance(), 'not given again').toBe(pro.monthlyMicros)
})

test('a request that knows only the former plan of an account gives no allowance', async () => {
  const { id } = await makeAccount(db.database, 'pro')
  const ensure = (plan: string) => inTx((tx) => ensureAllowance(tx, id, builtInPlans.of(plan)))
  await ensure('basic')
  expect(await entries(id)).toEqual([])
  await ensure('pro')
  expect(await entries(id)).toEqual([['allowance', Number(builtInPlans.of('pro').monthlyMicros) / 1e6, 0]])
})

test('the database refuses a negative amount of an account, whatever the code does', async () => {
  const { principal } = await account({ granted: 1 })
  for (const column of ['allowance_micros', 'granted_micros', 'held_micros', 'open_turns']) {
    const change = db.database.systemPool.query(`update accounts set ${column} = -1 where id = $1`, [
      principal.accountId,
    ])
    await expect(change).rejects.toMatchObject({ code: '23514' })
  }
})

test.each([
  ['charge', 1, 0],
  ['take_back', 0, 1],
  ['grant', 0, -1],
])('the database refuses a row of kind %s with the wrong sign', async (kind, allowance, granted) => {
  const write = db.database.systemPool.query(
    `insert into ledger (account_id, kind, allowance_micros, granted_micros) values ('a', $1, $2, $3)`,
    [kind, allowance, granted],
  )
  await expect(write).rejects.toMatchObject({ code: '23514', constraint: 'ledger_signs' })
})
