import { expect, test } from 'vitest'
import type { KeySettings } from '../../../src/accounts/keys/key-settings.ts'
import { changeKey } from '../../../src/accounts/keys/keys.ts'
import { readKeySpending } from '../../../src/billing/key-spending.ts'
import { withTx } from '../../../src/db/client.ts'
import { holdRefusal } from '../../../src/turns/drive/call-budget.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { useDatabase } from '../../support/database.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { journalOf } from '../../support/turns/journal.ts'
import { type StartOptions, start } from '../../support/turns/start.ts'

const credits = (amount: number) => BigInt(Math.round(amount * 1_000_000))

const db = useDatabase()

type KeyedCaller = Caller & { readonly keyId: string }

async function withLimits(settings: Partial<KeySettings>, plan = {}): Promise<KeyedCaller> {
  const person = await makeCaller(db.database, { concurrentTurns: 100, turnsPerMinute: 1_000, ...plan })
  return secondKey(person, settings)
}

async function secondKey(person: Caller, settings: Partial<KeySettings>): Promise<KeyedCaller> {
  const principal = await withKey(db.database, person, settings)
  return { ...person, principal, keyId: principal.keyId ?? '' }
}

const startOf = (person: Caller, options: StartOptions = {}) =>
  start(db.database, person, { firstCallMicros: credits(2), ...options })

const spendingOf = ({ principal, keyId }: KeyedCaller) =>
  withTx(db.database, principal, (tx) => readKeySpending(tx, { accountId: principal.accountId, keyId }))

/** A charge, without the run and the hold that it would have. `day`: an SQL date. */
async function charge({ principal, keyId }: KeyedCaller, micros: bigint, day = 'today'): Promise<void> {
  await db.database.systemPool.query(
    `insert into key_spending as s (key_id, account_id, day, micros)
    select $1, $2, (${day})::date, $3 from (select (now() at time zone 'UTC')::date as today) t
    on conflict (key_id, day) do update set micros = s.micros + excluded.micros`,
    [keyId, principal.accountId, micros],
  )
}

const refusals = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as { code?: string }).code ?? result.reason] : [],
  )

test('of many turns started at once a cap admits those whose holds fit together', async () => {
  const person = await withLimits({ dayCapMicros: credits(9) })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => startOf(person)))
  expect(refusals(results)).toEqual(Array.from({ length: 16 }, () => 'key_cap_reached'))
  expect(await spendingOf(person)).toMatchObject({ day: 0n, held: credits(8) })
})

test('a turn that reaches a cap exactly is admitted, and one above it is not', async () => {
  const person = await withLimits({ totalCapMicros: credits(5) })
  await charge(person, credits(1))
  await startOf(person)
  await expect(startOf(person, { firstCallMicros: credits(2) + 1n })).rejects.toMatchObject({
    code: 'key_cap_reached',
  })
  await startOf(person, { firstCallMicros: credits(2) })
  expect(await spendingOf(person)).toMatchObject({ total: credits(1), held: credits(4) })
})

test('a cap of zero refuses every turn of its key, and no turn of another key', async () => {
  const person = await withLimits({ monthCapMicros: 0n })
  await expect(startOf(person)).rejects.toMatchObject({ code: 'key_cap_reached' })
  const other = await secondKey(person, {})
  expect((await startOf(other)).apiKeyId).toBe(other.keyId)
})

test('the refusal names the cap that refuses longest, what it leaves, and its end', async () => {
  const person = await withLimits({ dayCapMicros: credits(1.5), monthCapMicros: credits(4) })
  const now = new Date()
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  const tomorrow = new Date(now.getTime() + 86_400_000).toISOString()
  await expect(startOf(person)).rejects.toThrow(
    `The turn needs a hold of 2 credits, but the cap of 1.5 credits per day of this API key leaves 1.5. Wait until ${tomorrow.slice(0, 10)} (UTC), or raise the cap`,
  )
  await charge(person, credits(2.5))
  await expect(startOf(person)).rejects.toThrow(
    `the cap of 4 credits per month of this API key leaves 1.5. Wait until ${nextMonth.slice(0, 10)} (UTC)`,
  )
})

