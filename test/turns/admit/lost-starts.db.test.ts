import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase, withTx } from '../../../src/db/client.ts'
import type { Catalogue } from '../../../src/models/model-catalogue.ts'
import { admitTurn } from '../../../src/turns/admit/admit-turn.ts'
import type { AdmissionServices, ClientTurn } from '../../../src/turns/admit/client-turn.ts'
import { claimRun } from '../../../src/turns/drive/leases.ts'
import { createRunner, type Runner } from '../../../src/turns/drive/runner.ts'
import { defaultTurnLimits } from '../../../src/turns/run/turn-limits.ts'
import { type CommitFate, type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { endRun } from '../../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../../support/turns/services.ts'
import { admissionOf, admitted, look, plainInput, start } from '../../support/turns/start.ts'
import { gate, reply } from '../../support/upstream-scripts.ts'
import { useStore } from '../../support/world/store.ts'

/** Starts whose statement or transaction loses its connection. */

let person: Caller
let proxy: PostgresProxy
/** What the starts under test use: every connection goes through the proxy. */
let proxied: Database
let upstream: ScriptedUpstream
let catalogue: Catalogue
let runner: Runner
let services: AdmissionServices

const world = useStore()
const { db } = world
beforeAll(async () => {
  proxy = await startPostgresProxy(db.url)
})
beforeEach(async () => {
  proxied = openDatabase({ url: proxy.url, onIdleError: () => undefined })
  person = await makeCaller(db.database)
  person = { ...person, principal: await withKey(db.database, person) }
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
  const { signals: _, ...shared } = turnServices(proxied, catalogue)
  runner = createRunner(shared)
  services = { ...shared, runner, limits: defaultTurnLimits }
})
afterEach(async () => {
  proxy.refuse(false)
  await runner.drain()
  await proxied.close()
  await catalogue.close()
  await upstream.close()
})
afterAll(() => proxy.close())

/** A request as a route gives it to admission. */
function clientTurn(retried = false): ClientTurn {
  const { firstCallMicros: _, ...input } = plainInput()
  const model = catalogue.models[0]?.id ?? ''
  return { ...input, model, identity: { ...input.identity, retried }, left: new AbortController().signal }
}

const runsOf = async () =>
  (
    await db.database.systemPool.query<Record<string, unknown>>(
      `select r.id, r.status, r.epoch, r.client_closed_at is not null as closed,
        (select count(*)::int from ledger where run_id = r.id) as charges
      from runs r where r.account_id = $1`,
      [person.principal.accountId],
    )
  ).rows

const fates: readonly CommitFate[] = ['reply-lost', 'request-lost', { lateMs: 300 }]
// A marked retry is never admitted without a look.
const ways = [
  ['one statement', false, 'admit\0'],
  ['a look at every rule', true, 'insert into runs'],
] as const

test.each(ways.flatMap(([way, retried, sends]) => fates.map((fate) => ({ way, retried, sends, fate }))))(
  'a start by $way that loses its connection ($fate) is one run, driven once',
  async ({ retried, sends, fate }) => {
    upstream.setDefault(reply('An answer.'))
    const cut = proxy.cutAtCommit(sends, fate)
    const { run, repeated } = await admitTurn(services, person.principal, clientTurn(retried))
    await cut
    expect(repeated).toBe(false)
    const expected = { id: run.id, status: 'completed', epoch: 1, closed: false, charges: 1 }
    await expect.poll(runsOf).toEqual([expected])
    expect(upstream.requests).toHaveLength(1)
  },
)

test.each(ways)(
  'a start by %s whose answer never comes leaves a run that a retry finds',
  async (_, retried, sends) => {
    const held = gate()
    upstream.setDefault([{ waitFor: held.opened }, { text: 'An answer.' }])
    const cut = proxy.cutAtCommit(sends, 'reply-lost').then(() => {
      proxy.refuse(true)
      proxy.cutAll()
    })
    await expect(admitTurn(services, person.principal, clientTurn(retried))).rejects.toThrow()
    await cut
    expect(await runsOf()).toMatchObject([{ epoch: 1, closed: false }])
    proxy.refuse(false)
    // It is released, so it need not wait for the end of its lease.
    await expect.poll(runsOf).toMatchObject([{ epoch: 2, closed: true }])
    const again = await admitTurn(services, person.principal, clientTurn())
    expect(again).toMatchObject({ repeated: true, run: { epoch: 2 } })
    held.open()
    await expect.poll(runsOf).toMatchObject([{ status: 'completed', charges: 1 }])
    expect(upstream.requests).toHaveLength(1)
  },
)

test('a client that has disconnected gets no run', async () => {
  const left = { ...clientTurn(), left: AbortSignal.abort() }
  await expect(admitTurn(services, person.principal, left)).rejects.toThrow('The connection was closed')
  expect(await runsOf()).toEqual([])
})

test('a retried start leaves a run alone that its process has claimed from the queue', async () => {
  const lease = { owner: 'replica_here', seconds: 15 }
  const first = await start(db.database, person, { owner: 'replica_other' })
  const admission = admissionOf(person, { lease, input: plainInput({ sessionId: first.sessionId }) })
  const queued = admitted(await look(db.database, admission))
  expect(queued.status).toBe('queued')
  await endRun(db.database, first)
  const claimed = await withTx(db.database, 'system', (tx) => claimRun(tx, lease, { plans: person.plans }))
  expect(claimed).toMatchObject({ id: queued.id, epoch: 1, leaseOwner: lease.owner })
  expect(await look(db.database, admission, true)).toEqual({ kind: 'written' })
  if (claimed) await endRun(db.database, claimed)
})

test('one attempt at a run is driven once, however often it is started', async () => {
  const held = gate()
  upstream.enqueue([{ waitFor: held.opened }, { text: 'An answer.' }])
  const run = await start(db.database, person, { owner: runner.lease.owner })
  const live = runner.start(run)
  expect(runner.start(run)).toBe(live)
  await expect.poll(() => upstream.requests.length).toBe(1)
  held.open()
  await expect.poll(runsOf).toMatchObject([{ status: 'completed', epoch: 1 }])
  expect(upstream.requests).toHaveLength(1)
})
