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
/** For each scope a key that has it alone, and one that has all others. */
const only = new Map<string, string>()
const without = new Map<string, string>()

const world = useWorld(unhurried)
const foreign = useThings(world)
beforeAll(async () => {
  const owner = await makeOwner(world.db)
  home = await makeThings(world.db, world.service, owner)
  const keyWith = async (held: readonly string[]) =>
    (await makeKeyWithId(world.db, owner.accountId, { kind: 'owner' }, held)).key
  for (const scope of scopes) {
    const opening = [scope, ...(wider[scope] ?? [])]
    only.set(scope, await keyWith([scope]))
    without.set(scope, await keyWith(scopes.filter((one) => !opening.includes(one))))
  }
})

// That the table has every operation of the OpenAPI document and every route is shown in http/openapi/document and http/routes-and-keys.
const alone = table.filter((row) => !row.named && row.scope !== 'public')

test.each(alone)('$route opens for its scope, a wider one, and no other', async (row) => {
  const answer = async (key: string | undefined) => {
    const reply = await ask(world, row, key, home)
    return [reply.status, errorOf(reply)?.code]
  }
  const opens = [row.ok ?? 200, row.ok ? 'not_found' : undefined]
  const refused = [403, 'missing_scope']
  const opening =
    row.scope === 'any-key' ? (['models:read'] as const) : [row.scope, ...(wider[row.scope] ?? [])]
  for (const scope of opening)
    expect(await answer(only.get(scope))).toEqual(row.operatorOnly ? refused : opens)
  // No other scope opens it: all of them together do not.
  if (row.scope !== 'any-key') expect(await answer(without.get(row.scope))).toEqual(refused)
})

type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

const chat = (more: Partial<Sent>): Sent => ({
  ...{ method: 'POST', path: '/v1/chat/completions', body: question('?') },
  ...more,
})
const labelled = (metadata: object) => chat({ body: { ...question('?'), metadata } })
const listAfter = (list: string) => (id: string) => ({ method: 'GET', path: `/v1/${list}?after=${id}` })

type Kind = 'session' | 'project' | 'file' | 'run'
type Channel = readonly [name: string, kind: Kind, sent: (id: string) => Sent, status: number]

/** Ids that reach the service beside a path and the fields that `http/hostile/invisible-ids` tries. */
const channels: readonly Channel[] = [
  [
    'previous_response_id',
    'run',
    (id) => ({ method: 'POST', path: '/v1/responses', body: following(id) }),
    404,
  ],
  ['a header', 'session', (id) => chat({ headers: { 'x-service-session-id': id } }), 404],
  ['a header', 'project', (id) => chat({ headers: { 'x-service-project-id': id } }), 404],
  ['flat metadata', 'session', (id) => labelled({ 'service.session_id': id }), 404],
  ['nested metadata', 'session', (id) => labelled({ service: { session_id: id } }), 404],
  ['a cursor', 'project', listAfter('projects'), 400],
  ['a cursor', 'session', listAfter('agent/sessions'), 400],
  ['a cursor', 'file', listAfter('files'), 400],
]

function following(id: string): object {
  return { model: 'service', input: '?', previous_response_id: id.replace('run_', 'resp_') }
}

test.each(channels)(
  'in %s a foreign and a random id of a %s get the same bytes and headers',
  async (_, kind, sent, status) => {
    const ids = [foreign[`${kind}Id`], newId(kind), newId(kind)]
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
