import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine, newestAuditEntry } from '../../src/accounts/audit.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { balanceOf, ensureAllowance, grantCredits, listPools } from '../../src/billing/pools.ts'
import { takeCreditsBack } from '../../src/billing/take-back.ts'
import { withTx } from '../../src/db/client.ts'
import { placeHold, settleHold } from '../support/holds.ts'
import { makeAccount } from '../support/world/accounts.ts'
import { openWorld, type StoreWorld } from '../support/world/world.ts'

let world: StoreWorld
let { db } = {} as StoreWorld
beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
})
afterAll(() => world.close())

const credit = 1_000_000n

/** On the plan `free`: 50 credits of this month, and the grants. */
async function accountWith(...grants: bigint[]): Promise<string> {
  const { id } = await makeAccount(db.database, 'free')
  await withTx(db.database, 'system', async (tx) => {
    await ensureAllowance(tx, id, builtInPlans.of('free'))
    for (const micros of grants) await grantCredits(tx, id, micros)
  })
  return id
}
const take = (accountId: string, micros: bigint | 'all', seen?: string) =>
  withTx(db.database, 'system', (tx) =>
    takeCreditsBack(tx, { actor: commandLine, accountId, micros, ...(seen !== undefined && { seen }) }),
  )
const balance = (accountId: string) => balanceOf(db.database.system, accountId)

test('credits that do not expire are taken back before the allowance of the month', async () => {
  const id = await accountWith(10n * credit, 20n * credit)
  expect(await take(id, 25n * credit)).toBe(25n * credit)
  const pools = await listPools(db.database.system, id)
  expect(pools.map((pool) => [pool.kind, pool.availableMicros])).toEqual([
    ['allowance', 50n * credit],
    ['grant', 5n * credit],
  ])
  await take(id, 6n * credit)
  expect((await balance(id)).availableMicros).toBe(49n * credit)
})

test('more than is available is refused, nothing is taken, and what turns hold stays', async () => {
  const id = await accountWith()
  const run = { accountId: id, runId: `run_${id}` }
  await withTx(db.database, 'system', (tx) => placeHold(tx, { ...run, micros: 30n * credit }))
  await expect(take(id, 21n * credit)).rejects.toMatchObject({ code: 'invalid_value' })
  expect(await balance(id)).toEqual({ availableMicros: 20n * credit, heldMicros: 30n * credit })
  expect(await take(id, 'all')).toBe(20n * credit)
  await expect(take(id, 'all')).rejects.toMatchObject({ code: 'invalid_value' })
  await expect(take(id, 1n)).rejects.toMatchObject({ code: 'invalid_value' })
  expect(await balance(id)).toEqual({ availableMicros: 0n, heldMicros: 30n * credit })
  await withTx(db.database, 'system', (tx) => settleHold(tx, { ...run, chargeMicros: 30n * credit }))
  expect(await balance(id)).toEqual({ availableMicros: 0n, heldMicros: 0n })
})

test('holds and credits taken back at once never take more than there is', async () => {
  const id = await accountWith(10n * credit)
  const attempts = Array.from({ length: 40 }, (_, i) =>
    i % 2 === 0
      ? take(id, 7n * credit)
      : withTx(db.database, 'system', (tx) =>
          placeHold(tx, { accountId: id, runId: `run_${id}_${i}`, micros: 5n * credit }),
        ).then(() => 0n),
  )
  const results = await Promise.allSettled(attempts)
  const held = results.filter(({ status }, i) => i % 2 === 1 && status === 'fulfilled').length
  const taken = results.filter(({ status }, i) => i % 2 === 0 && status === 'fulfilled').length
  const left = 60n * credit - BigInt(held) * 5n * credit - BigInt(taken) * 7n * credit
  expect(await balance(id)).toEqual({ availableMicros: left, heldMicros: BigInt(held) * 5n * credit })
  expect(left).toBeLessThan(5n * credit)
})

test('a form that is sent twice takes once', async () => {
  const id = await accountWith(10n * credit)
  const seen = await newestAuditEntry(db.database.system, id)
  const results = await Promise.allSettled([take(id, credit, seen), take(id, credit, seen)])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await balance(id)).availableMicros).toBe(59n * credit)
})
