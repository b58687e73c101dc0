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

const post = (path: string, body: string | Buffer, type = 'application/json') =>
  send(service, { method: 'POST', path, key: things.key, headers: { 'content-type': type }, body })

async function withoutScope(): Promise<Reply> {
  const { key } = await makeKeyWithId(world.db, things.accountId, { kind: 'owner' }, ['chat:write'])
  return get('/v1/models', key)
}

async function tooLarge(): Promise<Reply> {
  const { key } = await makeOwner(world.db, 'basic')
  const parts = form([{ name: 'file', filename: 'a.txt', content: 'x'.repeat(65 * 1024) }])
  return send(service, { method: 'POST', path: '/v1/files', key, ...parts })
}

async function otherWithOneKey(): Promise<Reply> {
  await chat(question('One'), { 'idempotency-key': 'same' })
  return chat(question('Another'), { 'idempotency-key': 'same' })
}

async function brokenUpstream(): Promise<Reply> {
  world.upstream.setDefault(error(500))
  const answer = await chat(question('Broken?'))
  world.upstream.setDefault(says(answerText))
  return answer
}

const withoutType = '{"items":[{"type":"item_reference"}]}'
const failures: readonly (readonly [code: string, route: string, answer: () => Promise<Reply>])[] = [
  ['invalid_api_key', 'GET /v1/models', () => get('/v1/models')],
  ['missing_scope', 'GET /v1/models', withoutScope],
  [
    'plan_without_api_access',
    'GET /v1/models',
    async () => get('/v1/models', (await makeOwner(world.db, 'free')).key),
  ],
  ['model_not_found', 'GET /v1/models/:model', () => get('/v1/models/x', things.key)],
  ['not_found', 'GET /v1/files/:id', () => get('/v1/files/x', things.key)],
  ['invalid_value', 'GET /v1/files', () => get('/v1/files?limit=0', things.key)],
  ['missing_required_parameter', 'GET /v1/sources/search', () => get('/v1/sources/search', things.key)],
  ['invalid_json', 'POST /v1/projects', () => post('/v1/projects', '{')],
  ['missing_required_parameter', 'POST /v1/conversations', () => post('/v1/conversations', withoutType)],
  ['missing_required_parameter', 'POST /v1/projects', () => post('/v1/projects', '{}')],
  ['unsupported_content_type', 'POST /v1/projects', () => post('/v1/projects', 'x', 'a/b')],
  ['request_too_large', 'POST /v1/projects', () => post('/v1/projects', `"${'x'.repeat(2 ** 20)}"`)],
  ['model_not_found', 'POST /v1/agent/sessions', () => post('/v1/agent/sessions', '{"model":"x"}')],
  ['file_too_large', 'POST /v1/files', tooLarge],
  ['unsupported_parameter', chatRoute, () => chat({ ...question('Two?'), n: 2 })],
  ['idempotency_key_reused', chatRoute, otherWithOneKey],
  ['upstream_error', chatRoute, brokenUpstream],
]

test.each(failures)('the refusal %s of %s is described', async (code, route, answer) => {
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
