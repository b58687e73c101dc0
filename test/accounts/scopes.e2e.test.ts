import { beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/accounts/scopes.ts'
import { newId } from '../../src/ids.ts'
import { comparable, errorOf, send, sendJson } from '../support/http-raw.ts'
import { ask, table, wider } from '../support/http-routes.ts'
import { question } from '../support/world/requests.ts'
import { makeKeyWithId, makeOwner, makeThings, type Things, useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let home: Things
const keys = new Map<string, string>()

const world = useWorld(unhurried)
const foreign = useThings(world)
beforeAll(async () => {
  const owner = await makeOwner(world.db)
  home = await makeThings(world.db, world.service, owner)
  for (const scope of scopes)
    keys.set(scope, (await makeKeyWithId(world.db, owner.accountId, { kind: 'owner' }, [scope])).key)
})

// That the table has every operation of the OpenAPI document and every route is shown in http/openapi/document and http/routes-and-keys.
const alone = table.filter((row) => !row.named && row.scope !== 'public')

test.each(alone)('$route opens for its scope, a wider one, and no other', async (row) => {
  const got: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  for (const scope of scopes) {
    const reply = await ask(world, row, keys.get(scope), home)
    const isHeld = row.scope === 'any-key' || row.scope === scope || wider[row.scope]?.includes(scope)
    const may = isHeld && !row.operatorOnly
    got[scope] = [reply.status, errorOf(reply)?.code]
    expected[scope] = may ? [row.ok ?? 200, row.ok ? 'not_found' : undefined] : [403, 'missing_scope']
  }
  expect(got).toEqual(expected)
})

type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Ids that reach the service beside a path and the fields that `http/hostile/invisible-ids` tries. */
const channels: readonly {
  readonly name: string
  readonly of: (t: Things) => string
  readonly random: () => string
  readonly sent: (id: string) => Sent
  readonly status: number
}[] = [
  {
    name: 'previous_response_id',
    of: (t) => t.runId.replace('run_', 'resp_'),
    random: () => newId('run').replace('run_', 'resp_'),
    sent: (id) => ({
      method: 'POST',
      path: '/v1/responses',
      body: { model: 'service', input: '?', previous_response_id: id },
    }),
    status: 404,
  },
  {
    name: 'the header x-service-session-id',
    of: (t) => t.sessionId,
    random: () => newId('session'),
    sent: (id) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'x-service-session-id': id },
      body: question('?'),
    }),
    status: 404,
  },
  {
    name: 'the header x-service-project-id',
    of: (t) => t.projectId,
    random: () => newId('project'),
    sent: (id) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'x-service-project-id': id },
      body: question('?'),
    }),
    status: 404,
  },
  {
    name: 'flat metadata',
    of: (t) => t.sessionId,
    random: () => newId('session'),
    sent: (id) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      body: { ...question('?'), metadata: { 'service.session_id': id } },
    }),
    status: 404,
  },
  {
    name: 'nested metadata',
    of: (t) => t.sessionId,
    random: () => newId('session'),
    sent: (id) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      body: { ...question('?'), metadata: { service: { session_id: id } } },
    }),
    status: 404,
  },
  ...(['projects', 'agent/sessions', 'files'] as const).map((list) => ({
    name: `the cursor of /v1/${list}`,
    of: (t: Things) => (list === 'projects' ? t.projectId : list === 'files' ? t.fileId : t.sessionId),
    random: () => newId(list === 'projects' ? 'project' : list === 'files' ? 'file' : 'session'),
    sent: (id: string) => ({ method: 'GET', path: `/v1/${list}?after=${id}` }),
    status: 400,
  })),
  ...(['session_id', 'run_id', 'project_id'] as const).map((name) => ({
    name: `the filter ${name} of files`,
    of: (t: Things) => (name === 'session_id' ? t.sessionId : name === 'run_id' ? t.runId : t.projectId),
    random: () => newId(name === 'session_id' ? 'session' : name === 'run_id' ? 'run' : 'project'),
    sent: (id: string) => ({ method: 'GET', path: `/v1/files?${name}=${id}` }),
    status: 404,
  })),
]

test.each(channels)(
  'a foreign and a random id in $name get the same bytes and headers',
  async ({ of, random, sent, status }) => {
    const ids = [of(foreign), random(), random()]
    const replies = await Promise.all(
      ids.map(async (id) => {
        const { body, ...request } = sent(id)
        const reply =
          body === undefined
            ? await send(world.service, { ...request, key: home.key })
            : await sendJson(world.service, { ...request, body, key: home.key })
        const { text, ...rest } = comparable(reply) as { text: string; status: number }
        return { ...rest, text: text.replaceAll(id, 'ID') }
      }),
    )
    const [first, ...others] = replies
    expect(first).toMatchObject({ status })
    for (const other of others) expect(other).toEqual(first)
  },
)
