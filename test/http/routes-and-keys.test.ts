import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateKeyText } from '../../src/accounts/key-text.ts'
import { defaultScopes, type KeyScope, scopes } from '../../src/accounts/scopes.ts'
import { newId } from '../../src/ids.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { comparable, errorOf, form, type Reply, send } from '../support/http-raw.ts'
import {
  makeFile,
  makeKeyWithId,
  makeOwner,
  makeSession,
  makeThings,
  ownerKey,
  type Things,
} from '../support/http-world.ts'
import { question, startTestService, type TestService } from '../support/service.ts'

type Row = {
  readonly route: string
  readonly scope: KeyScope | 'any-key' | 'public'
  /** The id of a thing of the key's own project for the path, a fresh one where the call uses it up. */
  readonly query?: string
  readonly own?: (things: Things) => string | Promise<string>
  readonly body?: (things: Things) => unknown
  /** The body names the thing, and it is looked up so: a scope the route itself asks for comes before. */
  readonly named?: 'before the scope' | 'after the scope'
  readonly ownerOnly?: true
  /** Status for those who may. */
  readonly ok?: number
}

const inPlace = (things: Things) =>
  form([
    { name: 'project_id', value: things.projectId },
    { name: 'file', filename: 'a.txt', content: 'text' },
  ])

/** Every route of the service, and what it asks of a key. */
const table: readonly Row[] = [
  { route: 'GET /healthz', scope: 'public' },
  { route: 'GET /readyz', scope: 'public' },
  { route: 'GET /v1/models', scope: 'models:read' },
  { route: 'GET /v1/models/:model', scope: 'models:read' },
  { route: 'POST /v1/chat/completions', scope: 'chat:write', body: () => question('Who is a tzaddik?') },
  {
    route: 'POST /v1/chat/completions',
    scope: 'chat:write',
    named: 'after the scope',
    body: ({ projectId }) => ({ ...question('Who?'), x_service: { project_id: projectId } }),
  },
  {
    route: 'POST /v1/chat/completions',
    scope: 'sessions:write',
    named: 'before the scope',
    body: ({ sessionId }) => ({ ...question('Who?'), x_service: { session_id: sessionId } }),
  },
  { route: 'POST /v1/projects', scope: 'projects:write', ownerOnly: true, body: () => ({ name: 'New' }) },
  { route: 'GET /v1/projects', scope: 'projects:read' },
  { route: 'GET /v1/projects/:id', scope: 'projects:read', own: (t) => t.projectId },
  { route: 'POST /v1/agent/sessions', scope: 'sessions:write', body: () => ({}) },
  {
    route: 'POST /v1/agent/sessions',
    scope: 'sessions:write',
    named: 'after the scope',
    body: ({ projectId }) => ({ projectId }),
  },
  { route: 'GET /v1/agent/sessions', scope: 'sessions:write' },
  { route: 'GET /v1/agent/sessions/:id', scope: 'sessions:write', own: (t) => t.sessionId },
  {
    route: 'PATCH /v1/agent/sessions/:id',
    scope: 'sessions:write',
    own: (t) => t.sessionId,
    body: () => ({ name: 'Renamed' }),
  },
  { route: 'DELETE /v1/agent/sessions/:id', scope: 'sessions:write', own: (t) => makeSession(db, t) },
  { route: 'GET /v1/agent/sessions/:id/messages', scope: 'sessions:write', own: (t) => t.sessionId },
  { route: 'GET /v1/agent/sessions/:id/runs', scope: 'chat:write', own: (t) => t.sessionId },
  { route: 'GET /v1/agent/runs/:id', scope: 'chat:write', own: (t) => t.runId },
  { route: 'POST /v1/agent/runs/:id/cancel', scope: 'chat:write', own: (t) => t.runId },
  {
    route: 'POST /v1/files',
    scope: 'files:write',
    body: () => form([{ name: 'file', filename: 'a.txt', content: 'text' }]),
  },
  { route: 'POST /v1/files', scope: 'files:write', named: 'after the scope', body: inPlace },
  { route: 'GET /v1/files', scope: 'files:read' },
  { route: 'GET /v1/files/:id', scope: 'files:read', own: (t) => t.fileId },
  { route: 'GET /v1/files/:id/content', scope: 'files:read', own: (t) => t.fileId },
  { route: 'DELETE /v1/files/:id', scope: 'files:write', own: (t) => makeFile(db, t) },
  { route: 'POST /v1/responses', scope: 'chat:write', body: () => ({ input: 'Who?' }), ok: 404 },
  { route: 'GET /v1/responses/:id', scope: 'chat:write', ok: 404 },
]

