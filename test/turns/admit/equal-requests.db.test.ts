import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import type { Admitted, Decision } from '../../../src/turns/admit/admission-types.ts'
import { createTurnStore, recordDisconnect, type TurnStore } from '../../../src/turns/record/turn-store.ts'
import { presenceSession, replicaHasEnded } from '../../../src/turns/replicas/presence.ts'
import { openSignals, type Signals } from '../../../src/turns/replicas/signals.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { admissionOf, decide, plainInput } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

/** Which equal requests repeat a run, and which start one. `here` and `there` are two living replicas. */

const [here, there, ended] = ['replica_here', 'replica_there', 'replica_ended'] as const
let person: Caller
let second: Database
let stores: Readonly<Record<string, TurnStore>>
let living: readonly Signals[] = []

const { db } = useStore()
beforeAll(async () => {
  second = openDatabase({ url: db.url, onIdleError: () => undefined })
  stores = { [here]: createTurnStore(db.database), [there]: createTurnStore(second) }
  living = [here, there].map((replica) =>
    openSignals(db.database.system, db.url, pino({ level: 'silent' }), { session: presenceSession(replica) }),
  )
  for (const replica of [here, there])
    await vi.waitUntil(async () => !(await replicaHasEnded(db.database.system, replica)))
})
beforeEach(async () => {
  person = await makeCaller(db.database, { concurrentTurns: 100 })
  person = { ...person, principal: await withKey(db.database, person) }
})
afterAll(async () => {
  await Promise.all(living.map((signals) => signals.close()))
  await second.close()
})

type Request = {
  readonly at?: string
  readonly hash?: number
  readonly key?: string
  readonly retried?: boolean
  readonly isLast?: boolean
  readonly by?: Caller
}

/** A request to a replica. All are equal unless their hashes differ. */
function request({ at = here, hash = 1, key, retried = false, isLast = false, by = person }: Request = {}) {
  const input = { ...plainInput(), identity: { hash: Buffer.alloc(32, hash), key, retried } }
  const admission = admissionOf(by, { clientAt: at, lease: { owner: at, seconds: 15 }, input })
  return decide(stores[at] ?? (stores[here] as TurnStore), admission, isLast)
}

const runIn = (decision: Decision) => {
  expect(decision.kind).toBe('admitted')
  return (decision as Admitted).run
}

const disconnect = (runId: string, at: string = here) =>
  recordDisconnect((stores[at] as TurnStore).sendTo(person.principal.accountId), runId, at)

/** Moves an instant of the run to the past. */
const age = (runId: string, column: 'created_at' | 'finished_at' | 'client_closed_at', seconds: number) =>
  db.database.systemPool.query(
    `update runs set ${column} = ${column} - make_interval(secs => $2) where id = $1`,
    [runId, seconds],
  )

test('equal requests on open connections to one replica are a turn each', async () => {
  const runs = await Promise.all(Array.from({ length: 5 }, async () => runIn(await request())))
  expect(new Set(runs.map(({ id }) => id)).size).toBe(5)
  await endRun(db.database, runs[0] as Admitted['run'])
  runIn(await request())
})

test('a request that its client marks as a retry repeats the newest equal run', async () => {
  runIn(await request())
  const newest = runIn(await request())
  await endRun(db.database, newest)
  const rule = 'marked_as_retry'
  expect(await request({ retried: true, at: there })).toEqual({ kind: 'repeated', runId: newest.id, rule })
  runIn(await request({ retried: true, hash: 2 }))
})

test('a retry repeats the run whose client disconnected, and the next request does not', async () => {
  const { id: runId } = runIn(await request())
  expect(await disconnect(runId)).toBe(true)
  expect(await request({ at: there })).toEqual({ kind: 'repeated', runId, rule: 'client_disconnected' })
  // The first connection is reported late: the client has another one by now.
  expect(await disconnect(runId)).toBe(false)
  runIn(await request({ at: there }))
})

