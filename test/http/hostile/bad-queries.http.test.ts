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
  ...['/v1/projects', '/v1/files', '/v1/agent/sessions'],
  ...['messages', 'runs'].map((list) => `/v1/agent/sessions/:session/${list}`),
]

/** What schema-refusals does not read in the description; one list reads its page like all. */
const queries: readonly (readonly [path: string, query: string, param: string])[] = [
  ...['0x10', '1e2', '%205', '5&limit=6'].map(
    (limit) => ['/v1/projects', `limit=${limit}`, 'limit'] as const,
  ),
  ...['', 'none', '%00'].flatMap((after) => lists.map((path) => [path, `after=${after}`, 'after'] as const)),
  ['/v1/usage', 'start=yesterday', 'start'],
  ['/v1/usage', 'end=2026-02-30', 'end'],
  ['/v1/usage', 'start=2026-02-02&end=2026-02-01', 'start'],
  ['/v1/usage', 'start=2020-01-01', 'start'],
  ...['day', 'model', 'key', 'project'].map(
    (group) => ['/v1/usage', `group_by=${group}&after=none`, 'after'] as const,
  ),
  ['/v1/sources/works', 'after=none', 'after'],
  ['/v1/sources/search', 'q=', 'q'],
  ...['5', 'hit_0', 'hit_01', 'hit_900'].map(
    (after) => ['/v1/sources/search', `q=joy&after=${after}`, 'after'] as const,
  ),
]

test.each(queries)('GET %s?%s is refused and names `%s`', async (path, query, param) => {
  const reply = await get(`${path}?${query}`)
  expectError(reply, { status: 400, code: 'invalid_value', param } as const, new RegExp(`\`${param}\``))
})

test('a limit out of bounds is refused with the bounds', async () => {
  const refusal = { status: 400, code: 'invalid_value', param: 'limit' } as const
  expectError(await get('/v1/projects?limit=1001'), refusal, /whole number from 1 to 1000/)
})

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
  await world.rows(
    'update files set session_id = $1, run_id = $2 where id = $3',
    things.sessionId,
    things.runId,
    things.fileId,
  )
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
