import { type IncomingMessage, request as open } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reply } from '../support/upstream-scripts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { makeOwner } from '../support/world/things.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let owner: { readonly key: string }
let other: { readonly key: string }
let sessionId: string
let runId: string

beforeAll(async () => {
  world = await openWorld({ script: () => reply('An answer.') })
  owner = await makeOwner(world.db)
  other = await makeOwner(world.db)
  const answer = await bodyOf(call(world.service, owner.key, 'POST', '/v1/chat/completions', ask('Why joy?')))
  ;({ session_id: sessionId, run_id: runId } = answer.x_service)
})
afterAll(() => world.close())

type Read = { readonly method: string; readonly path: string; readonly body?: object }

const statusesOf = ({ method, path, body }: Read, count: number, key = owner.key) =>
  Promise.all(
    Array.from({ length: count }, async () => (await call(world.service, key, method, path, body)).status),
  )

test.each<[string, () => Read]>([
  [
    'items',
    () => ({ method: 'GET', path: `/v1/conversations/${sessionId.replace('sess_', 'conv_')}/items` }),
  ],
  ['messages', () => ({ method: 'GET', path: `/v1/agent/sessions/${sessionId}/messages` })],
  ['runs', () => ({ method: 'GET', path: `/v1/agent/sessions/${sessionId}/runs` })],
  [
    'input items',
    () => ({ method: 'GET', path: `/v1/responses/${runId.replace('run_', 'resp_')}/input_items` }),
  ],
  [
    'tokens',
    () => ({
      method: 'POST',
      path: '/v1/responses/input_tokens',
      body: { model: 'service', input: 'joy '.repeat(20_000) },
    }),
  ],
])('an account that reads %s very often at once is refused, and no other account', async (_, read) => {
  const [statuses, others] = await Promise.all([
    statusesOf(read(), 400),
    statusesOf({ method: 'GET', path: '/v1/agent/sessions' }, 3, other.key),
  ])
  expect(statuses).toContain(429)
  expect(statuses).toContain(200)
  expect(others).toEqual([200, 200, 200])
  expect(await statusesOf(read(), 10)).toEqual(Array(10).fill(200))
})

test('an unread reply keeps its slot until its client disconnects', async () => {
  const { id } = await bodyOf(call(world.service, owner.key, 'POST', '/v1/conversations', {}))
  const items = Array(2).fill({ role: 'user', content: 'word '.repeat(190_000) })
  for (let n = 0; n < 5; n += 1)
    await call(world.service, owner.key, 'POST', `/v1/conversations/${id}/items`, { items })
  const path = `/v1/conversations/${id}/items?limit=100`
  const unread = await Promise.all(Array.from({ length: 4 }, () => beginReading(path)))
  let hasLeft = false
  const small = `/v1/agent/sessions/${sessionId}/messages`
  const later = Array.from({ length: 3 }, () =>
    call(world.service, owner.key, 'GET', small).then(({ status }) => ({ status, hasLeft })),
  )
  for (let n = 0; n < 30; n += 1) {
    expect(await statusesOf({ method: 'GET', path: '/v1/agent/sessions' }, 1, other.key)).toEqual([200])
  }
  hasLeft = true
  for (const reading of unread) reading.destroy()
  expect(await Promise.all(later)).toEqual(Array(3).fill({ status: 200, hasLeft: true }))
})

/** A reply whose body nobody reads. */
function beginReading(path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(world.service.url)
  const headers = { authorization: `Bearer ${owner.key}` }
  return new Promise((resolve, reject) => {
    open({ hostname, port, path, headers, agent: false }, resolve).once('error', reject).end()
  })
}
