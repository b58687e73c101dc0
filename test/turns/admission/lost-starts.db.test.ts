import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Executor, withTx } from '../../../src/db/client.ts'
import { newId } from '../../../src/ids.ts'
import type { Catalogue } from '../../../src/models/model-catalogue.ts'
import { admitRun } from '../../../src/turns/admission/admit-run.ts'
import { isAsWritten } from '../../../src/turns/admission/run-values.ts'
import { settleUnconfirmed } from '../../../src/turns/admission/unconfirmed-start.ts'
import { claimRun } from '../../../src/turns/ownership/leases.ts'
import { createRunner, type Runner } from '../../../src/turns/ownership/runner.ts'
import { ClientConnections } from '../../../src/turns/replicas/client-connections.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { readRun } from '../../../src/turns/run/runs.ts'
import { callsIn } from '../../../src/turns/store/turn-store.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type Caller, makeCaller } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../../support/turns/services.ts'
import { admissionOf, admitted, plainInput, start } from '../../support/turns/start.ts'
import { gate } from '../../support/upstream-scripts.ts'
import { openWorld, type StoreWorld } from '../../support/world/world.ts'

/** Starts whose COMMIT got no answer, of runs that had to wait and that their own process has claimed since. */

let world: StoreWorld
let { db } = {} as StoreWorld
let person: Caller
let upstream: ScriptedUpstream
let catalogue: Catalogue
let runner: Runner | undefined

beforeAll(async () => {
  world = await openWorld({ replicas: 0 })
  ;({ db } = world)
  person = await makeCaller(db.database)
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
})
afterEach(async () => {
  await runner?.drain()
  runner = undefined
  expect(await world.broken()).toEqual([])
})
afterAll(async () => {
  await catalogue.close()
  await upstream.close()
  await world.close()
})

const lease = { owner: 'replica_here', seconds: 15 }

/** A run that waited behind another in its session, and that `lease.owner` has claimed. */
async function claimedAfterWaiting() {
  const first = await start(db.database, person)
  const runId = newId('run')
  const begin = (again: boolean) =>
    withTx(db.database, person.principal, (tx) => {
      const admission = admissionOf(person, { lease, runId, again })
      return admitRun(callsIn(tx), person.principal, plainInput({ sessionId: first.sessionId }), admission)
    })
  const queued = admitted(await begin(false))
  expect(queued.status).toBe('queued')
  expect(isAsWritten(queued, lease.owner)).toBe(true)
  await endRun(db.database, first)
  const claimed = await withTx(db.database, 'system', (tx) => claimRun(tx, lease, { plans: person.plans }))
  expect(claimed).toMatchObject({ id: runId, epoch: 1, leaseOwner: lease.owner })
  return { run: claimed as Run, begin }
}

test('a retried start does not drive a run that its process has claimed', async () => {
  const { run, begin } = await claimedAfterWaiting()
  expect(await begin(true)).toEqual({ kind: 'written' })
  expect(isAsWritten(run, lease.owner)).toBe(false)
  await endRun(db.database, run)
})

test('a retried start drives the run that its earlier attempt has begun', async () => {
  const run = await start(db.database, person, { owner: lease.owner })
  const read = await withTx(db.database, person.principal, (tx) => readRun(tx, run.id))
  expect(read && isAsWritten(read, lease.owner)).toBe(true)
  await endRun(db.database, run)
})

/** Settles the start of a run by `lease.owner`, whose client has lost its connection. */
async function settle(run: Pick<Run, 'id' | 'accountId'>, isRetried = false): Promise<void> {
  const clients = new ClientConnections()
  const client = clients.open('same', run.id, AbortSignal.abort())
  client.attach(run.id)
  if (isRetried) clients.open('same', run.id, new AbortController().signal).attach(run.id)
  const { log } = turnServices(db.database, catalogue)
  const owner = { lease, leaving: new AbortController().signal } as Runner
  await settleUnconfirmed({ database: db.database, runner: owner, log }, run, client)
  expect([client.isLost, clients.serves(run.id)]).toEqual([false, isRetried])
}

const rowOf = async ({ id }: Pick<Run, 'id'>) =>
  (
    await db.database.systemPool.query(
      'select lease_owner, client_closed_at is not null as closed from runs where id = $1',
      [id],
    )
  ).rows

test('an unconfirmed start keeps the lease of a run that its process drives by now', async () => {
  const { run } = await claimedAfterWaiting()
  await settle(run)
  expect(await rowOf(run)).toEqual([{ lease_owner: lease.owner, closed: true }])
  await endRun(db.database, run)
})

test('an unconfirmed start whose client has retried here only releases the lease', async () => {
  const run = await start(db.database, person, { owner: lease.owner })
  await settle(run, true)
  expect(await rowOf(run)).toEqual([{ lease_owner: null, closed: false }])
  await endRun(db.database, run)
})

test('an unconfirmed start waits for its transaction, and releases what that wrote', async () => {
  const runId = newId('run')
  const admission = admissionOf(person, { lease, runId })
  const written = gate()
  const looked = gate()
  const open = withTx(db.database, person.principal, async (tx: Executor) => {
    const decision = await admitRun(callsIn(tx), person.principal, plainInput(), admission)
    written.open()
    await looked.opened
    return admitted(decision)
  })
  await written.opened
  const settled = settle({ id: runId, accountId: person.principal.accountId })
  const waiting = async () =>
    (
      await db.database.systemPool.query(
        "select from pg_locks where not granted and locktype = 'transactionid'",
      )
    ).rowCount
  await expect.poll(waiting).toBeGreaterThan(0)
  looked.open()
  const run = await open
  await settled
  expect(await rowOf(run)).toEqual([{ lease_owner: null, closed: true }])
  await endRun(db.database, run)
})

test('one attempt at a run is driven once, however often it is started', async () => {
  const held = gate()
  upstream.enqueue([{ waitFor: held.opened }, { text: 'An answer.' }])
  const { signals: _, ...services } = turnServices(db.database, catalogue)
  runner = createRunner(services)
  const run = await start(db.database, person, { owner: runner.lease.owner })
  const live = runner.start(run)
  expect(runner.start(run)).toBe(live)
  await expect.poll(() => upstream.requests.length).toBe(1)
  held.open()
  const status = async () =>
    (await db.database.systemPool.query('select status, epoch from runs where id = $1', [run.id])).rows
  await expect.poll(status, { timeout: 10_000 }).toEqual([{ status: 'completed', epoch: 1 }])
  expect(upstream.requests).toHaveLength(1)
})
