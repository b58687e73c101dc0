import { afterAll, beforeAll, expect, test } from 'vitest'
import { error, reply, stall } from '../../support/scripted-upstream.ts'
import { type SwitchedProxy, startSwitchedProxy } from '../../support/switched-proxy.ts'
import { pepperText } from '../../support/world/accounts.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import type { Replica } from '../../support/world/processes.ts'
import type { Completion } from '../../support/world/replies.ts'
import { ask } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const modelKey = 'marked-model-key-1f0c'
const metricsToken = 'marked-metrics-token-77ab'
const cookie = 'marked-cookie-a8d3'
const queried = 'marked-query-secret-09ee'
// It shares no beginning with a secret: what hides an echoed key must not hide it too.
const said = 'private words of a person'

let proxy: SwitchedProxy
let service: Replica

const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  const url = new URL(world.db.url)
  proxy = await startSwitchedProxy({ host: url.hostname, port: Number(url.port) })
  url.port = `${proxy.port}`
  service = await world.start({
    DATABASE_URL: url.href,
    LOG_LEVEL: 'trace',
    MODEL_API_KEY: modelKey,
    METRICS_TOKEN: metricsToken,
  })
})

afterAll(() => proxy.close())

type Line = Readonly<Record<string, unknown>>

const lines = (): readonly Line[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** The one line of a request, once it is there. */
async function lineOf(requestId: string | null): Promise<Line> {
  const found = () => lines().filter((line) => line['msg'] === 'request' && line['requestId'] === requestId)
  await expect.poll(() => found().length).toBe(1)
  return found()[0] ?? {}
}

const get = (path: string, key = world.key, headers: Readonly<Record<string, string>> = {}) =>
  fetch(service.url + path, {
    headers: { authorization: `Bearer ${key}`, cookie: `s=${cookie}`, ...headers },
  })

test('a request is one line with its ids, route, status and duration', async () => {
  world.upstream.enqueue(reply('An answer.'))
  const response = await world.chat(ask(said), { at: service })
  const { x_service } = (await response.json()) as Completion
  const [key] = await world.rows<{ id: string; account_id: string }>(
    'select id, account_id from api_keys where $1 <> id',
    '',
  )
  const line = await lineOf(response.headers.get('x-request-id'))
  expect(line).toMatchObject({
    level: 30,
    method: 'POST',
    route: '/v1/chat/completions',
    status: 200,
    accountId: key?.account_id,
    keyId: key?.id,
    runId: x_service.run_id,
  })
  expect(line['durationMs']).toBeGreaterThan(0)
  const read = await get(`/v1/agent/runs/${x_service.run_id}`)
  expect(await lineOf(read.headers.get('x-request-id'))).toMatchObject({
    route: '/v1/agent/runs/:id',
    runId: x_service.run_id,
  })
})

test('the line of a refusal has its code, and that of a client that left says so', async () => {
  const refused = await get('/v1/models', 'svc_no_such_key')
  const line = await lineOf(refused.headers.get('x-request-id'))
  expect(line).toMatchObject({ status: 401, code: 'invalid_api_key' })
  expect(line).not.toHaveProperty('keyId')

  world.upstream.enqueue(stall('Some text'))
  const leaving = new AbortController()
  const stream = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask(said, { stream: true, x_service: { on_disconnect: 'cancel' } })),
    signal: leaving.signal,
  })
  await new LiveStream(stream).until('Some text')
  leaving.abort()
  expect(await lineOf(stream.headers.get('x-request-id'))).toMatchObject({ status: 200, left: true })
})

test('a turn that fails at its model leaves a line with run, model and status, streamed or not', async () => {
  const words = { error: { message: `cannot read "${said}"`, type: 'x' } }
  for (const stream of [false, true]) {
    world.upstream.enqueue(error(401, words))
    const response = await world.chat(ask(said, { stream }), { at: service })
    expect(await response.text()).toContain(said)
    const { runId } = await lineOf(response.headers.get('x-request-id'))
    const told = lines().filter((line) => line['runId'] === runId && Number(line['level']) >= 40)
    const reason = "The model's server refused the request (HTTP 401)"
    expect(told).toMatchObject([{ level: 40, model: 'service', reason, msg: 'a turn failed at its model' }])
  }
})

test('what balancers ask all day is told at the level debug only', async () => {
  const response = await get('/healthz')
  expect(await lineOf(response.headers.get('x-request-id'))).toMatchObject({ level: 20, route: '/healthz' })
})

test('the log has no secret and no user text at level trace, through all failures', async () => {
  const { upstream, key, db } = world
  const leaky = { error: { message: `bad key ${modelKey} in ${said}`, type: 'x' } }
  upstream.enqueue(error(401, leaky))
  await world.chat(ask(said), { at: service, headers: { cookie: `s=${cookie}`, 'idempotency-key': queried } })
  upstream.enqueue(error(500, leaky), error(500, leaky), error(500, leaky))
  await (await world.chat(ask(said, { stream: true }), { at: service })).text()
  const other = { authorization: `Basic ${Buffer.from(`u:${queried}`).toString('base64')}` }
  await get(`/v1/models?api_key=${key}&token=${queried}`, key)
  await get(`/v1/models?api_key=${queried}`, queried, other)
  await get(`/v1/files/${queried}?key=${key}`)
  await get(`/no/${queried}/route?key=${key}`)
  await get(`/v1/files/%E0%A4%A?key=${key}`)
  await get(`/metrics?token=${metricsToken}`, metricsToken)
  await get('/metrics', `${metricsToken}x`)
  for (const body of [
    `{"a": "${said}`,
    JSON.stringify(ask(said, { temperature: 'hot' })),
    `"${'x'.repeat(2e6)}"`,
  ]) {
    await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    }).catch(() => undefined)
  }
  await proxy.off()
  const without = [await world.chat(ask(said), { at: service }), await get(`/v1/models?key=${key}`)]
  expect(without.map(({ status }) => status)).toEqual([503, 503])
  const away = await lineOf(without[0]?.headers.get('x-request-id') ?? null)
  expect(away).toMatchObject({ status: 503, code: 'database_unavailable' })
  await proxy.on()
  await expect.poll(async () => (await get('/readyz')).status).toBe(200)
  const { code, stdout, stderr } = await service.stop('SIGTERM')
  expect(code).toBe(0)

  const secrets = {
    key,
    keyBody: key.slice(8, -6),
    password: decodeURIComponent(new URL(db.url).password),
    pepper: pepperText,
    ...{ modelKey, metricsToken, cookie, queried, said },
  }
  const log = stdout + stderr
  expect(log.split('"msg":"request"').length).toBeGreaterThan(15)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(7)
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      expect(log.includes(form), `${name} is in the log`).toBe(false)
    }
  }
})
