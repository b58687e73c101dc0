import { beforeAll, expect, test } from 'vitest'
import { type Sample, samplesOf, scrape } from '../../support/metrics.ts'
import { error, reply, type ScriptedCall } from '../../support/scripted-upstream.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import type { Completion } from '../../support/world/replies.ts'
import { ask, call } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const token = 'a token for metrics'
let metrics: string

const listing: ScriptedCall = { name: 'list_files', arguments: {} }
const invented: ScriptedCall = { name: 'no_such_tool_run_9', arguments: {} }

const world = useWorld({ telemetry: { metricsToken: token }, dataDir: '/tmp' })
beforeAll(async () => {
  const { upstream, service, key } = world
  upstream.enqueue([{ toolCalls: [listing, invented] }], reply('Joy is the way in.'))
  const first = (await (await world.chat(ask('What is joy?'))).json()) as Completion
  upstream.enqueue(error(400, 'no such model'))
  await world.chat(ask('What fails?'))
  upstream.enqueue(error(500, 'broken', { 'retry-after-ms': '1' }), [
    { text: 'Again and again.', chunks: 4, delayMs: 20 },
  ])
  const stream = new LiveStream(await world.chat(ask('What is tried again?', { stream: true })))
  await stream.rest()
  await call(service, key, 'GET', `/v1/agent/runs/${first.x_service.run_id}`)
  await call(service, key, 'GET', '/v1/agent/runs/run_that_is_not_there')
  await call(service, 'svc_wrong', 'GET', '/v1/models')
  await call(service, undefined, 'GET', '/nowhere/else?secret=1')
  await call(service, undefined, 'GET', '/v1/files/%E0%A4%A')
  metrics = await scrape(service, token)
})

const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  samplesOf(metrics).find(
    (sample) => sample.name === name && Object.entries(labels).every(([k, v]) => sample.labels[k] === v),
  )?.value

test('without the token there is no /metrics', async () => {
  for (const other of [undefined, 'another', `${token}x`]) {
    expect((await call(world.service, other, 'GET', '/metrics')).status).toBe(404)
  }
})

test('turns are counted by start and end, with steps, tools, tokens and credits', () => {
  expect(value('service_turns_started_total', { state: 'in_progress' })).toBe(3)
  expect(value('service_turns_ended_total', { status: 'completed', reason: 'stop' })).toBe(2)
  expect(value('service_turns_ended_total', { status: 'failed', reason: 'upstream_failed' })).toBe(1)
  expect(value('service_turn_duration_seconds_count', { status: 'completed' })).toBe(2)
  expect(value('service_turn_time_to_first_token_seconds_count')).toBe(2)
  expect(value('service_turn_steps_total', { kind: 'model' })).toBe(3)
  expect(value('service_turn_steps_total', { kind: 'tool' })).toBe(2)
  expect(value('service_tool_calls_total', { tool: 'list_files', outcome: 'ok' })).toBe(1)
  expect(value('service_tool_calls_total', { tool: 'unknown', outcome: 'error' })).toBe(1)
  expect(value('service_model_tokens_total', { direction: 'prompt' })).toBe(30)
  expect(value('service_model_tokens_total', { direction: 'completion' })).toBe(15)
})

test('the credits are those of the ledger', async () => {
  const { sum } = await world.row<{ sum: string }>(
    `select sum(cost_micros)::text as sum from runs where account_id = $1 and status <> 'failed'`,
    world.accountId,
  )
  expect(value('service_credits_charged_total')).toBeCloseTo(Number(sum) / 1e6, 9)
})

test('upstream failures are counted by kind, retried ones included', () => {
  expect(value('service_upstream_errors_total', { kind: 'rejected' })).toBe(1)
  expect(value('service_upstream_errors_total', { kind: 'upstream' })).toBe(1)
})

test('requests are counted by route template; no id or client name is a label', () => {
  const run = { route: '/v1/agent/runs/:id', method: 'GET' }
  expect(value('service_http_requests_total', { ...run, status: '200' })).toBe(1)
  expect(value('service_http_requests_total', { ...run, status: '404' })).toBe(1)
  expect(value('service_http_request_duration_seconds_count', run)).toBe(2)
  expect(value('service_http_requests_total', { route: 'unmatched', status: '404' })).toBe(1)
  expect(value('service_http_requests_total', { route: 'unmatched', status: '401' })).toBe(1)
  expect(value('service_http_errors_total', { code: 'invalid_api_key' })).toBe(2)
  expect(metrics).not.toMatch(/run_[A-Za-z0-9]{6}|run_that|nowhere|secret|no_such_tool/)
})

test('metrics have the sizes of database and pools, and no running turn', () => {
  expect(value('service_runs', { state: 'queued' })).toBe(0)
  expect(value('service_runs', { state: 'in_progress' })).toBe(0)
  expect(value('service_database_up')).toBe(1)
  expect(value('service_database_size_bytes')).toBeGreaterThan(1_000_000)
  expect(value('service_pg_pool_max_connections', { pool: 'tenant' })).toBe(8)
  expect(value('service_data_disk_free_bytes')).toBeGreaterThan(0)
})

test('open streams and held leases are counted while they last', async () => {
  const go = Promise.withResolvers<void>()
  world.upstream.enqueue([{ text: 'Slowly' }, { waitFor: go.promise }, { text: ' done.' }])
  const stream = new LiveStream(await world.chat(ask('What is slow?', { stream: true })))
  await stream.until('Slowly')
  const during = samplesOf(await scrape(world.service, token))
  go.resolve()
  await stream.rest()
  const counted = (samples: readonly Sample[]) =>
    ['service_open_streams', 'service_leases_held'].map(
      (name) => samples.find((sample) => sample.name === name)?.value,
    )
  expect(counted(during)).toEqual([1, 1])
  await expect.poll(async () => counted(samplesOf(await scrape(world.service, token)))).toEqual([0, 0])
})
