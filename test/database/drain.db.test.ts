import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { type Database, openDatabase } from '../../src/db/client.ts'
import type { Catalogue } from '../../src/models/model-catalogue.ts'
import { admitTurn } from '../../src/turns/admit/admit-turn.ts'
import { createRunner, type Runner } from '../../src/turns/drive/runner.ts'
import type { Run } from '../../src/turns/run/run.ts'
import { defaultTurnLimits } from '../../src/turns/run/turn-limits.ts'
import { useDatabase } from '../support/database.ts'
import { times } from '../support/full.ts'
import { checkInvariants } from '../support/invariants.ts'
import { libraryIn } from '../support/library-database.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { useCaller } from '../support/turns/caller.ts'
import { saidIn } from '../support/turns/journal.ts'
import { scriptedCatalogue, turnServices } from '../support/turns/services.ts'
import { plainInput, start } from '../support/turns/start.ts'
import { gate, reply } from '../support/upstream-scripts.ts'

let proxy: PostgresProxy
let proxied: Database
let upstream: ScriptedUpstream
let catalogue: Catalogue

const db = useDatabase()
const person = useCaller(db)
beforeAll(async () => {
  proxy = await startPostgresProxy(db.url)
})
beforeEach(async () => {
  proxied = openDatabase({ url: proxy.url, onIdleError: () => undefined })
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
})
afterEach(async () => {
  await catalogue.close()
  await upstream.close()
  await proxied.close()
  expect(await checkInvariants(db.database)).toEqual([])
})
afterAll(() => proxy.close())

const runnerOn = (database: Database): Runner =>
  createRunner({
    database,
    library: libraryIn(database),
    catalogue,
    plans: builtInPlans,
    log: pino({ level: 'silent' }),
  })

const startOwned = (runner: Runner) => start(db.database, person, { owner: runner.lease.owner })

const rowsOf = async (runs: readonly Run[]) => {
  const { rows } = await db.database.systemPool.query<{
    status: string
    epoch: number
    lease_owner: string | null
  }>('select status, epoch, lease_owner from runs where id = any($1) order by created_at', [
    runs.map(({ id }) => id),
  ])
  return rows
}

/** Another replica ends what is left. */
async function endElsewhere(runs: readonly Run[]): Promise<void> {
  upstream.setDefault(reply('Elsewhere.'))
  const other = runnerOn(db.database)
  await expect
    .poll(async () => (await rowsOf(runs)).map(({ status }) => status))
    .toEqual(runs.map(() => 'completed'))
  await other.drain()
}

test('a run whose start commits while the process drains is handed over', async () => {
  upstream.setDefault(reply('Not here.'))
  const runner = runnerOn(db.database)
  const run = await startOwned(runner)
  const drained = runner.drain()
  const live = runner.start(run)
  // Its readers are let go at once.
  expect(await saidIn(live, 600_000)).toEqual([])
  await drained
  await expect.poll(() => rowsOf([run])).toEqual([{ status: 'in_progress', epoch: 1, lease_owner: null }])
  expect(upstream.requests).toHaveLength(0)
  await endElsewhere([run])
  expect(await rowsOf([run])).toMatchObject([{ epoch: 2 }])
})

test('while the process drains, no turn is admitted', async () => {
  const runner = runnerOn(db.database)
  const drained = runner.drain()
  const services = { ...turnServices(db.database, catalogue), limits: defaultTurnLimits, runner }
  const input = { ...plainInput(), left: new AbortController().signal }
  await expect(admitTurn(services, person.principal, input)).rejects.toMatchObject({
    code: 'overloaded',
    retryAfterSeconds: 2,
  })
  await drained
})

test('whatever is claimed in the moment of draining is free for others afterwards', async () => {
  upstream.setDefault([{ waitFor: new Promise(() => {}) }])
  for (let round = 0; round < times(2, 5); round += 1) {
    const runs = await Promise.all(Array.from({ length: 6 }, () => start(db.database, person)))
    await db.database.systemPool.query(
      `update runs set lease_expires_at = now() - interval '1 second' where id = any($1)`,
      [runs.map(({ id }) => id)],
    )
    const runner = runnerOn(db.database)
    await expect
      .poll(async () => (await rowsOf(runs)).filter(({ epoch }) => epoch > 1).length, {
        interval: 1,
        timeout: 120_000,
      })
      .toBeGreaterThan(0)
    await runner.drain()
    const owners = (await rowsOf(runs)).map(({ lease_owner }) => lease_owner)
    expect(owners).not.toContain(runner.lease.owner)
    await endElsewhere(runs)
    upstream.setDefault([{ waitFor: new Promise(() => {}) }])
  }
})

test.each([
  [
    'refuses connections',
    () => {
      proxy.refuse(true)
      proxy.cutAll()
    },
  ],
  ['does not answer', () => proxy.stall(true)],
])(
  'draining ends while the database %s',
  async (_, bring) => {
    const held = gate()
    upstream.enqueue([{ text: 'Begun' }, { waitFor: held.opened }])
    const runner = runnerOn(proxied)
    const run = await startOwned(runner)
    const live = runner.start(run)
    const isTold = await live.read(AbortSignal.timeout(120_000), (batch) =>
      batch.some(({ type }) => type === 'text.delta'),
    )
    expect(isTold).toBe(true)
    bring()
    await runner.drain()
    expect(await upstream.requests[0]?.ended).toBe('cut')
    proxy.refuse(false)
    proxy.stall(false)
    proxy.cutAll()
    await db.database.systemPool.query(
      `update runs set lease_expires_at = now() - interval '1 second' where id = $1 and status = 'in_progress'`,
      [run.id],
    )
    await endElsewhere([run])
  },
  30_000,
)
