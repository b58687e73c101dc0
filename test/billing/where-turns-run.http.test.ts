import { expect, test } from 'vitest'
import { revokeKey } from '../../src/accounts/keys/keys.ts'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { withTx } from '../../src/db/client.ts'
import { form, send, sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { makeAccount } from '../support/world/accounts.ts'
import { question } from '../support/world/requests.ts'
import { rowCounts } from '../support/world/row-counts.ts'
import { makeKeyWithId, makeSession, useThings } from '../support/world/things.ts'
import { answerText, unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const chat = (fields: object, headers: Readonly<Record<string, string>> = {}, key = home.key) =>
  sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key,
    headers,
    body: { ...question('Who is a beinoni?'), ...fields },
  })

const get = async (path: string, key = home.key) =>
  JSON.parse((await send(world.service, { method: 'GET', path, key })).text)

type Said = { readonly role: string; readonly content: string }

test('a resumed session ignores what the client changed in old messages', async () => {
  const { session_id: id } = JSON.parse((await chat({})).text).x_service
  const messages = [
    { role: 'user', content: 'Something else was asked' },
    { role: 'assistant', content: 'Something else was said' },
    { role: 'user', content: 'And now?' },
  ]
  await chat({ messages, x_service: { session_id: id } })
  const stored = await get(`/v1/agent/sessions/${id}/messages`)
  const contents = stored.data.map((message: Said) => message.content)
  expect(contents).toEqual(['Who is a beinoni?', answerText, 'And now?', answerText])
})

type Channel = (name: string, id: string) => { fields?: object; headers?: Record<string, string> }

/** The channels of options, the strongest first. */
const channels: readonly (readonly [string, Channel])[] = [
  ['x_service', (name, id) => ({ fields: { x_service: { [name]: id } } })],
  ['a header', (name, id) => ({ headers: { [`x-service-${name.replace('_', '-')}`]: id } })],
  ['flat metadata', (name, id) => ({ fields: { metadata: { [`service.${name}`]: id } } })],
  ['nested metadata', (name, id) => ({ fields: { metadata: { service: { [name]: id } } } })],
]
const asText: readonly (readonly [string, Channel])[] = [
  ['x_service as JSON text', (name, id) => ({ fields: { x_service: JSON.stringify({ [name]: id }) } })],
  [
    'flat metadata as JSON text',
    (name, id) => ({ fields: { metadata: JSON.stringify({ [`service.${name}`]: id }) } }),
  ],
  [
    'metadata whose service is JSON text',
    (name, id) => ({ fields: { metadata: { service: JSON.stringify({ [name]: id }) } } }),
  ],
  [
    'nested metadata as JSON text',
    (name, id) => ({ fields: { metadata: JSON.stringify({ service: { [name]: id } }) } }),
  ],
]

test.each([...channels, ...asText])(
  'a session or project named in %s is where the turn runs',
  async (_name, channel) => {
    const sessionId = await makeSession(world.service, home)
    const inSession = channel('session_id', sessionId)
    const resumed = await chat(inSession.fields ?? {}, inSession.headers)
    expect(resumed.headers).toMatchObject({
      'x-service-session-id': sessionId,
      'x-service-project-id': home.projectId,
    })
    expect(JSON.parse(resumed.text).x_service).toMatchObject({
      session_id: sessionId,
      project_id: home.projectId,
    })
    const inProject = channel('project_id', home.projectId)
    const fresh = await chat(inProject.fields ?? {}, inProject.headers)
    expect(fresh.headers['x-service-project-id']).toBe(home.projectId)
    expect(fresh.headers['x-service-session-id']).not.toBe(sessionId)
  },
)

test('the first of several channels that names a session wins; null names none', async () => {
  const ids = await Promise.all(channels.map(() => makeSession(world.service, home)))
  for (let strongest = 0; strongest < channels.length; strongest += 1) {
    const named = channels.map(([, channel], i) => (i < strongest ? {} : channel('session_id', ids[i] ?? '')))
    const fields = named.map((one) => one.fields ?? {})
    const metadata = Object.assign({}, ...fields.map((one) => ('metadata' in one ? one.metadata : {})))
    const reply = await chat(
      { x_service: { session_id: null }, ...fields[0], metadata },
      Object.assign({}, ...named.map((one) => one.headers ?? {})),
    )
    expect(reply.headers['x-service-session-id']).toBe(ids[strongest])
  }
})

