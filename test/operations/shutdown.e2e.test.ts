import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLibraryDatabase, type TestDatabase } from '../support/database.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { launchService, type ServiceProcess } from '../support/service-process.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { makeAccount, makeKey, pepperText } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask } from '../support/world/requests.ts'

let db: TestDatabase
let proxy: PostgresProxy
let upstream: ScriptedUpstream
let folder: string
let key: string
const started: ServiceProcess[] = []
let asked = 0

beforeAll(async () => {
  db = await createLibraryDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-shutdown-'))
  const { id } = await makeAccount(db.database)
  key = await makeKey(db.database, id)
})
beforeEach(async () => {
  proxy = await startPostgresProxy(db.url)
  upstream = await startScriptedUpstream()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop('SIGKILL')))
  await upstream.close()
  await proxy.close()
  expect(await checkInvariants(db.database)).toEqual([])
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await db.drop()
})

function launch(): ServiceProcess {
  const service = launchService(folder, {
    DATABASE_URL: proxy.url,
    KEY_PEPPER: pepperText,
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_NAME: 'scripted',
  })
  started.push(service)
  return service
}

async function streamFrom(service: ServiceProcess): Promise<{ stream: LiveStream; runId: string }> {
  asked += 1
  const response = await fetch(`${await service.ready}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    // One of its own: an equal one would be taken for a repetition of the reply that was cut short before.
    body: JSON.stringify(ask(`Question ${asked}`, { stream: true })),
  })
  const stream = new LiveStream(response)
  await stream.until('Begun')
  return { stream, runId: response.headers.get('x-service-run-id') ?? '' }
}

function disconnect(): void {
  proxy.refuse(true)
  proxy.cutAll()
}

const ended = async (runId: string) => {
  const { rows } = await db.database.systemPool.query<{ status: string; charges: number }>(
    `select status, (select count(*)::int from ledger where run_id = r.id and kind = 'charge') as charges
      from runs r where id = $1`,
    [runId],
  )
  return rows[0]
}

test.each([
  ['that answers', () => {}, [0]],
  ['that cannot be reached', () => disconnect(), [0]],
  // Silent connections are given up after 20 s, the process after 25 s: either can be what ends it.
  ['that does not answer', () => proxy.stall(true), [0, 1]],
] as const)(
  'SIGTERM with a database %s ends the process, and another one ends its turn',
  async (_, bring, codes) => {
    const held = gate()
    upstream.enqueue([{ text: 'Begun' }, { waitFor: held.opened }])
    const service = launch()
    const { stream, runId } = await streamFrom(service)
    bring()
    // Its model call would never end.
    const exit = await service.stop('SIGTERM')
    expect(codes).toContain(exit.code)
    expect(exit.stderr).toBe('')
    await stream.rest().catch(() => undefined)
    proxy.refuse(false)
    proxy.stall(false)
    proxy.cutAll()
    upstream.setDefault(reply('Ended elsewhere.'))
    await launch().ready
    // A lease that could not be given up has to run out first.
    await expect
      .poll(() => ended(runId), { timeout: 25_000, interval: 200 })
      .toEqual({ status: 'completed', charges: 1 })
    held.open()
  },
  // Two starts of a process, a shutdown of up to 25 s and a lease of 15 s.
  120_000,
)

test('a whole reply requested after SIGTERM is given, also after the notice', async () => {
  const service = launch()
  const url = await service.ready
  // A balancer asks, so the process serves on for five seconds after the signal.
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const ending = service.stop('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  // A model that needs longer than the notice of five seconds.
  upstream.enqueue([{ text: 'In ' }, { waitFor: delay(6_500) }, { text: 'the end.' }])
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask('A question while the process ends?')),
  })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('In the end.')
  expect((await ending).code).toBe(0)
})

test.each([
  ['is under way', 'lock table search_postings in access exclusive mode'],
  ['waits for another replica', 'select pg_advisory_xact_lock(7203115003)'],
])('SIGTERM ends a process while its search index %s', async (_, block) => {
  await launch().ready.then(() => started.splice(0)[0]?.stop('SIGTERM'))
  const blocker = await db.database.systemPool.connect()
  await blocker.query(`update library_state set value = '0' where key = 'normaliser'`)
  await blocker.query(`begin; ${block}`)
  const service = launch()
  await service.ready
  await expect
    .poll(async () => {
      const { rows } = await db.database.systemPool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBeGreaterThan(0)
  // The index waits for the blocker, and the process does not.
  const exit = await service.stop('SIGTERM')
  await blocker.query('rollback')
  blocker.release()
  expect(exit).toMatchObject({ code: 0, stderr: '' })
})