test('20 retries at once over two replicas find 20 runs, and the 21st starts one', async () => {
  const runs = await Promise.all(Array.from({ length: 20 }, async () => runIn(await request())))
  await Promise.all(runs.map(({ id }) => disconnect(id)))
  const retries = await Promise.all(runs.map((_, i) => request({ at: i % 2 ? here : there, isLast: true })))
  const found = retries.map((one) => (one.kind === 'repeated' ? one.runId : one.kind))
  expect(found.toSorted()).toEqual(runs.map(({ id }) => id).toSorted())
  runIn(await request({ isLast: true }))
})

test('a connection closed after a whole reply counts as a lost reply for 10 seconds', async () => {
  const run = runIn(await request())
  await endRun(db.database, run)
  await disconnect(run.id)
  await age(run.id, 'finished_at', 6)
  await age(run.id, 'client_closed_at', 5)
  expect(await request()).toMatchObject({ kind: 'repeated', runId: run.id })
  await disconnect(run.id)
  await age(run.id, 'client_closed_at', 11)
  await age(run.id, 'finished_at', 11)
  runIn(await request())
})

test('a client that disconnected before the end finds its run for 15 minutes', async () => {
  const run = runIn(await request())
  await disconnect(run.id)
  await endRun(db.database, run)
  await age(run.id, 'client_closed_at', 800)
  await age(run.id, 'created_at', 890)
  expect(await request()).toMatchObject({ kind: 'repeated', runId: run.id })
  await disconnect(run.id)
  await age(run.id, 'client_closed_at', 800)
  await age(run.id, 'created_at', 20)
  runIn(await request())
})

test('an unfinished run of another living replica is looked at twice', async () => {
  const { id: runId } = runIn(await request({ at: there }))
  expect(await request()).toEqual({ kind: 'undecided', runId })
  const own = runIn(await request({ isLast: true }))
  expect(own.admission).toMatchObject({ rule: 'looked', equal_run: runId })
  await disconnect(runId, there)
  expect(await request({ isLast: true })).toMatchObject({ kind: 'repeated', runId })
})

test('an unfinished run whose client was connected to a replica that ended is repeated', async () => {
  const { id: runId } = runIn(await request({ at: ended }))
  expect(await request()).toEqual({ kind: 'repeated', runId, rule: 'replica_ended' })
  runIn(await request())
})

test('retries of two runs of a replica that ended get one each, at once', async () => {
  const runs = [runIn(await request({ at: ended })), runIn(await request({ at: ended }))]
  const retries = await Promise.all([here, there].map((at) => request({ at })))
  expect(retries.map((one) => 'runId' in one && one.runId).toSorted()).toEqual(
    runs.map(({ id }) => id).toSorted(),
  )
})

test('a finished run of a replica that ended is not repeated', async () => {
  const run = runIn(await request({ at: ended }))
  await endRun(db.database, run)
  // Within a second of its end, the record of a lost reply may still be on the way.
  expect(await request()).toMatchObject({ kind: 'undecided', runId: run.id })
  runIn(await request({ isLast: true }))
})

test("another key's equal request, and one without a key, start turns of their own", async () => {
  const { id: runId } = runIn(await request())
  await disconnect(runId)
  const other = { ...person, principal: await withKey(db.database, person) }
  runIn(await request({ by: other }))
  runIn(await request({ by: { ...person, principal: { ...person.principal, keyId: null } } }))
})

test('20 requests at once with one Idempotency-Key are one run', async () => {
  const decisions = await Promise.all(
    Array.from({ length: 20 }, (_, i) => request({ key: 'once', at: i % 2 ? here : there })),
  )
  expect(decisions.filter(({ kind }) => kind === 'admitted')).toHaveLength(1)
  const ids = decisions.map((one) =>
    one.kind === 'admitted' ? one.run.id : 'runId' in one ? one.runId : one.kind,
  )
  expect(new Set(ids).size).toBe(1)
  await expect(request({ key: 'once', hash: 2 })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  await db.database.systemPool.query(`update idempotency_keys set expires_at = now() where account_id = $1`, [
    person.principal.accountId,
  ])
  runIn(await request({ key: 'once', hash: 2 }))
})
