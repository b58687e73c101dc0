import { beforeAll, expect, test } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import { createTurnStore, type TurnStore } from '../../../src/turns/record/turn-store.ts'
import { useDatabase } from '../../support/database.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { admissionOf, admitted, decide, look, start } from '../../support/turns/start.ts'

/** The rate limit of a plan: one instant in the account's row, by the generic cell rate algorithm. */

let store: TurnStore
const db = useDatabase()
beforeAll(async () => {
  store = createTurnStore(db.database)
})

const withRate = (turnsPerMinute: number) =>
  makeCaller(db.database, { turnsPerMinute, concurrentTurns: 1_000, monthlyMicros: 10_000_000_000n })

/** Lets so many seconds pass for the account. */
const pass = ({ principal }: Caller, seconds: number) =>
  db.database.systemPool.query(
    'update accounts set next_start_at = next_start_at - make_interval(secs => $2) where id = $1',
    [principal.accountId, seconds],
  )

/** Starts turns at once. Returns how many were admitted; the others must be refused by the rate limit. */
async function startAtOnce(person: Caller, count: number): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, () => decide(store, admissionOf(person))),
  )
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'rate_limit_exceeded' })
  return results.filter(({ status }) => status === 'fulfilled').length
}

const refusalOf = (person: Caller) =>
  start(db.database, person).then(
    () => {
      throw new Error('admitted')
    },
    (error: ServiceError) => error,
  )

test.each([1, 7, 30])('a plan of %i turns per minute starts so many at once and no more', async (rate) => {
  const person = await withRate(rate)
  const from = performance.now()
  const admitted = await startAtOnce(person, rate + 5)
  const seconds = (performance.now() - from) / 1_000
  expect(admitted).toBeGreaterThanOrEqual(rate)
  expect(admitted).toBeLessThanOrEqual(rate + Math.floor((seconds * rate) / 60))
})

test('after a full minute at once, one turn starts per spacing', async () => {
  const person = await withRate(4)
  expect(await startAtOnce(person, 4)).toBe(4)
  for (let n = 0; n < 4; n += 1) {
    await pass(person, 12)
    expect(await startAtOnce(person, 2)).toBe(0)
    await pass(person, 3)
    expect(await startAtOnce(person, 2)).toBe(1)
  }
  await pass(person, 45)
  expect(await startAtOnce(person, 5)).toBe(3)
  await pass(person, 3_600)
  expect(await startAtOnce(person, 10)).toBe(4)
})

test('a refused turn says when the next one may start, and that is true', async () => {
  const person = await withRate(4)
  expect(await startAtOnce(person, 4)).toBe(4)
  const refusal = await refusalOf(person)
  expect(refusal.retryAfterSeconds).toBe(15)
  expect(refusal.message).toContain('allows 4 turns per minute. Try again in 15 s.')
  await pass(person, 13.5)
  expect((await refusalOf(person)).retryAfterSeconds).toBe(2)
  await pass(person, 1.5)
  await start(db.database, person)
  expect((await refusalOf(person)).retryAfterSeconds).toBe(15)
})

test('a refused turn uses nothing of the rate limit', async () => {
  const person = await withRate(2)
  expect(await startAtOnce(person, 30)).toBe(2)
  await pass(person, 30)
  expect(await startAtOnce(person, 30)).toBe(1)
})

test('a turn that waits in the queue of its session counts when it is sent', async () => {
  const person = await withRate(3)
  const { sessionId } = await start(db.database, person)
  await start(db.database, person, { sessionId })
  await start(db.database, person, { sessionId })
  expect((await refusalOf(person)).code).toBe('rate_limit_exceeded')
})

test('a start in one statement and one with a look use the rate limit alike', async () => {
  const person = await withRate(2)
  // The first start of a month has to look.
  await start(db.database, person)
  await pass(person, 60)
  expect(admitted(await decide(store, admissionOf(person))).admission).toMatchObject({ rule: 'plain' })
  expect(admitted(await look(db.database, admissionOf(person))).admission).toMatchObject({ rule: 'looked' })
  expect(await startAtOnce(person, 1)).toBe(0)
})

test('a plan without turns per minute starts none', async () => {
  const person = await withRate(0)
  expect(await startAtOnce(person, 3)).toBe(0)
})
