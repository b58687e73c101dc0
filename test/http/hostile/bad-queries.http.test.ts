import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { makeOwner, makeThings, type Things } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let home: Things

beforeAll(async () => {
  world = await openWorld(unhurried)
  home = await makeThings(world.db, world.service, await makeOwner(world.db))
})
afterAll(() => world.close())

const get = (path: string) =>
  send(world.service, { method: 'GET', path: path.replace(':session', home.sessionId), key: home.key })

const lists = ['/v1/projects', '/v1/agent/sessions', '/v1/agent/sessions/:session/messages', '/v1/files']
const badQueries = [
  { query: 'limit=0', param: 'limit' },
  { query: 'limit=-1', param: 'limit' },
  { query: 'limit=1.5', param: 'limit' },
  { query: 'limit=abc', param: 'limit' },
  { query: 'limit=', param: 'limit' },
  { query: 'limit=10001', param: 'limit' },
  { query: 'limit=5&limit=6', param: 'limit' },
  { query: 'order=up', param: 'order' },
  { query: 'order=DESC', param: 'order' },
  { query: 'after=', param: 'after' },
  { query: 'after=none', param: 'after' },
  { query: 'after=%00', param: 'after' },
  { query: 'after=a&after=b', param: 'after' },
]

const others = [
  { path: '/v1/usage', query: 'limit=0', param: 'limit' },
  { path: '/v1/usage', query: 'group_by=hour', param: 'group_by' },
  { path: '/v1/usage', query: 'start=yesterday', param: 'start' },
  { path: '/v1/usage', query: 'end=2026-02-30', param: 'end' },
  { path: '/v1/usage', query: 'start=2026-02-02&end=2026-02-01', param: 'start' },
  { path: '/v1/usage', query: 'start=2020-01-01', param: 'start' },
  { path: '/v1/usage', query: 'after=', param: 'after' },
  { path: '/v1/sources/works', query: 'limit=0', param: 'limit' },
  { path: '/v1/sources/search', query: 'q=', param: 'q' },
  { path: '/v1/sources/search', query: 'q=a&limit=101', param: 'limit' },
  { path: '/v1/sources/search', query: 'q=a&after=5', param: 'after' },
]

test.each([...others, ...lists.flatMap((path) => badQueries.map((bad) => ({ path, ...bad })))])(
  'GET $path?$query is refused and names `$param`',
  async ({ path, query, param }) => {
    const reply = await get(`${path}?${query}`)
    expectError(reply, { status: 400, code: 'invalid_value', param } as const, new RegExp(`\`${param}\``))
  },
)

test('a filter that names nothing gives an empty list', async () => {
  const filters = ['project_id', 'session_id', 'run_id', 'purpose'].map((name) => `/v1/files?${name}=`)
  for (const path of [...filters, '/v1/agent/sessions?project_id=']) {
    for (const value of ['none', '%00', 'a%00b', '%D7%A9']) {
      const reply = await get(path + value)
      expect({ path, status: reply.status, data: JSON.parse(reply.text).data }).toEqual({
        path,
        status: 200,
        data: [],
      })
    }
  }
})

test('a search without words is refused and names `q`', async () => {
  const missing = { status: 400, code: 'missing_required_parameter', param: 'q' } as const
  expectError(await get('/v1/sources/search'), missing, /`q` is required/)
})

const odd = [
  ...[
    '/v1/usage?after=%00',
    '/v1/sources/%00',
    '/v1/sources/search?q=%00',
    '/v1/sources/search?q=a&work=%00',
  ],
  ...['after', 'category', 'author'].map((name) => `/v1/sources/works?${name}=%00`),
  '/v1/sources/search?q=a&after=hit_9999',
]

test.each(odd)('GET %s is no fault of the service', async (path) => {
  expect((await get(path)).status).toBeLessThan(500)
})