test('a streamed and a background turn name where they run in their headers too', async () => {
  const sessionId = await makeSession(world.service, home)
  for (const fields of [{ stream: true }, { x_service: { background: true } }]) {
    const { headers } = await chat({ ...fields, metadata: { 'service.session_id': sessionId } })
    expect(headers).toMatchObject({
      'x-service-project-id': home.projectId,
      'x-service-session-id': sessionId,
      'x-service-run-id': expect.stringMatching(/^run_/),
      'x-service-message-id': expect.stringMatching(/^msg_/),
    })
  }
})

const makers = [
  { kind: 'dedicated' as const, title: 'a dedicated key', scopes: defaultScopes },
  { kind: 'owner' as const, title: 'an owner-wide key', scopes: defaultScopes },
]

test.each(makers)('ten first requests of $title at once make one project', async ({ kind, scopes }) => {
  const { id: accountId } = await makeAccount(world.db.database)
  const { key } = await makeKeyWithId(world.db, accountId, { kind }, scopes)
  const before = await rowCounts(world.db)
  const upload = form([{ name: 'file', filename: 'a.txt', content: 'text' }])
  const first = Array.from({ length: 10 }, async (_, i) => {
    if (i % 3 === 0) return (await chat({}, {}, key)).headers['x-service-project-id']
    if (i % 3 === 1) {
      const reply = await sendJson(world.service, {
        method: 'POST',
        path: '/v1/agent/sessions',
        key,
        body: {},
      })
      return JSON.parse(reply.text).projectId
    }
    const reply = await send(world.service, { method: 'POST', path: '/v1/files', key, ...upload })
    return JSON.parse(reply.text).project_id
  })
  const [projectId, ...others] = await Promise.all(first)
  expect(projectId).toMatch(/^proj_/)
  expect(others).toEqual(Array(9).fill(projectId))
  expect((await rowCounts(world.db))['projects']).toBe((before['projects'] ?? 0) + 1)
  expect((await get('/v1/projects', key)).data).toMatchObject([{ id: projectId, name: 'API: test' }])
})

test('a dedicated key sees its own project only; an owner-wide one sees them all', async () => {
  const { key } = await makeKeyWithId(world.db, home.accountId, { kind: 'dedicated' })
  expect(
    (await send(world.service, { method: 'GET', path: `/v1/projects/${home.projectId}`, key })).status,
  ).toBe(404)
  const own = (await chat({}, {}, key)).headers['x-service-project-id']
  expect((await get('/v1/projects', key)).data.map(({ id }: { id: string }) => id)).toEqual([own])
  expect((await chat({ x_service: { project_id: home.projectId } }, {}, key)).status).toBe(404)
  expect((await chat({ x_service: { project_id: own } }, {}, key)).status).toBe(200)
  const all = (await get('/v1/projects')).data.map(({ id }: { id: string }) => id)
  expect(all).toEqual(expect.arrayContaining([own, home.projectId]))
})

test('a revoked key is refused from the next request on, also on an open connection', async () => {
  const { key, id } = await makeKeyWithId(world.db, home.accountId, { kind: 'dedicated' })
  const authorization = `Bearer ${key}`
  const models = () => fetch(`${world.service.url}/v1/models`, { headers: { authorization } })
  expect((await models()).status).toBe(200)
  expect((await chat({}, {}, key)).status).toBe(200)
  await withTx(world.db.database, 'system', (tx) => revokeKey(tx, id))
  expect((await models()).status).toBe(401)
  const refusal = { status: 401, code: 'invalid_api_key', param: null } as const
  expectError(await chat({}, {}, key), refusal, /revoked/)
})

test('a change of plan or of expiry holds from the very next request on', async () => {
  const { id: accountId, email } = await makeAccount(world.db.database)
  const { key, id } = await makeKeyWithId(world.db, accountId, { kind: 'owner' })
  const status = async () => (await chat({}, {}, key)).status
  expect(await status()).toBe(200)
  const update = (set: string, where: string) =>
    world.db.database.system.execute(`update ${set} where ${where}`)
  await update(`accounts set plan = 'free'`, `email = '${email}'`)
  expect(await status()).toBe(403)
  await update(`accounts set plan = 'basic'`, `email = '${email}'`)
  expect(await status()).toBe(200)
  await update(`api_keys set expires_at = now()`, `id = '${id}'`)
  expect(await status()).toBe(401)
})
