import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { comparable, form, send } from '../../support/http-raw.ts'
import { pathOf, type Row, table } from '../../support/http-routes.ts'
import { question } from '../../support/world/requests.ts'
import { makeKeyWithId, makeOwner, makeThings, type Things } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let owner: { readonly accountId: string; readonly key: string }
let stranger: { readonly accountId: string; readonly key: string }
let home: Things
let elsewhere: Things
let foreign: Things

const world = useWorld(unhurried)
beforeAll(async () => {
  owner = await makeOwner(world.db)
  stranger = await makeOwner(world.db)
  home = await makeThings(world.db, world.service, owner)
  elsewhere = await makeThings(world.db, world.service, owner)
  foreign = await makeThings(world.db, world.service, stranger)
})

function expectAlike([first, ...others]: readonly unknown[]): void {
  expect(first).toMatchObject({ status: 404 })
  for (const other of others) expect(other).toEqual(first)
}

/** Ids that name nothing a key of `owner` can see, as they stand in a path. */
const strangeIds = (things: Things, own: NonNullable<Row['own']>) => [
  own(things, world.service),
  newId('session'),
  'x',
  '0',
  '%20',
  '%00',
  'sess_%00',
  "'%3B--%20or%201%3D1",
  '..%2F..%2Fetc',
  '%D7%A9%D7%9C%D7%95%D7%9D',
  '%F0%9F%93%9C',
  '*',
  'a'.repeat(500),
]

/** Operators see every account. */
const byPath = table.filter((row) => row.own !== undefined && row.route.includes(':id') && !row.operatorOnly)

test.each(byPath)(
  '$route answers a foreign, a malformed and a random id byte for byte alike',
  async (row) => {
    const [method = '', url = ''] = row.route.split(' ')
    const body = row.body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(row.body(home)),
    }
    const replies = await Promise.all(
      strangeIds(foreign, row.own ?? String).map(async (id) => {
        const path = pathOf(url, await id)
        return comparable(await send(world.service, { method, path, key: owner.key, ...body }))
      }),
    )
    expectAlike(replies)
  },
)

const byBody = [
  {
    path: '/v1/chat/completions',
    body: (id: string) => ({ ...question('?'), x_service: { session_id: id } }),
  },
  {
    path: '/v1/chat/completions',
    body: (id: string) => ({ ...question('?'), x_service: { project_id: id } }),
  },
  {
    path: '/v1/chat/completions',
    body: (id: string) => ({
      model: 'service',
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }],
    }),
  },
  {
    path: '/v1/responses',
    body: (id: string) => ({
      model: 'service',
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
    }),
  },
  { path: '/v1/agent/sessions', body: (id: string) => ({ projectId: id }) },
  {
    path: '/v1/files',
    body: (id: string) =>
      form([
        { name: 'project_id', value: id },
        { name: 'file', filename: 'a', content: 'b' },
      ]),
  },
]

test.each(byBody)(
  '$path answers foreign, malformed and random ids in its body alike',
  async ({ path, body }) => {
    const ids = [
      foreign.sessionId,
      foreign.projectId,
      foreign.fileId,
      newId('project'),
      'x',
      ' ',
      "'; --",
      '\u05e9',
      '\u{1f4dc}',
      'a'.repeat(5_000),
    ]
    const replies = await Promise.all(
      ids.map(async (id) => {
        const sent = body(id)
        const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }
        return comparable(
          await send(world.service, {
            method: 'POST',
            path,
            key: owner.key,
            ...('headers' in sent ? sent : json),
          }),
        )
      }),
    )
    expectAlike(replies)
  },
)

const byFilter = [
  { path: '/v1/agent/sessions?project_id=', foreignId: () => foreign.projectId },
  { path: '/v1/files?project_id=', foreignId: () => foreign.projectId },
  { path: '/v1/files?session_id=', foreignId: () => foreign.sessionId },
  { path: '/v1/files?run_id=', foreignId: () => foreign.runId },
]

test.each(byFilter)('$path answers foreign, malformed and random ids alike', async ({ path, foreignId }) => {
  const replies = await Promise.all(
    [foreignId(), newId('project'), newId('session'), 'x', '%20', '%00', '%D7%A9'].map(async (id) =>
      comparable(await send(world.service, { method: 'GET', path: path + id, key: owner.key })),
    ),
  )
  expectAlike(replies)
})

test('what another account or another project has is in no list', async () => {
  const lists = ['/v1/projects', '/v1/agent/sessions', '/v1/files']
  const keys = {
    [home.projectId]: (
      await makeKeyWithId(world.db, owner.accountId, { kind: 'project', projectId: home.projectId })
    ).key,
    [foreign.projectId]: stranger.key,
  }
  for (const path of lists) {
    for (const [projectId, key] of Object.entries(keys)) {
      const reply = await send(world.service, { method: 'GET', path: `${path}?limit=1000`, key })
      const inside: { id: string; projectId?: string; project_id?: string }[] = JSON.parse(reply.text).data
      const seen = inside.map((item) => item.projectId ?? item.project_id ?? item.id)
      expect(seen).toContain(projectId)
      expect(seen).not.toContain(elsewhere.projectId)
      expect(seen).not.toContain(projectId === home.projectId ? foreign.projectId : home.projectId)
    }
  }
})

test.each(['%zz', '%ff', 'a'.repeat(600)])('the id %s in a path is the same 404 as any other', async (id) => {
  const read = (name: string) =>
    send(world.service, { method: 'GET', path: `/v1/files/${name}`, key: owner.key })
  expect(comparable(await read(id))).toEqual(comparable(await read('x')))
})
