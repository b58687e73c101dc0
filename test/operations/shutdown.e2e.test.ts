import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { useLibraryDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { rows } from '../support/full.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { launchService, type ServiceProcess } from '../support/service-process.ts'
import { gate, reply, type Script } from '../support/upstream-scripts.ts'
import { makeAccount, makeKey, pepperText } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask, call } from '../support/world/requests.ts'

let proxy: PostgresProxy
let upstream: ScriptedUpstream
let key: string
const started: ServiceProcess[] = []
let asked = 0

const folder = useFolder()
const db = useLibraryDatabase()
beforeAll(async () => {
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

function launch(drainSeconds: number): ServiceProcess {
  const service = launchService(folder, {
    DATABASE_URL: proxy.url,
    DRAIN_SECONDS: String(drainSeconds),
    KEY_PEPPER: pepperText,
    MODEL_BASE_URL: upstream.baseUrl,
    MODEL_NAME: 'scripted',
  })
  started.push(service)
  return service
}

/** A process with a stream whose model has begun. It says the rest, if there is one, after `held` is opened. */
async function streaming(drainSeconds: number, rest: Script = []) {
  const held = gate()
  upstream.enqueue([{ text: 'Begun' }, { waitFor: held.opened }, ...rest])
  const service = launch(drainSeconds)
  const url = await service.ready
  asked += 1
  // One of its own: an equal one would be taken for a repetition of the reply that was cut short before.
  const body = ask(`Question ${asked}`, { stream: true })
  const response = await call({ url }, key, 'POST', '/v1/chat/completions', body)
  const stream = new LiveStream(response)
  await stream.until('Begun')
  return { held, service, url, stream, runId: response.headers.get('x-service-run-id') ?? '' }
}

const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status

/** The text of a streamed completion, and whether its end arrived. */
function readStream(body: string): { text: string; isDone: boolean } {
  const data = body.split('\n').filter((line) => line.startsWith('data: {'))
  const deltas = data.map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '')
  return { text: deltas.join(''), isDone: body.includes('data: [DONE]') }
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

type Outage = readonly [name: string, bring: () => void, codes: readonly number[]]
const outages = rows<Outage>(
  [['that cannot be reached', () => disconnect(), [0]]],
  [
    ['that answers', () => {}, [0]],
    // Silent connections are given up after 20 s, the process after 10 s.
    ['that does not answer', () => proxy.stall(true), [0, 1]],
  ],
)

test.each(outages)(
  'SIGTERM with a database %s ends the process, and another one ends its turn',
  async (_, bring, codes) => {
    const { held, service, stream, runId } = await streaming(1)
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
    // A lease that could not be given up has to run out first.
    await db.database.systemPool.query(`update runs set lease_expires_at = now() where id = $1`, [runId])
    await launch(1).ready
    await expect.poll(() => ended(runId), { interval: 200 }).toEqual({ status: 'completed', charges: 1 })
    held.open()
  },
  // Two starts of a process, and a shutdown of up to 11 s.
  120_000,
)

test('a stream that lasts longer is completed by another replica for its reader', async () => {
  const { held, service, stream, runId } = await streaming(10)
  await launch(1).ready
  // The new owner repeats the call.
  upstream.setDefault(reply('Begun, and ended elsewhere.'))
  const exit = await service.stop('SIGTERM')
  held.open()
  expect(readStream(await stream.rest())).toEqual({ text: 'Begun, and ended elsewhere.', isDone: true })
  expect(exit).toMatchObject({ code: 0, stderr: '' })
  expect(await ended(runId)).toEqual({ status: 'completed', charges: 1 })
})

test('a stream without another replica is cut at the limit and says how to resume', async () => {
  const { held, service, stream } = await streaming(2)
  const since = performance.now()
  const exit = await service.stop('SIGTERM')
  const tookMs = performance.now() - since
  held.open()
  expect(exit).toMatchObject({ code: 0, stderr: '' })
  expect(tookMs).toBeGreaterThan(2_000)
  const cut = await stream.rest()
  expect(readStream(cut).text).toBe('Begun')
  expect(cut).toContain('The run goes on: send the request again')
})

test('after SIGTERM turns start until balancers have noticed, and a stream that needs less than DRAIN_SECONDS is complete', async () => {
  const { held, service, url, stream, runId } = await streaming(15, [{ text: '.' }])
  const ending = service.stop('SIGTERM')
  await expect.poll(() => readiness(url), { interval: 20 }).toBe(503)
  upstream.setDefault(reply('Taken.'))
  const body = ask('A question while the process ends?')
  const chat = () => call({ url }, key, 'POST', '/v1/chat/completions', body)
  expect((await chat()).status).toBe(200)
  let refused = await chat()
  while (refused.ok) refused = await chat()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
  expect((await call({ url }, key, 'GET', '/v1/models')).status).toBe(200)
  held.open()
  expect(readStream(await stream.rest())).toEqual({ text: 'Begun.', isDone: true })
  expect(await ending).toMatchObject({ code: 0, stderr: '' })
  expect(await ended(runId)).toEqual({ status: 'completed', charges: 1 })
})

test('a second Ctrl-C ends a process that still drains', async () => {
  const { held, service, url, stream } = await streaming(60)
  service.signal('SIGTERM')
  await expect.poll(() => readiness(url), { interval: 20 }).toBe(503)
  // Signals within half a second count as one.
  await delay(600)
  expect((await service.stop('SIGINT')).code).toBe(130)
  await stream.rest().catch(() => undefined)
  held.open()
})

test.each(
  rows(
    [['is under way', 'lock table search_postings in access exclusive mode']],
    [['waits for another replica', 'select pg_advisory_xact_lock(7203115003)']],
  ),
)('SIGTERM ends a process while its search index %s', async (_, block) => {
  const blocker = await db.database.systemPool.connect()
  await blocker.query(`update library_state set value = '0' where key = 'normaliser'`)
  await blocker.query(`begin; ${block}`)
  const service = launch(1)
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
