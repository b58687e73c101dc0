import { beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { form, type Reply, send, sendJson } from '../../support/http-raw.ts'
import { type ApiReader, codesOf, readApi } from '../../support/openapi-reader.ts'
import { error, reply as says } from '../../support/upstream-scripts.ts'
import { question } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { makeKeyWithId, makeOwner, makeThings, type Things } from '../../support/world/things.ts'
import { answerText, unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let service: TestService
let things: Things
let api: ApiReader

const world = useWorld(unhurried)
beforeAll(async () => {
  service = world.service
  things = await makeThings(world.db, service, await makeOwner(world.db))
  api = readApi((await get('/openapi.json')).text)
})

const get = (path: string, key?: string) => send(service, { method: 'GET', path, key })
const chat = (body: object, headers = {}) =>
  sendJson(service, { method: 'POST', path: '/v1/chat/completions', key: things.key, body, headers })
const chatRoute = 'POST /v1/chat/completions'

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
    route: 'POST /v1/conversations',
    code: 'missing_required_parameter',
    answer: () => post('/v1/conversations', '{"items":[{"type":"item_reference"}]}'),
  },
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
      await chat(question('One'), { 'idempotency-key': 'same' })
      return chat(question('Another'), { 'idempotency-key': 'same' })
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
  expect(api.replyFaults(route, refusal)).toEqual([])
})

test('a request too many in a minute is described, with the seconds to wait', async () => {
  const few = { ...builtInPlans, of: (name: string) => ({ ...builtInPlans.of(name), requestsPerMinute: 0 }) }
  const other = await world.start({ plans: few })
  try {
    const refusal = await send(other, { method: 'GET', path: '/v1/models', key: things.key })
    expect(refusal.headers['retry-after']).toBeDefined()
    expect(codesOf(refusal)).toEqual(['rate_limit_exceeded'])
    expect(api.replyFaults('GET /v1/models', refusal)).toEqual([])
  } finally {
    await other.stop()
  }
})