test('a refusal by a cap for the life of a key says to raise it', async () => {
  const person = await withLimits({ totalCapMicros: credits(1), dayCapMicros: credits(1) })
  await expect(startOf(person)).rejects.toThrow(
    'the cap of 1 credits in all of this API key leaves 1. Raise the cap',
  )
})

test('a changed cap counts from the next turn on', async () => {
  const person = await withLimits({})
  await startOf(person)
  const settings = { dayCapMicros: credits(3), monthCapMicros: null, totalCapMicros: null }
  const limits = { requestsPerMinute: null, concurrentTurns: null, allowedAddresses: null, defaults: {} }
  const change = { name: 'k', settings: { ...settings, ...limits } }
  await withTx(db.database, person.principal, (tx) => changeKey(tx, person.keyId, change))
  await expect(startOf(person)).rejects.toMatchObject({ code: 'key_cap_reached' })
})

/** Whether the hold could be extended. */
const extend = async (run: Run, more: bigint) => {
  const journal = journalOf(db.database, run)
  const { isHeld } = await journal.prepareCall(more)
  await journal.close()
  return isHeld
}

test('a hold grows up to the cap exactly, and not beyond it', async () => {
  const person = await withLimits({ dayCapMicros: credits(3.5) })
  const run = await startOf(person)
  expect(await extend(run, credits(1.5) + 1n)).toBe(false)
  const signal = new AbortController().signal
  expect(await holdRefusal(db.database, run, credits(1.5) + 1n, signal)).toContain(
    'the cap of 3.5 credits per day of its API key',
  )
  expect(await extend(run, credits(1.5))).toBe(true)
  expect(await spendingOf(person)).toMatchObject({ held: credits(3.5) })
})

test('holds that grow at the same time share the room under a cap', async () => {
  const person = await withLimits({ monthCapMicros: credits(11) })
  const runs = await Promise.all(Array.from({ length: 4 }, () => startOf(person)))
  const results = await Promise.all(runs.map((run) => extend(run, credits(1))))
  expect(results.filter((isHeld) => isHeld)).toHaveLength(3)
  expect(await spendingOf(person)).toMatchObject({ held: credits(11) })
})

test('a charge counts for its day and its month in UTC', async () => {
  const person = await withLimits({})
  await charge(person, 1n, "date_trunc('month', today) - interval '1 day'")
  await charge(person, 10n, "date_trunc('month', today)")
  await charge(person, 100n)
  const { rows } = await db.database.systemPool.query<{ first: boolean }>(
    "select extract(day from now() at time zone 'UTC') = 1 as first",
  )
  const day = rows[0]?.first ? 110n : 100n
  expect(await spendingOf(person)).toEqual({ day, month: 110n, total: 111n, held: 0n })
})

test('what was spent before today leaves the cap of the day free', async () => {
  const person = await withLimits({ dayCapMicros: credits(2), totalCapMicros: credits(6) })
  await charge(person, credits(2), 'today - 40')
  await startOf(person)
  await expect(startOf(person)).rejects.toThrow('per day')
})

test('a key starts as many turns per minute as it may, whatever the plan allows', async () => {
  const person = await withLimits({ requestsPerMinute: 3 })
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => startOf(person)))
  expect(refusals(results)).toEqual(Array.from({ length: 3 }, () => 'rate_limit_exceeded'))
  const refusal = await startOf(person).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    message: expect.stringContaining('This API key allows 3 requests per minute'),
  })
  const { retryAfterSeconds } = refusal as { retryAfterSeconds: number }
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(1)
  expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  await startOf(await secondKey(person, {}))
  // The turns were a minute ago.
  await db.database.systemPool.query(
    `update runs set created_at = created_at - interval '1 minute' where api_key_id = $1`,
    [person.keyId],
  )
  await startOf(person)
})

test('a key has as many sessions with an unfinished turn as it may', async () => {
  const person = await withLimits({ concurrentTurns: 2 })
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => startOf(person)))
  expect(refusals(results)).toEqual(Array.from({ length: 3 }, () => 'too_many_concurrent_runs'))
  await expect(startOf(person)).rejects.toThrow('This API key allows 2 concurrent turns')
  const [first] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect((await startOf(person, { sessionId: first?.sessionId ?? '' })).status).toBe('queued')
  await startOf(await secondKey(person, {}))
})
