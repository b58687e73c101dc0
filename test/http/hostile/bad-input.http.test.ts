import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestDatabase } from '../../support/database.ts'
import { form, type Reply, send, sendJson } from '../../support/http-raw.ts'
import { expectError, type Refusal } from '../../support/http-refusal.ts'
import { question } from '../../support/world/requests.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import type { TestService } from '../../support/world/service.ts'
import { makeFile, makeOwner, makeSession, makeThings, type Things } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let db: TestDatabase
let service: TestService
let owner: { readonly accountId: string; readonly key: string }
let home: Things
let counts: Readonly<Record<string, number>>

const world = useWorld(unhurried)
beforeAll(async () => {
  db = world.db
  service = world.service
  owner = await makeOwner(db)
  home = await makeThings(db, service, owner)
})
beforeEach(async () => {
  counts = await rowCounts(db)
})

const expectRefusal = async (reply: Reply, refusal: Refusal, says: RegExp) => {
  expectError(reply, refusal, says)
  expect(await rowCounts(db)).toEqual(counts)
}

const asJson = (method: string, path: string, body: unknown) =>
  sendJson(service, { method, path: path.replace(':session', home.sessionId), key: owner.key, body })

const raw = (method: string, path: string, body?: string | Buffer, type = 'application/json') =>
  send(service, {
    method,
    path: path.replace(':session', home.sessionId).replace(':run', home.runId),
    key: owner.key,
    body,
    headers: type === '' ? {} : { 'content-type': type },
  })

const mebibyte = 1024 * 1024

/** A route with a bound of its own and one with the bound of all, a field that is text, and a body that would be accepted. */
const jsonRoutes = [
  { method: 'POST', path: '/v1/chat/completions', field: 'model', good: question('Who?'), max: 16 },
  { method: 'PATCH', path: '/v1/agent/sessions/:session', field: 'name', good: { name: 'New' }, max: 1 },
]

const noJson = { status: 400, code: 'invalid_json', param: null } as const
const invalid = (param: string | null = null) => ({ status: 400, code: 'invalid_value', param }) as const
const before = (more: string) => (text: string) => text.replace('{', `{${more},`)
const deep = (open: string, inner: string, close: string, levels: number) =>
  before(`"extra":${open.repeat(levels)}${inner}${close.repeat(levels)}`)

type BadBody = readonly [name: string, body: (text: string) => string, Refusal, says: RegExp]
const badBodies: readonly BadBody[] = [
  ['broken', (t) => `${t.slice(0, -1)},}`, noJson, /JSON/],
  ['cut off', (t) => t.slice(0, -3), noJson, /JSON/],
  ['of two values', (t) => t + t, noJson, /JSON/],
  ['an array', (t) => `[${t}]`, invalid(), /object/],
  ['a string', () => '"text"', invalid(), /object/],
  ['holding NUL', before('"extra":"a\\u0000b"'), invalid(), /NUL.*[Rr]emove/],
  ['holding a raw NUL', before('"extra":"a\0b"'), noJson, /JSON/],
  ['with the key __proto__', before('"__proto__":{"x":1}'), invalid(), /`__proto__`.*Remove/],
  ['with an escaped key __proto__', before('"extra":[{"\\u005f_proto__":{}}]'), invalid(), /`__proto__`/],
  ['nested 100,000 levels deep', deep('[', '', ']', 100_000), invalid('extra'), /at most 200 levels/],
  ['50,000 objects deep', deep('{"a":', '"\\ud800"', '}', 50_000), invalid('extra'), /at most 200 levels/],
]

test.each(
  jsonRoutes.flatMap(({ method, path, good }) =>
    badBodies.map((bad) => [method, path, ...bad, good] as const),
  ),
)('%s %s refuses a body %s', async (method, path, _, body, refusal, says, good) => {
  await expectRefusal(await raw(method, path, body(JSON.stringify(good))), refusal, says)
})

const otherTypes = ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'not a type', '']

test.each(jsonRoutes)('$method $path refuses every content type but JSON, and names JSON', async (route) => {
  const { method, path, good } = route
  const refusal: Refusal = { status: 415, code: 'unsupported_content_type', param: null }
  const says = /Send application\/json/
  for (const type of otherTypes)
    await expectRefusal(await raw(method, path, JSON.stringify(good), type), refusal, says)
  const { headers, body } = form([{ name: 'name', value: 'New' }])
  await expectRefusal(await raw(method, path, body, headers['content-type']), refusal, says)
})

const notUtf8 = [Buffer.from([0xe9]), Buffer.from([0xff, 0xfe, 0xc0])]

test.each(jsonRoutes)('$method $path refuses bytes that are not UTF-8', async ({ method, path, good }) => {
  for (const wrong of notUtf8) {
    const [start = '', end = ''] = JSON.stringify({ ...good, extra: '|' }).split('|')
    const body = Buffer.concat([Buffer.from(start), wrong, Buffer.from(end)])
    const refusal = { status: 400, code: 'invalid_json', param: null } as const
    await expectRefusal(await raw(method, path, body), refusal, /not UTF-8/)
  }
})

