import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PressureReason } from '../../src/turns/replicas/pressure.ts'
import { samplesOf, scrape } from '../support/metrics.ts'
import { gate, reply } from '../support/scripted-upstream.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion, ErrorReply } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { rowCounts } from '../support/world/row-counts.ts'
import { openWorld, type World } from '../support/world/world.ts'

const token = 'a token for metrics'
let reason: PressureReason | undefined
let world: World

beforeAll(async () => {
  const pressure = { reason: () => reason, isShortOfMemory: () => false, stop: () => undefined }
  world = await openWorld({ pressure, telemetry: { metricsToken: token } })
})

beforeEach(() => {
  reason = undefined
})

afterAll(async () => {
  await world.close()
})

const chat = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  call(world.service, world.key, 'POST', '/v1/chat/completions', body, headers)

test.each([
  ['/v1/chat/completions', ask('A question?')],
  ['/v1/chat/completions', ask('A question?', { stream: true })],
  ['/v1/chat/completions', ask('A question?', { x_service: { background: true } })],
  ['/v1/responses', { model: 'service', input: 'A question?' }],
])('under pressure %s starts no turn and writes nothing: 503 with Retry-After', async (path, body) => {
  reason = 'heap'
  const before = await rowCounts(world.db)
  for (const headers of [{}, { 'idempotency-key': 'a-new-key' }, { 'x-stainless-retry-count': '1' }]) {
    const refused = await call(world.service, world.key, 'POST', path, body, headers)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(((await refused.json()) as ErrorReply).error).toMatchObject({
      type: 'server_error',
      code: 'overloaded',
    })
  }
  expect(await rowCounts(world.db)).toEqual(before)
  expect(world.upstream.requests).toHaveLength(0)
})

test('reads, cancels and repetitions are served, and a turn that runs goes on', async () => {
  const { service, key, upstream } = world
  const hold = gate()
  upstream.enqueue(reply('The first answer.'), [
    { text: 'Half' },
    { waitFor: hold.opened },
    { text: ' whole.' },
  ])
  const keyed = { 'idempotency-key': 'one-question' }
  const first = (await (await chat(ask('The first?'), keyed)).json()) as Completion
  const running = new LiveStream(await world.chat(ask('The second?', { stream: true })))
  await running.until('Half')
  reason = 'memory'

  const { run_id: run, session_id: session } = first.x_service
  const reads = [
    ...['/v1/models', '/v1/files', '/v1/usage', '/v1/key', '/v1/sources/search?q=joy', '/readyz', '/healthz'],
    ...[`/v1/agent/runs/${run}`, `/v1/agent/runs/${run}/events`, `/v1/agent/sessions/${session}/messages`],
  ]
  for (const path of reads) expect((await call(service, key, 'GET', path)).status, path).toBe(200)
  expect((await call(service, key, 'POST', `/v1/agent/runs/${run}/cancel`)).status).toBe(200)
  const again = await chat(ask('The first?'), keyed)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(((await again.json()) as Completion).x_service.run_id).toBe(run)
  hold.open()
  expect(await running.rest()).toContain('[DONE]')

  reason = undefined
  upstream.enqueue(reply('The third answer.'))
  expect((await chat(ask('The third?'))).status).toBe(200)
})

test('refused turns are counted by their reason', async () => {
  const refused = () =>
    scrape(world.service, token).then((text) =>
      samplesOf(text)
        .filter(
          ({ name, labels }) => name === 'service_turns_refused_total' && labels['reason'] === 'event_loop',
        )
        .reduce((sum, { value }) => sum + value, 0),
    )
  expect(await refused()).toBe(0)
  reason = 'event_loop'
  await chat(ask('A question?'))
  expect(await refused()).toBe(1)
})
