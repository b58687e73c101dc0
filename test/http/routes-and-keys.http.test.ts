import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { generateKeyText } from '../../src/accounts/keys/key-text.ts'
import { digestKey } from '../../src/accounts/keys/pepper.ts'
import { defaultScopes, type KeyScope, scopes } from '../../src/accounts/scopes.ts'
import { apiKeys } from '../../src/db/schema/index.ts'
import { suspendAccount } from '../../src/turns/sessions/suspension.ts'
import type { TestDatabase } from '../support/database.ts'
import { isShort } from '../support/full.ts'
import { errorOf, send, sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { ask, type Row, table, wider } from '../support/http-routes.ts'
import { testPeppers } from '../support/world/accounts.ts'
import {
  makeKeyWithId,
  makeOwner,
  makeThings,
  newProject,
  ownerKey,
  type Things,
} from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let db: TestDatabase
/** In the project of the bound key; in another one of the same account. */
let home: Things
let elsewhere: Things
let owner: { readonly accountId: string; readonly key: string }
let stranger: { readonly accountId: string; readonly key: string }
const routes: string[] = []

const noteRoutes = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === 'page') return
    for (const one of [method].flat()) routes.push(`${one} ${url} ${config?.scope}`)
  })
}

beforeAll(async () => {
  subscribe('fastify.initialization', noteRoutes)
  world = await openWorld(unhurried)
  unsubscribe('fastify.initialization', noteRoutes)
  db = world.db
  owner = await makeOwner(db)
  stranger = await makeOwner(db)
  home = await makeThings(db, world.service, owner)
  elsewhere = await makeThings(db, world.service, owner)
})
afterAll(async () => {
  await world.close()
})

const bound = async (projectId: string, only: readonly KeyScope[] = defaultScopes) =>
  (await makeKeyWithId(db, owner.accountId, { kind: 'project', projectId }, only)).key
const without = (row: Row) =>
  defaultScopes.filter((scope) => scope !== row.scope && !wider[row.scope]?.includes(scope))

type Answer = { readonly status: number; readonly code?: string }
const refused = { status: 401, code: 'invalid_api_key' }
const lacking = { status: 403, code: 'missing_scope' }
const unseen = { status: 404, code: 'not_found' }
const granted = (row: Row): Answer => {
  if (row.operatorOnly) return lacking
  return row.ok ? unseen : { status: 200 }
}
const names = (row: Row) => !row.operatorOnly && (row.own !== undefined || row.named !== undefined)
/** What a route does for a bound key: all but creating, renaming and deleting projects. */
const bindable = (row: Row) => (row.apart ? unseen : row.ownerOnly ? lacking : granted(row))
const hides = (row: Row) =>
  !row.operatorOnly && !row.ofAccount && (row.own !== undefined || row.named === 'before the scope')

type Principal = readonly [
  name: string,
  key: (row: Row) => string | undefined | Promise<string | undefined>,
  answer: (row: Row) => Answer,
  /** It sends HEAD too; with `npm run test:full` every one does. */
  head?: 'and HEAD',
]

async function spoiled(column: 'revoked_at' | 'expires_at'): Promise<string> {
  const { key, id } = await makeKeyWithId(db, owner.accountId, { kind: 'owner' }, scopes)
  await db.database.system.execute(
    `update api_keys set ${column} = now() - interval '1 second' where id = '${id}'`,
  )
  return key
}

async function suspendedKey(): Promise<string> {
  const { accountId, key } = await makeOwner(db)
  await suspendAccount(db.database, { actor: commandLine, accountId })
  return key
}

/** Wrong in one letter, so that its checksum is; its digest is in the database all the same. */
async function mistyped(): Promise<string> {
  const { key, id } = await makeKeyWithId(db, owner.accountId, { kind: 'owner' }, scopes)
  const text = key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)
  const digest = digestKey(text, testPeppers[0])
  await db.database.system.update(apiKeys).set({ digest }).where(eq(apiKeys.id, id))
  return text
}

const freeKey = async () => (await makeOwner(db, 'free')).key

/** A key whose project was deleted. */
async function homelessKey(): Promise<string> {
  const projectId = await newProject(world.service, owner)
  const key = await bound(projectId)
  await send(world.service, { method: 'DELETE', path: `/v1/projects/${projectId}`, key: owner.key })
  return key
}

const lackingUnlessAny = (row: Row) => (row.scope === 'any-key' ? granted(row) : lacking)

