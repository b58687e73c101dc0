import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { KeySettings } from '../../../src/accounts/keys/key-settings.ts'
import type { Plan } from '../../../src/accounts/plans.ts'
import { creditsOf, grantCredits } from '../../../src/billing/account-credits.ts'
import { type Database, openDatabase, withTx } from '../../../src/db/client.ts'
import { endOf } from '../../../src/turns/record/finish-run.ts'
import { createTurnStore, type TurnStore, writeToRun } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { seededRandom } from '../../support/random.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { emptyEnd, journalOf } from '../../support/turns/journal.ts'
import { admissionOf, admitted, decide, plainInput } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

/** Many turns of one account at once over two replicas. After each test the rules of money and runs must hold. */

let databases: readonly Database[]
let replicas: readonly { readonly database: Database; readonly store: TurnStore }[]

const world = useStore()
const { db } = world
beforeAll(async () => {
  databases = [0, 1].map(() =>
    openDatabase({ url: db.url, onIdleError: () => undefined, maxConnections: 24 }),
  )
  replicas = databases.map((database) => ({ database, store: createTurnStore(database) }))
})
afterEach(async () => {
  expect(await world.broken()).toEqual([])
})
afterAll(() => Promise.all(databases.map((database) => database.close())))

const credit = 1_000_000n

/** An account with only so many granted credits. */
async function withCredits(credits: bigint, plan: Partial<Plan>): Promise<Caller> {
  const open = { turnsPerMinute: 100_000, concurrentTurns: 100_000, monthlyMicros: 0n }
  const person = await makeCaller(db.database, { ...open, ...plan })
  await withTx(db.database, 'system', (tx) => grantCredits(tx, person.principal.accountId, credits * credit))
  return person
}

/**
 * Sends starts to both replicas. Returns the runs, and the errors by code: refusals, and on a busy machine starts that got
 * no connection in time.
 */
async function startAtOnce(person: Caller, count: number) {
  const results = await Promise.allSettled(
    Array.from({ length: count }, async (_, i) => {
      const { store } = replicas[i % 2] as (typeof replicas)[number]
      const input = plainInput({ firstCallMicros: credit })
      return admitted(await decide(store, admissionOf(person, { input })))
    }),
  )
  const refused: Record<string, number> = {}
  const runs: Run[] = []
  for (const result of results) {
    if (result.status === 'fulfilled') runs.push(result.value)
    else refused[result.reason.code] = (refused[result.reason.code] ?? 0) + 1
  }
  return { runs, refused }
}

const stateOf = async ({ principal }: Caller) => {
  const { rows } = await db.database.systemPool.query<{ open: number }>(
    'select open_turns as open from accounts where id = $1',
    [principal.accountId],
  )
  const { grantedMicros, heldMicros } = await withTx(db.database, 'system', (tx) =>
    creditsOf(tx, principal.accountId),
  )
  return { open: rows[0]?.open, granted: grantedMicros / credit, held: heldMicros / credit }
}

test('of 200 starts at once over two replicas credits admit what they pay', async () => {
  const person = await withCredits(37n, {})
  const { runs, refused } = await startAtOnce(person, 200)
  expect(runs).toHaveLength(37)
  expect(refused).toHaveProperty('insufficient_credits')
  expect(await stateOf(person)).toEqual({ open: 37, granted: 0n, held: 37n })
})

test('of 200 starts at once over two replicas so many run as there are slots', async () => {
  const person = await withCredits(1_000n, { concurrentTurns: 23 })
  const { runs, refused } = await startAtOnce(person, 200)
  expect(runs).toHaveLength(23)
  expect(refused).toHaveProperty('too_many_concurrent_runs')
  expect(await stateOf(person)).toEqual({ open: 23, granted: 977n, held: 23n })
})

test('of 200 starts at once over two replicas so many run as a minute allows', async () => {
  const person = await withCredits(1_000n, { turnsPerMinute: 10 })
  const { runs, refused } = await startAtOnce(person, 200)
  expect(runs).toHaveLength(10)
  expect(refused).toHaveProperty('rate_limit_exceeded')
  expect(await stateOf(person)).toEqual({ open: 10, granted: 990n, held: 10n })
})

test.each<[string, Partial<KeySettings>, string]>([
  ['a spending cap', { dayCapMicros: 9n * credit }, 'key_cap_reached'],
  ['turns per minute', { requestsPerMinute: 9 }, 'rate_limit_exceeded'],
  ['slots', { concurrentTurns: 9 }, 'too_many_concurrent_runs'],
])(
  'of 100 starts at once over two replicas a key starts what its limit of %s allows',
  async (_, limit, code) => {
    const person = await withCredits(1_000n, {})
    const keyed = { ...person, principal: await withKey(db.database, person, limit) }
    const { runs, refused } = await startAtOnce(keyed, 100)
    expect(runs).toHaveLength(9)
    expect(refused).toHaveProperty(code)
  },
)

test('extensions at once over two replicas hold no more than the account has', async () => {
  const person = await withCredits(60n, {})
  const { runs } = await startAtOnce(person, 40)
  const held = await Promise.all(
    runs.map(async (run, i) => {
      const journal = journalOf((replicas[i % 2] as (typeof replicas)[number]).database, run)
      const { isHeld } = await journal.prepareCall(credit)
      await journal.close()
      return isHeld
    }),
  )
  expect(held.filter((isHeld) => isHeld)).toHaveLength(20)
  expect(await stateOf(person)).toEqual({ open: 40, granted: 0n, held: 60n })
})

test('starts, extensions and ends at once never exceed slots and credits', async () => {
  const random = seededRandom(41)
  const person = await withCredits(400n, { concurrentTurns: 12 })
  let open = 0
  let highest = 0
  let ended = 0
  const codes = new Set<string>()
  const turn = async (lane: number) => {
    const { store, database } = replicas[lane % 2] as (typeof replicas)[number]
    const input = plainInput({ firstCallMicros: credit })
    const run = admitted(await decide(store, admissionOf(person, { input })))
    open += 1
    highest = Math.max(highest, open)
    const journal = journalOf(database, run)
    if (random.chance(0.7)) await journal.prepareCall(credit)
    const { holdMicros } = journal
    const cost = random.chance(0.5) ? holdMicros : holdMicros / 3n
    const usage = { promptTokens: 1, completionTokens: 1, estimated: false }
    const record = { kind: 'model', text: 'x', toolCalls: [], reason: 'stop', usage } as const
    // The row counts the turn until its end is committed.
    open -= 1
    const { owned } = await writeToRun(
      store.sendTo(run.accountId),
      { ...run, holdMicros },
      { events: [], steps: [{ record, costMicros: cost }] },
      { kind: 'end', row: endOf(run, emptyEnd(cost)) },
    )
    expect(owned).toBe(true)
    await journal.close()
    ended += 1
  }
  const lane = async (n: number) => {
    for (let i = 0; i < 12; i += 1)
      await turn(n).catch((error: { code?: string }) => {
        if (error.code === undefined) throw error
        codes.add(error.code)
      })
  }
  await Promise.all(Array.from({ length: 24 }, (_, n) => lane(n)))
  expect(highest).toBeLessThanOrEqual(12)
  expect(ended).toBeGreaterThan(100)
  for (const code of codes) expect(['too_many_concurrent_runs', 'insufficient_credits']).toContain(code)
  expect(await stateOf(person)).toMatchObject({ open: 0, held: 0n })
})