let db: TestDatabase
let service: TestService
/** In the project of the bound key; in another one of the same account; in another account's. */
let home: Things
let elsewhere: Things
let foreign: Things
let owner: { readonly accountId: string; readonly key: string }
let stranger: { readonly accountId: string; readonly key: string }
const routes: string[] = []

const noteRoutes = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url} ${config?.scope}`)
  })
}

beforeAll(async () => {
  db = await createTestDatabase()
  subscribe('fastify.initialization', noteRoutes)
  service = await startTestService(db.database)
  unsubscribe('fastify.initialization', noteRoutes)
  owner = await makeOwner(db)
  stranger = await makeOwner(db)
  home = await makeThings(db, service, owner)
  elsewhere = await makeThings(db, service, owner)
  foreign = await makeThings(db, service, stranger)
})
afterAll(async () => {
  await service.stop()
  await db.drop()
})

async function ask(row: Row, key: string | undefined, things: Things, method?: string): Promise<Reply> {
  const [verb = '', url = ''] = row.route.split(' ')
  const path =
    url.replace(':id', (await row.own?.(things)) ?? 'none').replace(':model', 'service') + (row.query ?? '')
  const body = row.body?.(things)
  const call = { method: method ?? verb, path, key }
  if (body === undefined) return send(service, call)
  if (verb === 'POST' && url === '/v1/files')
    return send(service, { ...call, ...(body as ReturnType<typeof form>) })
  return send(service, {
    ...call,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const bound = async (projectId: string, only: readonly KeyScope[] = defaultScopes) =>
  (await makeKeyWithId(db, owner.accountId, { kind: 'project', projectId }, only)).key
const without = (row: Row) => defaultScopes.filter((scope) => scope !== row.scope)

type Answer = { readonly status: number; readonly code?: string }
const refused = { status: 401, code: 'invalid_api_key' }
const lacking = { status: 403, code: 'missing_scope' }
const unseen = { status: 404, code: 'not_found' }
const granted = (row: Row): Answer => (row.ok ? unseen : { status: 200 })
const names = (row: Row) => row.own !== undefined || row.named !== undefined
/** What a route without ids does for a bound key: all but creating projects. */
const bindable = (row: Row) => (row.ownerOnly ? lacking : granted(row))
const hides = (row: Row) => row.own !== undefined || row.named === 'before the scope'

type Principal = {
  readonly name: string
  readonly key: (row: Row) => string | undefined | Promise<string | undefined>
  readonly answer: (row: Row) => Answer
}

async function spoiled(column: 'revoked_at' | 'expires_at'): Promise<string> {
  const { key, id } = await makeKeyWithId(db, owner.accountId, { kind: 'owner' }, scopes)
  await db.database.system.execute(
    `update api_keys set ${column} = now() - interval '1 second' where id = '${id}'`,
  )
  return key
}

function mistyped(key: string): string {
  return key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)
}

const principals: readonly Principal[] = [
  { name: 'no key', key: () => undefined, answer: () => refused },
  { name: 'a malformed key', key: () => 'sk-not-of-here', answer: () => refused },
  { name: 'a key with a mistyped letter', key: () => mistyped(owner.key), answer: () => refused },
  { name: 'an unknown key', key: () => generateKeyText(), answer: () => refused },
  { name: 'a revoked key', key: () => spoiled('revoked_at'), answer: () => refused },
  { name: 'an expired key', key: () => spoiled('expires_at'), answer: () => refused },
  {
    name: 'a key of an account on the free plan',
    key: async () => (await makeOwner(db, 'free')).key,
    answer: () => ({ status: 403, code: 'plan_without_api_access' }),
  },
  {
    name: 'a bound key without the scope',
    key: (row) => bound(home.projectId, without(row)),
    answer: () => lacking,
  },
  { name: 'the bound key of the project', key: () => bound(home.projectId), answer: bindable },
  {
    name: 'the bound key of another project',
    key: () => bound(elsewhere.projectId),
    answer: (row) => (names(row) ? unseen : bindable(row)),
  },
  {
    name: 'the bound key of another project, without the scope',
    key: (row) => bound(elsewhere.projectId, without(row)),
    answer: (row) => (hides(row) ? unseen : lacking),
  },
  { name: 'an owner-wide key of the account', key: () => ownerKey(db, owner.accountId), answer: granted },
  {
    name: 'an owner-wide key of another account',
    key: () => stranger.key,
    answer: (row) => (names(row) ? unseen : granted(row)),
  },
]

test('the table below has every route of the service, with the scope it declares', () => {
  const served = routes.filter((route) => !route.startsWith('HEAD '))
  const listed = table.filter((row) => !row.named).map((row) => `${row.route} ${row.scope}`)
  expect(served.toSorted()).toEqual(listed.toSorted())
  expect(routes.filter((route) => route.startsWith('HEAD ')).toSorted()).toEqual(
    served
      .filter((route) => route.startsWith('GET '))
      .map((route) => route.replace('GET', 'HEAD'))
      .toSorted(),
  )
})

const titled = table.map((row) => ({
  row,
  title: row.route + (row.named ? `, ${row.scope}, naming a thing` : ''),
}))

test.each(titled)(
  '$title gives each kind of key the answer that the order of checks has for it',
  async ({ row }) => {
    const expected: Record<string, Answer> = {}
    const got: Record<string, unknown> = {}
    for (const principal of principals) {
      const answer = row.scope === 'public' ? { status: 200 } : principal.answer(row)
      const challenge = answer.status === 401 ? { challenge: 'Bearer' } : {}
      expected[principal.name] = { ...answer, ...challenge }
      const key = await principal.key(row)
      const reply = await ask(row, key, home)
      const code = errorOf(reply)?.code
      const challenged = reply.headers['www-authenticate']
      got[principal.name] = {
        status: reply.status,
        ...(code && { code }),
        ...(challenged && { challenge: challenged }),
      }
      if (!row.route.startsWith('GET ')) continue
      const head = await ask(row, key, home, 'HEAD')
      expected[`${principal.name}, HEAD`] = { status: answer.status }
      got[`${principal.name}, HEAD`] = { status: head.status }
    }
    expect(got).toEqual(expected)
  },
)

/** Ids that name nothing a key of `owner` can see, as they stand in a path. */
const strangeIds = (things: Things, own: NonNullable<Row['own']>) => [
  own(things),
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

const byPath = table.filter((row) => row.own !== undefined)

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
        const path = url.replace(':id', await id)
        return comparable(await send(service, { method, path, key: owner.key, ...body }))
      }),
    )
    const [first, ...others] = replies
    expect(first).toMatchObject({ status: 404 })
    for (const other of others) expect(other).toEqual(first)
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
  '$path answers a foreign, a malformed and a random id in its body byte for byte alike',
  async ({ path, body }) => {
    const ids = [
      foreign.sessionId,
      foreign.projectId,
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
          await send(service, { method: 'POST', path, key: owner.key, ...('headers' in sent ? sent : json) }),
        )
      }),
    )
    const [first, ...others] = replies
    expect(first).toMatchObject({ status: 404 })
    for (const other of others) expect(other).toEqual(first)
  },
)

test('what another account or another project has is in no list', async () => {
  const lists = ['/v1/projects', '/v1/agent/sessions', '/v1/files']
  const keys = { [home.projectId]: await bound(home.projectId), [foreign.projectId]: stranger.key }
  for (const path of lists) {
    for (const [projectId, key] of Object.entries(keys)) {
      const reply = await send(service, { method: 'GET', path: `${path}?limit=1000`, key })
      const inside: { id: string; projectId?: string; project_id?: string }[] = JSON.parse(reply.text).data
      const seen = inside.map((item) => item.projectId ?? item.project_id ?? item.id)
      expect(seen).toContain(projectId)
      expect(seen).not.toContain(elsewhere.projectId)
      expect(seen).not.toContain(projectId === home.projectId ? foreign.projectId : home.projectId)
    }
  }
})

test('a service with a route that declares no scope refuses to boot', async () => {
  const addRoute = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRegister', (instance) => {
      if (instance.prefix === '/v1') instance.get('/unguarded', async () => 'open')
    })
  }
  subscribe('fastify.initialization', addRoute)
  try {
    await expect(startTestService(db.database)).rejects.toThrow('GET /v1/unguarded declares no scope')
  } finally {
    unsubscribe('fastify.initialization', addRoute)
  }
})