const principals: readonly Principal[] = [
  ['no key', () => undefined, () => refused, 'and HEAD'],
  ['a malformed key', () => 'sk-not-of-here', () => refused],
  ['a key with a mistyped letter', () => mistyped(), () => refused],
  ['an unknown key', () => generateKeyText(), () => refused],
  ['a revoked key', () => spoiled('revoked_at'), () => refused],
  ['an expired key', () => spoiled('expires_at'), () => refused],
  ['a key of an account on the free plan', freeKey, () => ({ status: 403, code: 'plan_without_api_access' })],
  ['a key of a suspended account', suspendedKey, () => ({ status: 403, code: 'account_suspended' })],
  ['a key whose project was deleted', homelessKey, () => refused],
  [
    'a bound key without the scope',
    (row) => bound(home.projectId, without(row)),
    (row) => (row.apart ? unseen : lackingUnlessAny(row)),
  ],
  ['the bound key of the project', () => bound(home.projectId), bindable],
  [
    'the bound key of another project',
    () => bound(elsewhere.projectId),
    (row) => (names(row) && !row.ofAccount ? unseen : bindable(row)),
    'and HEAD',
  ],
  [
    'the bound key of another project, without the scope',
    (row) => bound(elsewhere.projectId, without(row)),
    (row) => (hides(row) ? unseen : lackingUnlessAny(row)),
  ],
  ['an owner-wide key of the account', () => ownerKey(db, owner.accountId), granted, 'and HEAD'],
  ['an owner-wide key of another account', () => stranger.key, (row) => (names(row) ? unseen : granted(row))],
]

const made = new Map<Principal, ReturnType<Principal[1]>>()

/** A key that does not depend on the row is made once. */
function keyOf(principal: Principal, row: Row): ReturnType<Principal[1]> {
  const [, makeKey] = principal
  const key = made.get(principal) ?? makeKey(row)
  if (makeKey.length === 0) made.set(principal, key)
  return key
}

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
      const [name, , answerTo, hasHead] = principal
      const answer = row.scope === 'public' ? { status: row.ok ?? 200 } : answerTo(row)
      const challenge = answer.status === 401 ? { challenge: 'Bearer' } : {}
      expected[name] = { ...answer, ...challenge }
      const key = await keyOf(principal, row)
      const reply = await ask(world, row, key, home)
      const code = errorOf(reply)?.code
      const [challenged] = reply.headers['www-authenticate']?.split(' ') ?? []
      got[name] = {
        status: reply.status,
        ...(code && { code }),
        ...(challenged && { challenge: challenged }),
      }
      if (!row.route.startsWith('GET ') || (isShort && !hasHead)) continue
      const head = await ask(world, row, key, home, 'HEAD')
      expected[`${name}, HEAD`] = { status: answer.status }
      got[`${name}, HEAD`] = { status: head.status }
    }
    expect(got).toEqual(expected)
  },
)

test('only a bearer key in the header opens a route', async () => {
  const key = owner.key
  const opens = ['Bearer KEY', 'bearer KEY', 'BEARER   KEY']
  const closed = ['KEY', 'Basic KEY', 'BearerKEY', 'Bearer', 'Bearer ', 'Bearer KEY x', 'Bearer x KEY', '']
  for (const form of [...opens, ...closed]) {
    const headers = { authorization: form.replace('KEY', key) }
    const { status } = await send(world.service, { method: 'GET', path: '/v1/models', headers })
    expect({ form, status }).toEqual({ form, status: opens.includes(form) ? 200 : 401 })
  }
  const inQuery = await send(world.service, { method: 'GET', path: `/v1/models?api_key=${key}&key=${key}` })
  expect(inQuery.status).toBe(401)
})

test('a key opens a route as `x-api-key` or `api-key` too, and a bearer key wins', async () => {
  const statusOf = async (headers: Readonly<Record<string, string>>) =>
    (await send(world.service, { method: 'GET', path: '/v1/models', headers })).status
  const { key } = owner
  for (const name of ['x-api-key', 'api-key']) {
    expect(await statusOf({ [name]: key })).toBe(200)
    expect(await statusOf({ [name]: `${key}x` })).toBe(401)
    expect(await statusOf({ [name]: `${key} ${key}` })).toBe(401)
    expect(await statusOf({ [name]: key, authorization: `Bearer ${key}x` })).toBe(401)
    expect(await statusOf({ [name]: `${key}x`, authorization: `Bearer ${key}` })).toBe(200)
  }
})

test('a bound key changes no project, not even its own with the scope in its row', async () => {
  const { key, id } = await makeKeyWithId(db, owner.accountId, { kind: 'project', projectId: home.projectId })
  await db.database.system
    .update(apiKeys)
    .set({ scopes: [...scopes] })
    .where(eq(apiKeys.id, id))
  const own = `/v1/projects/${home.projectId}`
  for (const [method, path] of [
    ['POST', '/v1/projects'],
    ['PATCH', own],
    ['DELETE', own],
  ] as const) {
    const call = { method, path, key }
    const reply =
      method === 'DELETE'
        ? await send(world.service, call)
        : await sendJson(world.service, { ...call, body: { name: 'P' } })
    expectError(reply, { status: 403, code: 'missing_scope', param: null }, /owner-wide/)
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
    await expect(world.start()).rejects.toThrow('GET /v1/unguarded declares no scope')
  } finally {
    unsubscribe('fastify.initialization', addRoute)
  }
})
