import { expect, test } from 'vitest'
import { noSettings } from '../../src/accounts/keys/key-settings.ts'
import { makeKey } from '../support/world/accounts.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ ...unhurried, script: [{ text: 'An answer.' }] })

const newKey = (options: Parameters<typeof makeKey>[2] = {}) =>
  makeKey(world.db.database, world.accountId, options)
const send = (key: string, method: string, path: string, body?: unknown) =>
  call(world.service, key, method, path, body)
const ask = (key: string) => send(key, 'POST', '/v1/chat/completions', question(`${Math.random()}`))
const infoOf = (key: string) => bodyOf(send(key, 'GET', '/v1/key'))

test('a turn above the spending cap of its key gets 402 with the cap and the remedy, and costs nothing', async () => {
  const key = await newKey({ settings: { dayCapMicros: 1_000_000n } })
  const refused = await ask(key)
  expect(refused.status).toBe(402)
  expect(await bodyOf(refused)).toEqual({
    error: {
      code: 'key_cap_reached',
      type: 'billing_error',
      param: null,
      message: expect.stringMatching(
        /^The turn needs a hold of 2\.\d+ credits, but the cap of 1 credits per day of this API key leaves 1\. Wait until \d{4}-\d\d-\d\d \(UTC\), or raise the cap on the page API keys\.$/,
      ),
    },
  })
  expect((await infoOf(key)).spending.day.used).toBe('0')
})

test('a key above its requests per minute gets 429 with Retry-After, and another key does not', async () => {
  const key = await newKey({ settings: { requestsPerMinute: 2 } })
  const first = await send(key, 'GET', '/v1/models')
  expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2')
  expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1')
  expect(first.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+s$/)
  expect([...first.headers.keys()].filter((name) => name.startsWith('x-ratelimit-'))).toHaveLength(3)
  expect((await send(key, 'GET', '/v1/key')).status).toBe(200)
  const refused = await send(key, 'GET', '/v1/models')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const { error } = await bodyOf(refused)
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' })
  expect(error.message).toContain('This API key allows 2 requests per minute')
  const other = await send(await newKey(), 'GET', '/v1/models')
  expect(other.headers.get('x-ratelimit-limit-requests')).toBe('1000000')
})

test('any key reads its own name, limits, defaults and spending', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000)
  const settings = {
    dayCapMicros: 10_000_000n,
    totalCapMicros: 1_000_000n,
    requestsPerMinute: 60,
    concurrentTurns: 2,
    defaults: { model: 'service', tools: ['library'], maxCostMicros: 5_000_000, continueHistory: true },
  }
  const key = await newKey({ scopes: ['files:read'], expiresAt, settings })
  const now = new Date()
  expect(await infoOf(key)).toMatchObject({
    name: 'test',
    scopes: ['files:read'],
    expires_at: Math.floor(expiresAt.getTime() / 1_000),
    project: { id: expect.stringMatching(/^proj_/), name: 'API: test' },
    limits: { requests_per_minute: 60, concurrent_turns: 2 },
    spending: {
      day: { used: '0', cap: '10', remaining: '10' },
      month: {
        ...{ used: '0', cap: null, remaining: null },
        resets_at: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000,
      },
      total: { used: '0', cap: '1', remaining: '1', resets_at: null },
      held: '0',
    },
    defaults: { model: 'service', tools: ['library'], max_cost: '5', continue_history: true },
  })
})

test('spending counts what each turn of the key cost, and nothing of other keys', async () => {
  const key = await newKey({ settings: { monthCapMicros: 100_000_000n } })
  const other = await newKey()
  const costs = []
  for (const one of [key, other, key]) {
    const { usage } = await bodyOf(ask(one))
    if (one === key) costs.push(usage.cost)
  }
  const { spending } = await infoOf(key)
  const used = Number(spending.month.used)
  expect(used).toBeGreaterThan(0)
  expect(used).toBeCloseTo(costs[0] + costs[1], 6)
  expect(Number(spending.month.remaining)).toBeCloseTo(100 - used, 6)
  expect(spending.total.used).toBe(spending.month.used)
})

test('a turn whose next step would pass the cap ends with what it has, and says so', async () => {
  const key = await newKey({ settings: { totalCapMicros: 2_100_000n } })
  const usage = { prompt_tokens: 2_000, completion_tokens: 500 }
  world.upstream.enqueue([
    { text: 'I look.' },
    { toolCalls: [{ name: 'list_works', arguments: {} }] },
    { usage },
  ])
  const { choices } = await bodyOf(ask(key))
  expect(choices[0].message.content).toContain(
    'The turn reached the cap of 2.1 credits in all of its API key.',
  )
  expect(choices[0].finish_reason).toBe('length')
  const { spending } = await infoOf(key)
  expect(Number(spending.total.used)).toBeGreaterThan(0)
  expect(Number(spending.total.used)).toBeLessThanOrEqual(2.1)
  expect(spending.held).toBe('0')
})

test.each([
  ['GET', '/v1/models'],
  ['GET', '/v1/key'],
  ['GET', '/v1/files'],
  ['GET', '/v1/projects'],
  ['GET', '/v1/agent/sessions'],
  ['GET', '/v1/no-such-route'],
  ['POST', '/mcp'],
])('a dedicated key has its project after its first request, here %s %s', async (method, path) => {
  const key = await newKey({ settings: noSettings })
  await send(key, method, path, method === 'POST' ? {} : undefined)
  const { project } = await infoOf(key)
  expect(project.name).toBe('API: test')
  const { data } = await bodyOf(send(key, 'GET', '/v1/projects'))
  expect(data).toMatchObject([{ id: project.id, name: 'API: test' }])
})

test('many first requests of a dedicated key create one project', async () => {
  const key = await newKey()
  await Promise.all(Array.from({ length: 8 }, () => send(key, 'GET', '/v1/models')))
  const { data } = await bodyOf(send(key, 'GET', '/v1/projects'))
  expect(data).toHaveLength(1)
})

test('a request with a refused key creates no project', async () => {
  const key = await newKey()
  const rows = await world.rows<{ id: string }>(
    'update api_keys set revoked_at = now() where digest = (select digest from api_keys order by created_at desc limit 1) returning id',
  )
  expect((await send(key, 'GET', '/v1/models')).status).toBe(401)
  const { rows: keys } = await world.db.database.systemPool.query(
    'select project_id from api_keys where id = $1',
    [rows[0]?.id],
  )
  expect(keys).toEqual([{ project_id: null }])
})
