import { afterEach, expect, test } from 'vitest'
import type { Plans } from '../../../src/accounts/plans.ts'
import { withTx } from '../../../src/db/client.ts'
import { databaseFault } from '../../../src/db/errors.ts'
import { ServiceError } from '../../../src/errors.ts'
import { claimRun } from '../../../src/turns/drive/leases.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { start } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

const world = useStore()
const { db } = world
afterEach(async () => {
  // What a test has left would be claimed in the next one.
  await endAll()
})

const lease = { owner: 'replica_next', seconds: 15 }
/** On a connection of its own, as every replica has. */
const claim = (plans: Plans) => withTx(db.database, 'system', (tx) => claimRun(tx, lease, { plans }))
const end = (run: Run) => endRun(db.database, run)

async function unfinished(): Promise<Run[]> {
  const { rows } = await db.database.systemPool.query<{ id: string }>(
    `select id from runs where status in ('queued', 'in_progress') order by created_at`,
  )
  return Promise.all(rows.map(({ id }) => runOf(id)))
}

async function runOf(id: string): Promise<Run> {
  const { rows } = await db.database.systemPool.query(
    `select id, account_id as "accountId", session_id as "sessionId", epoch, status, event_count as "eventCount",
      step_count as "stepCount", hold_micros as "holdMicros" from runs where id = $1`,
    [id],
  )
  return { ...rows[0], holdMicros: BigInt(rows[0].holdMicros) } as Run
}

async function endAll(): Promise<void> {
  await db.database.systemPool.query(`update runs set status = 'in_progress' where status = 'queued'`)
  for (const run of await unfinished()) await end(run)
}

const running = async (person: Caller) => {
  const { rows } = await db.database.systemPool.query<{ n: number }>(
    `select count(*)::int as n from runs where account_id = $1 and status = 'in_progress'`,
    [person.principal.accountId],
  )
  return rows[0]?.n ?? 0
}

/** The same plan with other bounds, as after a change of plan. */
const withPlaces = (person: Caller, concurrentTurns: number): Plans => {
  const plan = { ...person.principal.plan, concurrentTurns }
  return { names: [plan.name], of: () => plan }
}

/** Sessions each of which has a running turn and another that waits behind it. */
async function busySessions(person: Caller, count: number): Promise<{ first: Run[]; second: Run[] }> {
  const [first, second]: [Run[], Run[]] = [[], []]
  for (let n = 0; n < count; n += 1) {
    const run = await start(db.database, person)
    first.push(run)
    second.push(await start(db.database, person, { sessionId: run.sessionId }))
  }
  return { first, second }
}

test('with all slots taken a turn queues in its session; another session is refused', async () => {
  const person = await makeCaller(db.database, { concurrentTurns: 1, queuedTurns: 2 })
  const first = await start(db.database, person)
  const waiting = await start(db.database, person, { sessionId: first.sessionId })
  expect([first.status, waiting.status]).toEqual(['in_progress', 'queued'])
  await expect(start(db.database, person)).rejects.toMatchObject({ code: 'too_many_concurrent_runs' })
  await start(db.database, person, { sessionId: first.sessionId })
  await expect(start(db.database, person, { sessionId: first.sessionId })).rejects.toMatchObject({
    code: 'session_busy',
  })
})

test('a new turn does not take the place of one that waits', async () => {
  const person = await makeCaller(db.database, { concurrentTurns: 1 })
  const first = await start(db.database, person)
  const waiting = await start(db.database, person, { sessionId: first.sessionId })
  await end(first)
  // Between the end of the one and the claim of the other.
  await expect(start(db.database, person)).rejects.toMatchObject({ code: 'too_many_concurrent_runs' })
  expect(await claim(person.plans)).toMatchObject({ id: waiting.id, status: 'in_progress', epoch: 1 })
  expect(await claim(person.plans)).toBeUndefined()
})

test("queued turns claimed by several replicas at once get at most the plan's slots", async () => {
  const person = await makeCaller(db.database)
  const { first, second } = await busySessions(person, 5)
  for (const run of first) await end(run)
  const smaller = withPlaces(person, 2)
  const claimed = await Promise.all(Array.from({ length: 8 }, () => claim(smaller)))
  const more = [await claim(smaller), await claim(smaller)]
  const taken = [...claimed, ...more].filter((run) => run !== undefined)
  expect(taken).toHaveLength(2)
  expect(await running(person)).toBe(2)
  // Those that waited longest, and the next one when a place is free again.
  expect(taken.map(({ id }) => id).toSorted()).toEqual(
    second
      .slice(0, 2)
      .map(({ id }) => id)
      .toSorted(),
  )
  for (const next of second.slice(2)) {
    expect(await claim(smaller)).toBeUndefined()
    await end((taken.shift() ?? next) as Run)
    const run = await claim(smaller)
    expect(run?.id).toBe(next.id)
    taken.push(run as Run)
  }
})

