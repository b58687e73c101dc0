import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { builtInPlans } from '../../src/accounts/plans.ts'
import { importJsonl } from '../../src/sources/import-jsonl.ts'
import { form, type Reply, send, sendJson } from '../support/http-raw.ts'
import { ask, table } from '../support/http-routes.ts'
import {
  answerText,
  makeKeyWithId,
  makeOwner,
  makeThings,
  openWorld,
  type Things,
  type World,
} from '../support/http-world.ts'
import { question, startTestService, type TestService } from '../support/service.ts'
import {
  callTools,
  cut,
  error,
  gate,
  reply as says,
  toolUsingConversation,
} from '../support/upstream-scripts.ts'

type Json = Record<string, unknown>
type Response = Json & {
  readonly headers: Json
  readonly content: Readonly<Record<string, unknown>>
  readonly 'x-codes'?: readonly string[]
}
type Operation = Json & {
  readonly 'x-scope': string
  readonly security: readonly unknown[]
  readonly requestBody?: { readonly content: Json }
  readonly responses: Readonly<Record<string, Json>>
}
type Document = Json & {
  readonly info: Json
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

let world: World
let service: TestService
let things: Things
let text: string
let document: Document
let ajv: Ajv2020

beforeAll(async () => {
  world = await openWorld()
  service = world.service
  await importJsonl(world.db.database, passages(), { allowLicenses: [] })
  things = await makeThings(world.db, service, await makeOwner(world.db))
  text = (await get('/openapi.json')).text
  document = JSON.parse(text)
  ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(document, 'requests', false, false)
  ajv.addSchema(closed(document) as Json, 'replies', false, false)
})
afterAll(() => world.close())

async function* passages(): AsyncGenerator<string> {
  for (const [n, en] of [
    'A lamp gives light to the room.',
    'A lantern carries its light abroad.',
  ].entries()) {
    const ref = `Book of Lamps ${n + 1}`
    const source_url = `https://example.org/lamps/${n + 1}`
    yield JSON.stringify({ work: 'Book of Lamps', ref, en, license: 'CC0', author: 'A. Writer', source_url })
  }
}

/** The document with no room for fields that it does not name: so that a reply cannot say more than it should. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  const named = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return named ? { ...copy, additionalProperties: false } : copy
}

/** What is wrong with a value by the schema at a JSON pointer of the document; empty when nothing is. */
function faults(of: 'requests' | 'replies', value: unknown, path: readonly string[]): readonly string[] {
  const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  const validate = ajv.compile({ $ref: `${of}#/${encodeURI(pointer)}` })
  return validate(value) ? [] : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message}`)
}

const pathOf = (url: string) => url.replaceAll(/:(\w+)/g, '{$1}')

/** Whether status, headers, codes and body of a reply are those that the document has for the route. */
function faultsOf(route: string, answer: Reply): readonly string[] {
  const [method = '', url = ''] = route.split(' ')
  const at = ['paths', pathOf(url), method.toLowerCase(), 'responses', String(answer.status)]
  const own = document.paths[pathOf(url)]?.[method.toLowerCase()]?.responses[answer.status]
  if (!own) return [`the status ${answer.status} is not described`]
  const shared =
    String(own['$ref'] ?? '')
      .split('/')
      .at(-1) ?? ''
  const response = shared === '' ? (own as Response) : (document.components.responses[shared] as Response)
  const place = shared === '' ? at : ['components', 'responses', shared]
  const type = answer.headers['content-type']?.split(';')[0] ?? ''
  const known = type in response.content ? type : '*/*' in response.content ? '*/*' : undefined
  if (known === undefined) return [`the content type ${type} is not described`]
  const told = /^(x-(?!accel)|retry-after|www-auth|idempotency|location|content-(?!type|length))/
  const headers = Object.keys(answer.headers).filter((name) => told.test(name) && !(name in response.headers))
  return [
    ...headers.map((name) => `the header ${name} is not described`),
    ...bodiesOf(known, answer).flatMap((body) =>
      faults('replies', body, [...place, 'content', known, 'schema']),
    ),
    ...codesOf(answer)
      .filter((code) => !response['x-codes']?.includes(code))
      .map((code) => `the code ${code} is not described`),
  ]
}

function bodiesOf(type: string, { text }: Reply): readonly unknown[] {
  if (type === '*/*') return [text]
  return type === 'text/event-stream' ? dataOf(text) : [JSON.parse(text)]
}

/** What the `data:` lines of a stream say, the end mark apart. */
function dataOf(stream: string): readonly Json[] {
  const lines = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data)
  return lines.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data))
}

const codesOf = (answer: Reply): readonly string[] =>
  answer.status < 400 ? [] : [JSON.parse(answer.text).error.code]

const get = (path: string, key?: string) => send(service, { method: 'GET', path, key })
const chat = (body: object, key = things.key, headers = {}) =>
  sendJson(service, { method: 'POST', path: '/v1/chat/completions', key, body, headers })
const chatRoute = 'POST /v1/chat/completions'

test('the document is valid OpenAPI 3.1 by a public validator', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result).toEqual({ valid: true })
  const { info: _, ...spoiled } = structuredClone(document)
  expect(await new Validator().validate(spoiled)).toMatchObject({ valid: false })
})

test('every route of the service is in the document, with the scope it asks for', () => {
  const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      expect(operation.security).toEqual(operation['x-scope'] === 'public' ? [] : [{ bearer: [] }])
      return `${method.toUpperCase()} ${path} ${operation['x-scope']}`
    }),
  )
  const served = table.filter((row) => !row.named).map((row) => `${pathOf(row.route)} ${row.scope}`)
  expect(listed.toSorted()).toEqual(served.toSorted())
})

test('the document is one and the same with a key, without, and from another replica, and tells the version', async () => {
  const other = await startTestService(world.db.database)
  try {
    const path = '/openapi.json'
    expect((await send(other, { method: 'GET', path })).text).toBe(text)
    expect((await get(`/v1${path}`, things.key)).text).toBe(text)
    expect(document.info['version']).toBe(manifest.version)
  } finally {
    await other.stop()
  }
})

test('a field that is missing, of another type or not described is seen', () => {
  const project = { id: 'proj_1', object: 'project', name: 'P', created_at: 1 }
  const at = ['components', 'schemas', 'Project']
  expect(faults('replies', project, at)).toEqual([])
  const { name: _, ...nameless } = project
  for (const wrong of [nameless, { ...project, created_at: '1' }, { ...project, secret: 1 }]) {
    expect(faults('replies', wrong, at)).toHaveLength(1)
  }
})

test.each(table)('$route answers, and takes, what the document says of it', async (row) => {
  const answer = await ask(world, row, things.key, things)
  expect(answer.status).toBe(row.ok ?? 200)
  expect(faultsOf(row.route, answer)).toEqual([])
  const [method = '', url = ''] = row.route.split(' ')
  const at = [
    'paths',
    pathOf(url),
    method.toLowerCase(),
    'requestBody',
    'content',
    'application/json',
    'schema',
  ]
  const content = document.paths[pathOf(url)]?.[method.toLowerCase()]?.requestBody?.content
  if (content && 'application/json' in content) expect(faults('requests', row.body?.(things), at)).toEqual([])
})

test('replies about the library are described with all that they can hold', async () => {
  const { key } = things
  const verify = (body: object) =>
    sendJson(service, { method: 'POST', path: '/v1/sources/verify', key, body })
  const replies: readonly (readonly [string, Reply])[] = [
    ['GET /v1/sources/works', await get('/v1/sources/works', key)],
    ['GET /v1/sources/search', await get('/v1/sources/search?q=lamp%20light', key)],
    ['GET /v1/sources/:ref', await get('/v1/sources/Book%20of%20Lamps%201?after=1', key)],
    [
      'POST /v1/sources/verify',
      await verify({
        text: 'It says “A lamp gives light to the room” (Book of Lamps 1), “Nobody ever wrote these words” (Book of Lamps 2).',
        refs: ['Book of Lamps 9'],
      }),
    ],
  ]
  for (const [route, answer] of replies) {
    const { data, passages, quotes } = JSON.parse(answer.text)
    expect((data ?? passages ?? quotes).length).toBeGreaterThan(0)
    expect({ route, faults: faultsOf(route, answer) }).toEqual({ route, faults: [] })
  }
})

/** A turn that searches, writes a file, and answers with a quotation. */
function scriptTurn(): void {
  const write = { name: 'write_file', arguments: { name: `notes-${Math.random()}.md`, content: 'Notes' } }
  const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
  world.upstream.enqueue(callTools([search, write], { text: 'Let me look.' }), toolUsingConversation)
}

test('a whole reply with sources, citations and files, its session and its run are described', async () => {
  scriptTurn()
  const answer = await chat(question('lamp light'))
  const body = JSON.parse(answer.text)
  expect(body.x_service.files).toHaveLength(1)
  expect(body.x_service.sources[0].verification[0].result).toBe('verbatim')
  expect(body.choices[0].message.annotations).toHaveLength(1)
  expect(faultsOf(chatRoute, answer)).toEqual([])
  const { session_id: session, run_id: run } = body.x_service
  const item = await get(`/v1/agent/runs/${run}`, things.key)
  expect(JSON.parse(item.text).output.map((one: Json) => one['type'])).toEqual(['message', 'source', 'file'])
  const below: Record<string, string> = {
    'GET /v1/agent/runs/:id': `runs/${run}`,
    'GET /v1/agent/runs/:id/events': `runs/${run}/events`,
    'GET /v1/agent/sessions/:id/runs': `sessions/${session}/runs`,
    'GET /v1/agent/sessions/:id/messages': `sessions/${session}/messages`,
  }
  for (const [route, path] of Object.entries(below)) {
    const answer = await get(`/v1/agent/${path}`, things.key)
    expect({ route, faults: faultsOf(route, answer) }).toEqual({ route, faults: [] })
  }
})

test('every chunk of a stream is described: text, progress, citations, files, the end and the usage', async () => {
  scriptTurn()
  const body = { ...question('lamp light'), stream: true, stream_options: { include_usage: true } }
  const answer = await chat(body)
  const chunks = JSON.stringify(dataOf(answer.text))
  for (const part of [
    '"annotations"',
    '"tool.finished"',
    '"file"',
    '"finish_reason":"stop"',
    '"choices":[]',
  ]) {
    expect(chunks).toContain(part)
  }
  expect(faultsOf(chatRoute, answer)).toEqual([])
})

test('a turn that waits for the client’s tools, and the answers to them, are described', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  const body = { ...question('Weather?'), tools }
  for (const stream of [false, true]) {
    world.upstream.enqueue(callTools([{ name: 'weather', arguments: {} }]))
    const answer = await chat({ ...body, stream })
    expect(answer.text).toContain('"finish_reason":"tool_calls"')
    expect(faultsOf(chatRoute, answer)).toEqual([])
    if (stream) continue
    const { message } = JSON.parse(answer.text).choices[0]
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Rain' }
    const request = { ...body, messages: [...body.messages, message, result] }
    const schema = [
      'paths',
      '/v1/chat/completions',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]
    expect(faults('requests', request, schema)).toEqual([])
    const next = await chat(request)
    const session = JSON.parse(next.text).x_service.session_id
    const messages = await get(`/v1/agent/sessions/${session}/messages`, things.key)
    expect(messages.text).toContain('"tool_call_id"')
    expect(faultsOf('GET /v1/agent/sessions/:id/messages', messages)).toEqual([])
  }
})

test('a stream that fails, a run that failed, and a replayed reply are described', async () => {
  world.upstream.enqueue(cut('Half of a'))
  const failed = await chat({ ...question('Fail'), stream: true })
  expect(failed.text).toContain('"error":{')
  expect(faultsOf(chatRoute, failed)).toEqual([])
  const run = failed.headers['x-service-run-id']
  const route = 'GET /v1/agent/runs/:id'
  expect(faultsOf(route, await get(`/v1/agent/runs/${run}`, things.key))).toEqual([])
  const events = await get(`/v1/agent/runs/${run}/events`, things.key)
  expect(events.text).toContain('event: run.failed')
  expect(faultsOf(`${route}/events`, events)).toEqual([])
  const again = { 'idempotency-key': 'one' }
  await chat(question('Twice'), things.key, again)
  const replayed = await chat(question('Twice'), things.key, again)
  expect(replayed.headers['idempotency-replayed']).toBe('true')
  expect(faultsOf(chatRoute, replayed)).toEqual([])
})

test('a background reply and the reply of a cancelled turn are described', async () => {
  const wait = gate()
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: wait.opened }])
  const answer = await chat({ ...question('Later'), x_service: { background: true } })
  expect(answer.headers['location']).toBeDefined()
  expect(faultsOf(chatRoute, answer)).toEqual([])
  const { run_id: run, session_id: session } = JSON.parse(answer.text).x_service
  const busy = await send(service, {
    method: 'DELETE',
    path: `/v1/agent/sessions/${session}`,
    key: things.key,
  })
  expect(busy.status).toBe(409)
  expect(faultsOf('DELETE /v1/agent/sessions/:id', busy)).toEqual([])
  const path = `/v1/agent/runs/${run}/cancel`
  const cancelled = await send(service, { method: 'POST', path, key: things.key })
  expect(faultsOf('POST /v1/agent/runs/:id/cancel', cancelled)).toEqual([])
  const events = await get(`/v1/agent/runs/${run}/events`, things.key)
  wait.open()
  expect(events.text).toContain('event: run.cancelled')
  expect(faultsOf('GET /v1/agent/runs/:id/events', events)).toEqual([])
})

test.each(['day', 'model', 'key', 'project'])('usage by %s is described', async (group) => {
  const answer = await get(`/v1/usage?group_by=${group}`, things.key)
  expect(JSON.parse(answer.text).data[0]).toHaveProperty(group)
  expect(faultsOf('GET /v1/usage', answer)).toEqual([])
})

type Failure = { readonly route: string; readonly code: string; readonly answer: () => Promise<Reply> }

const post = (path: string, body: string | Buffer, type = 'application/json') =>
  send(service, { method: 'POST', path, key: things.key, headers: { 'content-type': type }, body })

const failures: readonly Failure[] = [
  { route: 'GET /v1/models', code: 'invalid_api_key', answer: () => get('/v1/models') },
  {
    route: 'GET /v1/models',
    code: 'missing_scope',
    answer: async () => {
      const reach = { kind: 'owner' } as const
      const { key } = await makeKeyWithId(world.db, things.accountId, reach, ['chat:write'])
      return get('/v1/models', key)
    },
  },
  {
    route: 'GET /v1/models',
    code: 'plan_without_api_access',
    answer: async () => get('/v1/models', (await makeOwner(world.db, 'free')).key),
  },
  { route: 'GET /v1/models/:model', code: 'model_not_found', answer: () => get('/v1/models/x', things.key) },
  { route: 'GET /v1/files/:id', code: 'not_found', answer: () => get('/v1/files/x', things.key) },
  { route: 'GET /v1/files', code: 'invalid_value', answer: () => get('/v1/files?limit=0', things.key) },
  {
    route: 'GET /v1/sources/search',
    code: 'missing_required_parameter',
    answer: () => get('/v1/sources/search', things.key),
  },
  { route: 'POST /v1/projects', code: 'invalid_json', answer: () => post('/v1/projects', '{') },
  {
    route: 'POST /v1/projects',
    code: 'missing_required_parameter',
    answer: () => post('/v1/projects', '{}'),
  },
  {
    route: 'POST /v1/projects',
    code: 'unsupported_content_type',
    answer: () => post('/v1/projects', 'x', 'a/b'),
  },
  {
    route: 'POST /v1/projects',
    code: 'request_too_large',
    answer: () => post('/v1/projects', JSON.stringify({ name: 'x'.repeat(2 ** 20) })),
  },
  {
    route: 'POST /v1/agent/sessions',
    code: 'model_not_found',
    answer: () => post('/v1/agent/sessions', '{"model":"x"}'),
  },
  {
    route: 'POST /v1/files',
    code: 'file_too_large',
    answer: async () => {
      const { key } = await makeOwner(world.db, 'basic')
      const parts = form([{ name: 'file', filename: 'a.txt', content: 'x'.repeat(65 * 1024) }])
      return send(service, { method: 'POST', path: '/v1/files', key, ...parts })
    },
  },
  { route: chatRoute, code: 'unsupported_parameter', answer: () => chat({ ...question('Two?'), n: 2 }) },
  {
    route: chatRoute,
    code: 'idempotency_key_reused',
    answer: async () => {
      await chat(question('One'), things.key, { 'idempotency-key': 'same' })
      return chat(question('Another'), things.key, { 'idempotency-key': 'same' })
    },
  },
  {
    route: chatRoute,
    code: 'upstream_error',
    answer: async () => {
      world.upstream.setDefault(error(500))
      const answer = await chat(question('Broken?'))
      world.upstream.setDefault(says(answerText))
      return answer
    },
  },
]

test.each(failures)('the refusal $code of $route is described', async ({ route, code, answer }) => {
  const refusal = await answer()
  expect(codesOf(refusal)).toEqual([code])
  expect(faultsOf(route, refusal)).toEqual([])
})

test('a request too many in a minute is described, with the seconds to wait', async () => {
  const few = { ...builtInPlans, of: (name: string) => ({ ...builtInPlans.of(name), requestsPerMinute: 0 }) }
  const other = await startTestService(world.db.database, { plans: few })
  try {
    const refusal = await send(other, { method: 'GET', path: '/v1/models', key: things.key })
    expect(refusal.headers['retry-after']).toBeDefined()
    expect(codesOf(refusal)).toEqual(['rate_limit_exceeded'])
    expect(faultsOf('GET /v1/models', refusal)).toEqual([])
  } finally {
    await other.stop()
  }
})

test('a service with a route under /v1 that is not described refuses to boot', async () => {
  const addRoute = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRegister', (instance) => {
      if (instance.prefix === '/v1')
        instance.get('/unknown', { config: { scope: 'any-key' } }, async () => '')
    })
  }
  subscribe('fastify.initialization', addRoute)
  try {
    await expect(startTestService(world.db.database)).rejects.toThrow('GET /v1/unknown has no docs')
  } finally {
    unsubscribe('fastify.initialization', addRoute)
  }
})