test.each(jsonRoutes)(
  '$method $path refuses another charset and names it',
  async ({ method, path, good }) => {
    for (const charset of ['utf-16', '"latin1"', 'windows-1255']) {
      const refusal = { status: 415, code: 'unsupported_content_type', param: 'content-type' } as const
      const type = `application/json; charset=${charset}`
      await expectRefusal(await raw(method, path, JSON.stringify(good), type), refusal, /charset.*UTF-8/)
    }
  },
)

test('UTF-8 is accepted under all of its names, also with a byte-order mark', async () => {
  for (const charset of ['utf-8', 'UTF8', '"utf-8"', 'us-ascii']) {
    const body = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(JSON.stringify({ text: 'שלום' }))])
    const type = `application/json; charset=${charset}`
    expect((await raw('POST', '/v1/sources/verify', body, type)).status).toBe(200)
  }
})

test.each(jsonRoutes)('$method $path refuses a Content-Encoding and names the header', async (route) => {
  const { method, good } = route
  const path = route.path.replace(':session', home.sessionId)
  const plain = Buffer.from(JSON.stringify(good))
  const refusal = { status: 415, code: 'unsupported_content_type', param: 'content-encoding' } as const
  for (const body of [plain, gzipSync(plain)]) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const reply = await send(service, { method, path, key: owner.key, headers, body })
    await expectRefusal(reply, refusal, /Content-Encoding: gzip/)
  }
})

test.each(jsonRoutes)(
  '$method $path refuses a body beyond $max MiB and says how much it takes',
  async (route) => {
    const body = JSON.stringify({ ...route.good, extra: 'x'.repeat(route.max * mebibyte) })
    const refusal: Refusal = { status: 413, code: 'request_too_large', param: null }
    await expectRefusal(await raw(route.method, route.path, body), refusal, new RegExp(`${route.max} MiB`))
  },
)

test.each(jsonRoutes)(
  '$method $path without a body, or without a field it needs, says which is missing',
  async ({ method, path, field }) => {
    const missing = { status: 400, code: 'missing_required_parameter' } as const
    for (const body of [undefined, '', ' \n']) {
      await expectRefusal(await raw(method, path, body), { ...missing, param: null }, /JSON body is required/)
    }
    // A key can have a default for the model.
    const first = field === 'model' ? 'messages' : field
    await expectRefusal(await asJson(method, path, {}), { ...missing, param: first }, /is required/)
  },
)

test('a name that is blank or too long is refused and named', async () => {
  const refusal: Refusal = { status: 400, code: 'invalid_value', param: 'name' }
  for (const name of ['', '  \t', 'נ'.repeat(201)]) {
    await expectRefusal(await asJson('POST', '/v1/projects', { name }), refusal, /`name`/)
    await expectRefusal(await asJson('PATCH', '/v1/agent/sessions/:session', { name }), refusal, /`name`/)
  }
  const long = await asJson('POST', '/v1/agent/sessions', { name: 'x'.repeat(201) })
  await expectRefusal(long, refusal, /`name`/)
})

test('halves of surrogate pairs are stored as U+FFFD; whole pairs stay', async () => {
  const project = await raw('POST', '/v1/projects', '{"name":"a\\ud800b \\ud83d\\udcdc"}')
  expect({ status: project.status, name: JSON.parse(project.text).name }).toEqual({
    status: 200,
    name: 'a\ufffdb 📜',
  })
  const messages = '[{"role":"user","content":"a\\udc00b \\ud83d\\udcdc"}]'
  const turn = await raw(
    'POST',
    '/v1/chat/completions',
    `{"model":"service","messages":${messages},"\\ud800":1}`,
  )
  expect({ status: turn.status, text: turn.text }).toMatchObject({ status: 200 })
  const sessionId = turn.headers['x-service-session-id']
  const stored = await raw('GET', `/v1/agent/sessions/${sessionId}/messages`)
  expect(JSON.parse(stored.text).data[0].content).toBe('a\ufffdb 📜')
})

const nowhere = [
  ['GET', '/v1/nothing'],
  ['POST', '/v1/nothing'],

  ['POST', '/'],
  ['PUT', '/v1/projects'],
  ['DELETE', '/v1/models/service'],
  ['PATCH', '/v1/chat/completions'],
  ['OPTIONS', '/v1/files'],
  ['PROPFIND', '/v1/files'],
  ['PURGE', '/v1/files'],
]

test.each(nowhere)(
  '%s %s, which no route has, is a 404 that repeats method and path',
  async (method, path) => {
    const refusal: Refusal = { status: 404, code: 'not_found', param: null }
    const reply = await raw(method, `${path}?secret=1`, undefined, '')
    await expectRefusal(reply, refusal, new RegExp(`no route ${method} ${path}\\.`))
    expect(await send(service, { method, path })).toMatchObject({ status: 404 })
  },
)

test('GET, DELETE and POST with the content type of JSON and no body are fine', async () => {
  const [sessionId, fileId] = [await makeSession(service, home), await makeFile(service, home)]
  const calls = [
    ['GET', '/v1/projects'],
    ['GET', `/v1/files/${fileId}`],
    ['POST', '/v1/agent/runs/:run/cancel'],
    ['POST', '/v1/agent/sessions'],
    ['DELETE', `/v1/agent/sessions/${sessionId}`],
    ['DELETE', `/v1/files/${fileId}`],
  ] as const
  for (const [method, path] of calls) {
    const reply = await raw(method, path)
    expect({ path, status: reply.status }).toEqual({ path, status: 200 })
  }
})
