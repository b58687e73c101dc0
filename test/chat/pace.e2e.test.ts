import Fastify from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import type { Principal } from '../../src/accounts/principal.ts'
import { scopes } from '../../src/accounts/scopes.ts'
import { registerErrorHandler } from '../../src/http/error-handler.ts'
import { registerZod } from '../../src/http/openapi/zod.ts'
import { openCatalogue } from '../../src/models/model-catalogue.ts'
import { chatRoutes } from '../../src/routes/chat/route.ts'
import { createRunner, type Runner } from '../../src/turns/drive/runner.ts'
import { defaultTurnLimits } from '../../src/turns/run/turn-limits.ts'
import { insertProject } from '../../src/turns/sessions/projects.ts'
import { useDatabase } from '../support/database.ts'
import { libraryIn } from '../support/library-database.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { readStream } from '../support/sse-rules.ts'
import { error, gate } from '../support/upstream-scripts.ts'
import { makeAccount, testPeppers } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'

/** The chat route alone, for a person who is signed in already, at a pace that tests can wait for. */
const pace = { keepAliveMs: 20, paddingMs: 20 }

let upstream: ScriptedUpstream
let runner: Runner
let url: string
let projectId: string
const app = Fastify()

const db = useDatabase()
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const { database } = db
  const account = await makeAccount(database)
  projectId = (await insertProject(database.system, account.id, 'Pace')).id
  const principal: Principal = {
    accountId: account.id,
    plan: builtInPlans.of('pro'),
    keyId: null,
    scopes: new Set(scopes),
    binding: { kind: 'project', projectId },
  }
  const log = pino({ level: 'silent' })
  const model = { baseUrl: upstream.baseUrl, apiKey: undefined, name: 'scripted', catalogueFile: undefined }
  const catalogue = await openCatalogue(model)
  const plans = builtInPlans
  runner = createRunner({ database, library: libraryIn(database), catalogue, plans, log })
  registerErrorHandler(app)
  registerZod(app)
  app.addHook('onRequest', async (request) => {
    request.principal = principal
  })
  const services = {
    database,
    library: libraryIn(database),
    peppers: testPeppers,
    plans,
    catalogue,
    runner,
    log,
    limits: defaultTurnLimits,
  }
  chatRoutes(app, services, pace)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await runner.drain()
  await app.close()
  await upstream.close()
})

const post = (body: object) =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('a whole reply that takes long begins with newlines and is valid JSON', async () => {
  const silence = gate()
  upstream.enqueue([{ waitFor: silence.opened }, { text: 'Slowly.' }])
  const response = await post(ask('Long'))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const live = new LiveStream(response)
  await live.until('\n\n\n')
  expect(live.body.trim()).toBe('')
  silence.open()
  const body = JSON.parse(await live.rest()) as Completion
  expect(body.choices[0]?.message.content).toBe('Slowly.')
  expect(body.x_service.status).toBe('completed')
})

test('a failure after the padding began is a well-formed completion that says so', async () => {
  const silence = gate()
  upstream.enqueue([{ waitFor: silence.opened }, ...error(400, 'bad')])
  const live = new LiveStream(await post(ask('Long failure')))
  await live.until('\n')
  silence.open()
  const body = JSON.parse(await live.rest()) as Completion
  expect(body.x_service).toMatchObject({
    status: 'failed',
    error: { code: 'upstream_failed' },
    usage: { cost: 0 },
  })
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop' })
  expect(body.choices[0]?.message.content).toBe(`[${body.x_service.error?.message}]`)
})

test('a silent stream is kept alive by blocks that every client passes over', async () => {
  const silence = gate()
  upstream.enqueue([{ text: 'Let me think' }, { waitFor: silence.opened }, { text: '. Done.' }])
  const live = new LiveStream(await post(ask('Silent', { stream: true })))
  await live.until('Let me think')
  await live.until(': keep-alive\n')
  silence.open()
  const stream = readStream(await live.rest())
  expect(stream.problems).toEqual([])
  expect(stream.keepAlives).toBeGreaterThan(0)
  expect(stream.text).toBe('Let me think. Done.')
})

test('a run handed over ends its stream and its padded reply with an error', async () => {
  const index = upstream.requests.length
  upstream.setDefault([{ waitFor: new Promise(() => undefined) }])
  const streamed = new LiveStream(await post(ask('Handed over', { stream: true })))
  const whole = new LiveStream(await post(ask('Handed over, whole')))
  await whole.until('\n')
  await upstream.request(index + 1)
  await runner.drain()
  const stream = readStream(await streamed.rest())
  expect(stream.problems).toEqual([])
  expect(stream.error).toMatchObject({ code: 'run_failed', x_service: { status: 'in_progress' } })
  const body = JSON.parse(await whole.rest()) as Completion
  expect(body.x_service).toMatchObject({ status: 'in_progress', error: { code: 'run_failed' } })
  const { rows } = await db.database.systemPool.query(
    `select count(*)::int as runs from runs where status = 'in_progress' and lease_owner is null`,
  )
  expect(rows).toEqual([{ runs: 2 }])
})
