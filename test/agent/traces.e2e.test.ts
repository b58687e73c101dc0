import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { error, reply } from '../support/scripted-upstream.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let receiver: OtlpReceiver
let world: World

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  world = await openWorld({ telemetry: { otlpEndpoint: receiver.endpoint } })
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpan = '00f067aa0ba902b7'

const post = (body: object, traceparent: string) =>
  fetch(`${world.service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify(body),
  })

/** The spans of a run, as soon as its turn and its request have been sent. */
async function spansOf(runId: string): Promise<readonly ReceivedSpan[]> {
  const found = () => receiver.spans.filter((span) => span.attributes['run.id'] === runId)
  const whole = () =>
    ['invoke_agent', 'POST /v1/chat/completions'].every((name) => named(found(), name).length > 0)
  await expect.poll(whole).toBe(true)
  return found()
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name)

test('a turn is one trace that goes on from the client’s and into the model’s server', async () => {
  const { upstream } = world
  const sent = upstream.requests.length
  const listing = { name: 'list_files', arguments: {} }
  const reading = { name: 'read_file', arguments: { name: 'none.txt' } }
  upstream.enqueue([{ toolCalls: [listing, reading] }], reply('There are none.'))
  const response = await post(ask('Which files?', { stream: true }), `00-${clientTrace}-${clientSpan}-01`)
  const runId = `${response.headers.get('x-service-run-id')}`
  await new LiveStream(response).rest()
  const spans = await spansOf(runId)
  const one = (name: string) => {
    const [span, ...more] = named(spans, name)
    if (!span || more.length > 0) throw new Error(`${more.length + 1} spans ${name}`)
    return span
  }
  const parentOf = (span: ReceivedSpan) => spans.find(({ spanId }) => spanId === span.parentSpanId)?.name

  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([clientTrace]))
  const request = one('POST /v1/chat/completions')
  expect(request.parentSpanId).toBe(clientSpan)
  expect(request.attributes).toMatchObject({
    'http.route': '/v1/chat/completions',
    'http.response.status_code': 200,
  })
  expect(parentOf(one('admission'))).toBe(request.name)
  expect(parentOf(one('invoke_agent'))).toBe(request.name)
  expect(named(spans, 'step').map(parentOf)).toEqual(Array(4).fill('invoke_agent'))
  expect(new Set(named(spans, 'step').map((span) => span.attributes['run.step']))).toEqual(
    new Set([1, 2, 3, 4]),
  )
  expect(parentOf(one('execute_tool list_files'))).toBe('step')
  expect(one('execute_tool read_file').failed).toBe(true)
  const calls = named(spans, 'chat service')
  expect(calls.map(parentOf)).toEqual(['step', 'step'])
  for (const call of calls) expect(call.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 10 })
  const passedOn = upstream.requests.slice(sent).map(({ headers }) => headers['traceparent'])
  expect(passedOn).toEqual(calls.map(({ spanId }) => `00-${clientTrace}-${spanId}-01`))
  for (const span of spans) expect(span.endMs).toBeGreaterThanOrEqual(span.startMs)
})

test('spans of a turn that failed say so', async () => {
  world.upstream.enqueue(error(400, 'no such model'))
  const response = await post(ask('What fails?'), '')
  const spans = await spansOf(`${response.headers.get('x-service-run-id')}`)
  const failed = spans.filter((span) => span.failed).map(({ name }) => name)
  expect(failed.sort()).toEqual(['POST /v1/chat/completions', 'chat service', 'invoke_agent', 'step'])
})

test('a malformed traceparent starts a new trace; no key and no user text is sent', async () => {
  world.upstream.enqueue(reply('A very secret answer.'))
  const response = await post(ask('A very secret question?'), `00-${'0'.repeat(32)}-${clientSpan}-01`)
  const { x_service } = (await response.json()) as Completion
  const spans = await spansOf(x_service.run_id)
  expect(named(spans, 'POST /v1/chat/completions')[0]?.parentSpanId).toBeUndefined()
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  for (const secret of [world.key, 'secret question', 'secret answer'])
    expect(receiver.raw()).not.toContain(secret)
})

test('remaining spans are sent at shutdown, and a failing receiver disturbs nothing', async () => {
  const failing = await startOtlpReceiver({ status: 500 })
  const other = await openWorld({ telemetry: { otlpEndpoint: failing.endpoint } })
  other.upstream.enqueue(reply('All is well.'))
  expect((await other.chat(ask('Is it?'))).status).toBe(200)
  await other.close()
  expect(failing.spans.length).toBeGreaterThan(0)
  await failing.close()
})

/** Says on standard error when a process loads the part of the bundle that has OpenTelemetry's SDK. */
const tellLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (/dist.otel-/.test(url)) process.stderr.write('loaded ' + url + '\\n')
    return next(url, context)
  } })`)}`

test('a process without an endpoint loads none of it; one with an endpoint sends, with the headers of OTEL_EXPORTER_OTLP_HEADERS', async () => {
  const replicas = await openWorld({ processes: true, plan: 'unlimited' })
  const env = { NODE_OPTIONS: `--import ${tellLoaded}` }
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=marked-tenant',
  }
  const [without, sending] = await Promise.all([replicas.start(env), replicas.start({ ...env, ...settings })])
  replicas.upstream.enqueue(reply('One.'), reply('Two.'))
  expect((await replicas.chat(ask('One?'), { at: without })).status).toBe(200)
  expect((await without.stop('SIGTERM')).stderr).not.toContain('loaded')
  const response = await replicas.chat(ask('Two?'), { at: sending })
  const runId = `${response.headers.get('x-service-run-id')}`
  const { code, stderr } = await sending.stop('SIGTERM')
  expect({ code, loaded: stderr.includes('loaded') }).toEqual({ code: 0, loaded: true })
  expect(named(await spansOf(runId), 'invoke_agent')).toHaveLength(1)
  expect(receiver.raw()).toContain('"x-tenant":"marked-tenant"')
  await replicas.close()
})
