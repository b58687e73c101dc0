import { beforeAll, expect, test } from 'vitest'
import { reply } from '../support/scripted-upstream.ts'
import { call, question } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld, type World } from '../support/world/world.ts'

const origin = 'https://app.example.org'
const own = { origin }
const foreign = { origin: 'https://evil.example' }

let { service, key } = {} as World
let closed: TestService

const world = useWorld({
  corsOrigins: [origin, 'http://localhost:5173'],
  script: reply('An answer.'),
})
beforeAll(async () => {
  ;({ service, key } = world)
  closed = await world.start({ corsOrigins: [] })
})

const preflight = (path: string, headers: Readonly<Record<string, string>>, at = service) =>
  fetch(at.url + path, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
      ...headers,
    },
  })

const allowed = (response: Response) => response.headers.get('access-control-allow-origin')

test('a preflight of a listed origin is answered without a key', async () => {
  const response = await preflight('/v1/chat/completions', own)
  expect(response.status).toBe(204)
  expect(allowed(response)).toBe(origin)
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, DELETE')
  expect(response.headers.get('access-control-allow-headers')).toContain('authorization')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  expect(response.headers.get('vary')).toMatch(/origin/i)
})

test.each([{}, { stream: true }])(
  'a script of a listed origin reads reply and headers of %j',
  async (more) => {
    const response = await call(
      service,
      key,
      'POST',
      '/v1/chat/completions',
      { ...question('Hello'), ...more },
      own,
    )
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('An answer.')
    expect(allowed(response)).toBe(origin)
    const exposed = (response.headers.get('access-control-expose-headers') ?? '').split(', ')
    const custom = [...response.headers.keys()].filter((name) => /^(x-|idempotency|retry)/.test(name))
    expect(custom).toEqual(expect.arrayContaining(['x-request-id', 'x-service-run-id']))
    expect(custom.filter((name) => !exposed.includes(name) && name !== 'x-accel-buffering')).toEqual([])
    expect(exposed).toEqual(expect.arrayContaining(['retry-after', 'idempotency-replayed']))
  },
)

test('a script of a listed origin can read why it was refused', async () => {
  for (const [path, status] of [
    ['/v1/key', 401],
    ['/v1/none', 404],
  ] as const) {
    const response = await call(service, undefined, 'GET', path, undefined, own)
    expect([path, response.status, allowed(response)]).toEqual([path, status, origin])
  }
})

test.each(['https://evil.example', 'null', `${origin}.evil.example`, 'http://app.example.org'])(
  'the origin %s is not allowed',
  async (other) => {
    expect(allowed(await preflight('/v1/models', { origin: other }))).toBeNull()
    expect(allowed(await call(service, key, 'GET', '/v1/models', undefined, { origin: other }))).toBeNull()
  },
)

test('the pages stay closed to every other origin', async () => {
  for (const path of ['/signin', '/settings/keys', '/docs', '/library']) {
    expect(allowed(await preflight(path, own))).toBeNull()
    expect(allowed(await fetch(service.url + path, { headers: own, redirect: 'manual' }))).toBeNull()
  }
})

test('without CORS_ORIGINS no route answers preflights or names an origin', async () => {
  const response = await preflight('/v1/models', own, closed)
  expect([response.status, allowed(response)]).toEqual([404, null])
  for (const headers of [own, foreign]) {
    const reply = await call(closed, key, 'GET', '/v1/models', undefined, headers)
    expect([reply.status, allowed(reply), reply.headers.get('vary')]).toEqual([200, null, null])
  }
})
