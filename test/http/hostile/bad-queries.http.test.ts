import { expect, test } from 'vitest'
import { send } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { makeOwner, makeThings, useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const get = (path: string) =>
  send(world.service, { method: 'GET', path: path.replace(':session', home.sessionId), key: home.key })

const lists = [
  '/v1/projects',
  '/v1/agent/sessions',
  '/v1/agent/sessions/:session/messages',
  '/v1/agent/sessions/:session/runs',
  '/v1/files',
]
const badQueries = [
  { query: 'limit=0', param: 'limit' },
  { query: 'limit=-1', param: 'limit' },
  { query: 'limit=1.5', param: 'limit' },
  { query: 'limit=abc', param: 'limit' },
  { query: 'limit=', param: 'limit' },
  { query: 'limit=0x10', param: 'limit' },
  { query: 'limit=1e2', param: 'limit' },
  { query: 'limit=%205', param: 'limit' },
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
  ...['day', 'model', 'key', 'project'].map((group) => ({
    path: '/v1/usage',
    query: `group_by=${group}&after=none`,
    param: 'after',
  })),
  { path: '/v1/sources/works', query: 'limit=0', param: 'limit' },
  { path: '/v1/sources/works', query: 'after=none', param: 'after' },
  { path: '/v1/sources/search', query: 'q=', param: 'q' },
  { path: '/v1/sources/search', query: 'q=a&limit=101', param: 'limit' },
  ...['5', 'hit_0', 'hit_01', 'hit_900', 'hit_9999'].map((after) => ({
    path: '/v1/sources/search',
    query: `q=joy&after=${after}`,
    param: 'after',
  })),
  { path: '/v1/files', query: 'purpose=none', param: 'purpose' },
]

test.each([...others, ...lists.flatMap((path) => badQueries.map((bad) => ({ path, ...bad })))])(
  'GET $path?$query is refused and names `$param`',
  async ({ path, query, param }) => {
    const reply = await get(`${path}?${query}`)
    expectError(reply, { status: 400, code: 'invalid_value', param } as const, new RegExp(`\`${param}\``))
  },
)

test.each(['0', '-1', '1.5', 'abc', '1001'])(
  'GET /v1/projects?limit=%s is refused with the bounds',
  async (limit) => {
    const reply = await get(`/v1/projects?limit=${limit}`)
    expectError(
      reply,
      { status: 400, code: 'invalid_value', param: 'limit' } as const,
      /whole number from 1 to 1000/,
    )
  },
)

const filters = [
  ...['project_id', 'session_id', 'run_id'].map((param) => ({ path: '/v1/files', param })),
  { path: '/v1/agent/sessions', param: 'project_id' },
]

test.each(filters)(
  'GET $path?$param=… is a 404 that names it, unless the id is known',
  async ({ path, param }) => {
    for (const value of ['none', '%00', 'a%00b', '%D7%A9']) {
      const reply = await get(`${path}?${param}=${value}&after=none`)
      expectError(reply, { status: 404, code: 'not_found', param } as const, new RegExp(`\`${param}\``))
    }
    const known = { project_id: home.projectId, session_id: home.sessionId, run_id: home.runId }[param]
    expect(await get(`${path}?${param}=${known}`)).toMatchObject({ status: 200 })
  },
)

test('the files of a deleted session are still listed by its id and its run', async () => {
  const things = await makeThings(world.db, world.service, await makeOwner(world.db))
  await world.db.database.systemPool.query('update files set session_id = $1, run_id = $2 where id = $3', [
    things.sessionId,
    things.runId,
    things.fileId,
  ])
  const call = (method: string, path: string) => send(world.service, { method, path, key: things.key })
  expect(await call('DELETE', `/v1/agent/sessions/${things.sessionId}`)).toMatchObject({ status: 200 })
  for (const filter of [`session_id=${things.sessionId}`, `run_id=${things.runId}`]) {
    const reply = await call('GET', `/v1/files?${filter}`)
    expect(JSON.parse(reply.text).data).toMatchObject([{ id: things.fileId }])
  }
})

test('each group of usage is the cursor of the groups after it', async () => {
  for (const group of ['day', 'model', 'key', 'project']) {
    const [first] = JSON.parse((await get(`/v1/usage?group_by=${group}`)).text).data
    const rest = await get(`/v1/usage?group_by=${group}&after=${first.id}`)
    expect({ group, status: rest.status, data: JSON.parse(rest.text).data }).toEqual({
      group,
      status: 200,
      data: [],
    })
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