test('an account whose places are taken keeps no other account waiting', async () => {
  const [full, other] = [await makeCaller(db.database), await makeCaller(db.database)]
  const { first } = await busySessions(full, 3)
  for (const run of first.slice(1)) await end(run)
  const theirs = await busySessions(other, 1)
  for (const run of theirs.first) await end(run)
  // The waiting turns of the full account are older; one of its turns runs.
  expect((await claim(withPlaces(full, 1)))?.id).toBe(theirs.second[0]?.id)
  expect(await claim(withPlaces(full, 1))).toBeUndefined()
})

test('a claim for one account by another replica blocks no other account', async () => {
  const [one, other] = [await makeCaller(db.database), await makeCaller(db.database)]
  const [ours, theirs] = [await busySessions(one, 2), await busySessions(other, 1)]
  for (const run of [...ours.first, ...theirs.first]) await end(run)
  const single = withPlaces(one, 1)
  await withTx(db.database, 'system', async (tx) => {
    expect((await claimRun(tx, lease, { plans: single }))?.id).toBe(ours.second[0]?.id)
    // That claim is not committed: who counts now does not see it.
    expect((await claim(single))?.id).toBe(theirs.second[0]?.id)
    expect(await claim(single)).toBeUndefined()
  })
  expect(await claim(single)).toBeUndefined()
})

test('a run whose owner died is taken over although all slots are taken', async () => {
  const person = await makeCaller(db.database)
  const { first } = await busySessions(person, 2)
  await db.database.systemPool.query(
    `update runs set lease_expires_at = now() - interval '1 second' where id = $1`,
    [first[1]?.id],
  )
  expect(await claim(withPlaces(person, 1))).toMatchObject({ id: first[1]?.id, epoch: 2 })
  expect(await claim(withPlaces(person, 1))).toBeUndefined()
})

test('a cancelled or overdue queued turn is claimed to be ended at any time', async () => {
  const person = await makeCaller(db.database)
  const { first, second } = await busySessions(person, 3)
  await end(first[2] as Run)
  await db.database.systemPool.query(`update runs set cancel_requested_at = now() where id = $1`, [
    second[0]?.id,
  ])
  await db.database.systemPool.query(`update runs set deadline_at = now() where id = $1`, [second[2]?.id])
  const full = withPlaces(person, 1)
  const claimed = [await claim(full), await claim(full), await claim(full)]
  expect(claimed.map((run) => run?.id)).toEqual([second[0]?.id, second[2]?.id, undefined])
})

/** A replica without a driver: starts turns in few sessions, and ends at once what it owns. */
class Replica {
  readonly owned: Run[] = []
  readonly faults: unknown[] = []
  readonly refusals: string[] = []
  started = 0
  readonly #person: Caller
  readonly #sessions: string[]

  constructor(person: Caller, sessions: string[]) {
    this.#person = person
    this.#sessions = sessions
  }

  async startSome(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      // Every third in a new session.
      const sessionId = n % 3 === 0 ? undefined : this.#sessions.at(-1 - (n % 2))
      await start(db.database, this.#person, sessionId === undefined ? {} : { sessionId }).then(
        (run) => this.#own(run),
        (error: unknown) => this.#note(error),
      )
    }
  }

  async work(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const run = await claim(this.#person.plans).catch((error: unknown) => this.#note(error))
      if (run) this.owned.push(run)
      const done = this.owned.shift()
      if (done) await end(done).catch((error: unknown) => this.#note(error))
    }
  }

  #own(run: Run): void {
    this.started += 1
    this.#sessions.push(run.sessionId)
    if (run.status === 'in_progress') this.owned.push(run)
  }

  #note(error: unknown): undefined {
    if (error instanceof ServiceError) this.refusals.push(error.code)
    else this.faults.push(databaseFault(error) ?? error)
  }
}

test('slots are never exceeded and no turn is stuck in any order of starts and claims', async () => {
  const bounds = { concurrentTurns: 2, queuedTurns: 3, turnsPerMinute: 10_000 }
  const person = await makeCaller(db.database, bounds)
  const sessions: string[] = []
  const replicas = [1, 2, 3].map(() => new Replica(person, sessions))
  const over = new AbortController()
  const counts: number[] = []
  const count = async () => {
    while (!over.signal.aborted) counts.push(await running(person))
  }
  const working = [count(), ...replicas.map((replica) => replica.work(over.signal))]
  await Promise.all(replicas.map((replica) => replica.startSome(30)))
  await expect.poll(async () => (await unfinished()).length).toBe(0)
  over.abort()
  await Promise.all(working)
  expect(replicas.flatMap(({ faults }) => faults)).toEqual([])
  expect(Math.max(...counts)).toBe(bounds.concurrentTurns)
  expect(replicas.reduce((sum, { started }) => sum + started, 0)).toBeGreaterThan(20)
  expect(replicas.flatMap(({ refusals }) => refusals)).toContain('too_many_concurrent_runs')
})
