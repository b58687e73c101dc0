import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { KeyDefaults } from '../../src/accounts/key-defaults.ts'
import { runs } from '../../src/db/schema/index.ts'
import { makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ ...unhurried, script: [{ text: 'An answer.' }] })

const keyWith = (defaults: KeyDefaults) =>
  makeKey(world.db.database, world.accountId, { settings: { defaults } })

type Body = Readonly<Record<string, unknown>>

/** Asks through one of the APIs. Returns the id of the run, or the reply if it was refused. */
const apis = {
  chat: (key: string, { headers, ...fields }: Body = {}) =>
    post(
      key,
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: newQuestion() }], ...fields },
      headers,
    ),
  responses: (key: string, { max_tokens, headers, ...fields }: Body = {}) =>
    post(key, '/v1/responses', { input: newQuestion(), max_output_tokens: max_tokens, ...fields }, headers),
  mcp: askByMcp,
} as const

const newQuestion = () => `What is joy? ${Math.random()}`

async function post(key: string, path: string, body: Body, headers: unknown) {
  const reply = await call(world.service, key, 'POST', path, body, (headers ?? {}) as Record<string, string>)
  const { x_service, error } = await bodyOf(reply)
  return { runId: x_service?.run_id as string | undefined, error }
}

async function askByMcp(key: string) {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.service.url}/mcp`), { requestInit: { headers } }),
  )
  const result = await client.callTool({ name: 'ask', arguments: { question: newQuestion() } })
  await client.close()
  const { run_id: runId } = (result.structuredContent ?? {}) as { run_id?: string }
  return { runId, error: runId === undefined ? JSON.stringify(result.content) : undefined }
}

async function runOf(api: keyof typeof apis, key: string, fields: Body = {}) {
  const { runId, error } = await apis[api](key, fields)
  expect(error ?? undefined).toBeUndefined()
  const [run] = await world.db.database.system
    .select()
    .from(runs)
    .where(eq(runs.id, runId ?? ''))
  const sent = world.upstream.requests.at(-1)?.body
  return { run, request: run?.request as Record<string, unknown>, sent }
}

const defaults: KeyDefaults = {
  model: 'service-lite',
  onDisconnect: 'cancel',
  tools: ['sheets'],
  citationStyle: 'links',
  maxOutputTokens: 77,
  maxCostMicros: 9_000_000,
}

const each = ['chat', 'responses', 'mcp'] as const

test.each(each)('a request over %s has the defaults of its key', async (api) => {
  const { run, request, sent } = await runOf(api, await keyWith(defaults))
  expect(run).toMatchObject({ model: 'service-lite', onDisconnect: 'cancel', maxMicros: 9_000_000n })
  expect(request).toMatchObject({
    toolGroups: ['sheets'],
    citationStyle: 'links',
    sampling: { maxTokens: 77 },
  })
  expect(sent?.['max_tokens'] ?? sent?.['max_completion_tokens']).toBe(77)
})

test.each(each)('a default tool group is the only one that the model gets over %s', async (api) => {
  const { sent } = await runOf(api, await keyWith({ model: 'service', tools: ['sheets'] }))
  expect(sent?.tools?.map((tool) => tool.function.name)).toEqual(['make_source_sheet'])
})

test.each(['chat', 'responses'] as const)(
  'over %s each field of a request counts more than the default',
  async (api) => {
    const own = { on_disconnect: 'continue', tools: ['files'], citation_style: 'numbers', max_cost: 4 }
    const fields = { model: 'service', max_tokens: 50, x_service: own }
    const { run, request, sent } = await runOf(api, await keyWith(defaults), fields)
    expect(run).toMatchObject({ model: 'service', onDisconnect: 'continue', maxMicros: 4_000_000n })
    expect(request).toMatchObject({ toolGroups: ['files'], sampling: { maxTokens: 50 } })
    expect(request).not.toHaveProperty('citationStyle')
    expect(sent?.model).not.toBe('service-lite')
  },
)

test('a header counts more than the default of the key', async () => {
  const headers = { 'x-service-on-disconnect': 'continue', 'x-service-max-cost': '4.5' }
  const { run } = await runOf('chat', await keyWith(defaults), { headers })
  expect(run).toMatchObject({ onDisconnect: 'continue', maxMicros: 4_500_000n })
})

test.each(['chat', 'responses'] as const)(
  'over %s a model is required if the key has no default',
  async (api) => {
    const { error } = await apis[api](await keyWith({}))
    expect(error).toMatchObject({
      code: 'missing_required_parameter',
      param: 'model',
      message: '`model` is required.',
    })
  },
)

test.each(['chat', 'responses'] as const)(
  'over %s a null model means the default of the key',
  async (api) => {
    const { run } = await runOf(api, await keyWith({ model: 'service' }), { model: null })
    expect(run?.model).toBe('service')
  },
)

test('a maximum cost below the first model call is refused, and the message says what that may cost', async () => {
  const { error } = await apis.chat(await keyWith({ model: 'service', maxCostMicros: 1_000_000 }))
  expect(error).toMatchObject({ code: 'invalid_value', param: 'max_cost' })
  expect(error.message).toMatch(
    /^The first model call may cost 2\.\d+ credits, more than the `max_cost` of 1\./,
  )
})

test('a maximum cost above that of the service changes nothing', async () => {
  const { run } = await runOf('chat', await keyWith({ model: 'service', maxCostMicros: 900_000_000 }))
  expect(run?.maxMicros).toBe(50_000_000n)
})

test('a retry finds its run although the defaults of the key have changed since', async () => {
  const key = await keyWith({ model: 'service', citationStyle: 'links' })
  const body = { messages: [{ role: 'user', content: newQuestion() }] }
  const headers = { 'idempotency-key': 'one' }
  const first = await post(key, '/v1/chat/completions', body, headers)
  await world.db.database.systemPool.query(`update api_keys set defaults = '{"model": "service-lite"}'`)
  const second = await post(key, '/v1/chat/completions', body, headers)
  expect(second).toEqual(first)
})

test('a session that names no model has that of its key', async () => {
  const key = await keyWith({ model: 'service-lite' })
  const session = await bodyOf(call(world.service, key, 'POST', '/v1/agent/sessions', {}))
  expect(session.model).toBe('service-lite')
})

test('a key without continued histories starts a session for each request that does not ask for one', async () => {
  const sessionAfter = async (key: string, fields: Body) => {
    const first = { role: 'user', content: newQuestion() }
    const send = (messages: readonly object[], more: Body) =>
      bodyOf(call(world.service, key, 'POST', '/v1/chat/completions', { messages, ...more }))
    const { x_service, choices } = await send([first], fields)
    const again = [first, choices[0].message, { role: 'user', content: 'And more?' }]
    const next = await send(again, fields)
    return next.x_service.session_id === x_service.session_id
  }
  const off = await keyWith({ model: 'service', continueHistory: false })
  expect(await sessionAfter(off, {})).toBe(false)
  expect(await sessionAfter(off, { x_service: { continue: true } })).toBe(true)
  expect(await sessionAfter(await keyWith({ model: 'service' }), {})).toBe(true)
})
