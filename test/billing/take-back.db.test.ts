import { expect, test } from 'vitest'
import { commandLine, newestAuditEntry } from '../../src/accounts/audit.ts'
import { creditsOf, ensureAllowance, grantCredits } from '../../src/billing/account-credits.ts'
import { takeCreditsBack } from '../../src/billing/take-back.ts'
import { withTx } from '../../src/db/client.ts'
import { placeHold, settleHold } from '../support/holds.ts'
import { type Caller, makeCaller } from '../support/turns/caller.ts'
import { useStore } from '../support/world/store.ts'

const world = useStore()
const { db } = world

const credit = 1_000_000n

/** With 50 credits of this month, and the grants. */
async function accountWith(...grants: bigint[]): Promise<Caller> {
  const limits = { monthlyMicros: 50n * credit, turnsPerMinute: 1_000, concurrentTurns: 100 }
  const person = await makeCaller(db.database, limits)
  const { accountId, plan } = person.principal
  await withTx(db.database, 'system', async (tx) => {
    await ensureAllowance(tx, accountId, plan)
    for (const micros of grants) await grantCredits(tx, accountId, micros)
  })
  return person
}
const take = ({ principal: { accountId } }: Caller, micros: bigint | 'all', seen?: string) =>
  withTx(db.database, 'system', (tx) =>
    takeCreditsBack(tx, { actor: commandLine, accountId, micros, ...(seen !== undefined && { seen }) }),
  )
/** Allowance, granted and held credits. */
const has = async ({ principal: { accountId } }: Caller) => {
  const { allowanceMicros, grantedMicros, heldMicros } = await creditsOf(db.database.system, accountId)
  return [allowanceMicros, grantedMicros, heldMicros].map((micros) => Number(micros / credit))
}

test('more than is available is refused, nothing is taken, and what turns hold stays', async () => {
  const person = await accountWith()
  const run = await placeHold(db.database, person, 30n * credit)
  await expect(take(person, 21n * credit)).rejects.toMatchObject({ code: 'invalid_value' })
  expect(await has(person)).toEqual([20, 0, 30])
  expect(await take(person, 'all')).toBe(20n * credit)
  await expect(take(person, 'all')).rejects.toMatchObject({ code: 'invalid_value' })
  await expect(take(person, 1n)).rejects.toMatchObject({ code: 'invalid_value' })
  expect(await has(person)).toEqual([0, 0, 30])
  await settleHold(db.database, run, 30n * credit)
  expect(await has(person)).toEqual([0, 0, 0])
})

test('an allowance of an earlier month cannot be taken back', async () => {
  const person = await accountWith(10n * credit)
  await world.rows(
    `update accounts set allowance_month = allowance_month - interval '1 month' where id = $1`,
    person.principal.accountId,
  )
  await expect(take(person, 11n * credit)).rejects.toMatchObject({ code: 'invalid_value' })
  expect(await take(person, 'all')).toBe(10n * credit)
  expect(await has(person)).toEqual([0, 0, 0])
})

test('holds and credits taken back at once never take more than there is', async () => {
  const person = await accountWith(10n * credit)
  const attempts = Array.from({ length: 40 }, (_, i) =>
    i % 2 === 0 ? take(person, 7n * credit) : placeHold(db.database, person, 5n * credit),
  )
  const results = await Promise.allSettled(attempts)
  const held = results.filter(({ status }, i) => i % 2 === 1 && status === 'fulfilled').length
  const taken = results.filter(({ status }, i) => i % 2 === 0 && status === 'fulfilled').length
  const left = 60 - 5 * held - 7 * taken
  const [allowance = 0, granted = 0, holds] = await has(person)
  expect([allowance + granted, holds]).toEqual([left, 5 * held])
  expect(left).toBeLessThan(5)
})

test('a form that is sent twice takes once', async () => {
  const person = await accountWith(10n * credit)
  const seen = await newestAuditEntry(db.database.system, person.principal.accountId)
  const results = await Promise.allSettled([take(person, credit, seen), take(person, credit, seen)])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await has(person)).toEqual([50, 9, 0])
})
