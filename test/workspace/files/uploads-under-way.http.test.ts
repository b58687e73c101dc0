import { once } from 'node:events'
import { type ClientRequest, request as open } from 'node:http'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
import { removeExpired } from '../../../src/operations/retention.ts'
import { uploadsAtOnce } from '../../../src/workspace/upload-space.ts'
import { form, send } from '../../support/http-raw.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import type { TestService } from '../../support/world/service.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const mebibyte = 1024 * 1024

const plans: Plans = {
  names: builtInPlans.names,
  of: (name) => ({ ...builtInPlans.of(name), storedBytes: 10 * mebibyte, fileBytes: 4 * mebibyte }),
}

let world: World
let { db, service } = {} as World
let replica: TestService
let logged = ''

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk
      done()
    },
  })
  world = await openWorld({ plans, model: 'built-in', log: pino({ level: 'info' }, sink) })
  ;({ db, service } = world)
  replica = await world.start({ log: pino({ level: 'silent' }) })
})
afterAll(() => world.close())

const newKey = async () => makeKey(db.database, (await makeAccount(db.database)).id)
const { headers, body } = form([{ name: 'file', filename: 'a.bin', content: Buffer.alloc(3 * mebibyte, 7) }])

/** An upload of 3 MiB that has sent all but its last bytes. */
function begin(key: string, at = service, how: Readonly<Record<string, string>> = {}): ClientRequest {
  const { hostname, port } = new URL(at.url)
  const length = 'transfer-encoding' in how ? how : { 'content-length': String(body.length) }
  const request = open({
    ...{ hostname, port, method: 'POST', path: '/v1/files', agent: false },
    headers: { ...headers, ...length, authorization: `Bearer ${key}` },
  })
  request.on('error', () => undefined)
  request.write(body.subarray(0, body.length - 100))
  return request
}

async function finish(request: ClientRequest): Promise<{ status: number; text: string }> {
  const replied = once(request, 'response')
  request.end(body.subarray(body.length - 100))
  const [response] = await replied
  return { status: response.statusCode, text: await text(response) }
}

const count = async (sql: string): Promise<number> =>
  Number((await world.rows<{ n: string }>(sql))[0]?.n ?? 0)
const held = () => count('select coalesce(sum(octet_length(data)), 0) as n from file_chunks')
const underWay = () => count(`select count(*) as n from file_versions where state = 'uploading'`)
const cleared = async () => {
  await expect.poll(underWay).toBe(0)
  await world.rows('delete from files')
  await world.rows('delete from file_versions')
}

test.each([
  ['that announce their length', {}],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('uploads under way %s hold no more than the plan stores, over all replicas', async (_how, how) => {
  const key = await newKey()
  const begun = Array.from({ length: 12 }, (_, n) => begin(key, n % 2 ? replica : service, how))
  await expect.poll(underWay).toBe(12)
  const whole = begun.map(finish)
  let most = 0
  const watch = setInterval(() => void held().then((bytes) => (most = Math.max(most, bytes))), 20)
  const replies = await Promise.all(whole)
  clearInterval(watch)
  expect(most).toBeLessThanOrEqual(10 * mebibyte)
  const kept = replies.filter(({ status }) => status === 200).length
  const refused = replies.filter(({ status }) => status === 413)
  expect([kept <= 3, kept >= 1, kept + refused.length]).toEqual([true, true, 12])
  expect(refused[0]?.text).toContain('file_too_large')
  expect(await held()).toBe(kept * 3 * mebibyte)
  await cleared()
})

test('bytes of an upload under way leave no room for another file', async () => {
  const key = await newKey()
  const begun = [begin(key), begin(key), begin(key)]
  await expect.poll(held).toBeGreaterThanOrEqual(6 * mebibyte)
  await expect.poll(underWay).toBe(3)
  const more = form([{ name: 'file', filename: 'b.bin', content: Buffer.alloc(2 * mebibyte) }])
  const upload = () => send(replica, { method: 'POST', path: '/v1/files', key, ...more })
  const refused = await upload()
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([413, 'file_too_large'])
  begun[0]?.destroy()
  await expect.poll(underWay).toBe(2)
  expect((await upload()).status).toBe(200)
  for (const request of begun) request.destroy()
  await cleared()
})

test('an account has so many uploads at once and no more, and others are free', async () => {
  const key = await newKey()
  const begun = Array.from({ length: uploadsAtOnce }, (_, n) => begin(key, n % 2 ? replica : service))
  await expect.poll(underWay).toBe(uploadsAtOnce)
  const refused = await finish(begin(key))
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text).error).toMatchObject({
    code: 'rate_limit_exceeded',
    message: expect.stringContaining(`${uploadsAtOnce} uploads`),
  })
  expect((await finish(begin(await newKey()))).status).toBe(200)
  for (const request of begun) request.destroy()
  await cleared()
})

test('an upload whose process died frees its slot in minutes and its bytes later', async () => {
  const { id } = await makeAccount(db.database)
  const key = await makeKey(db.database, id)
  const dead = (age: string) =>
    db.database.systemPool.query(
      `insert into file_versions (id, account_id, version, state, content_type, bytes, created_at)
       select 'dead ' || n || ' ${age}', $1, 1, 'uploading', 'text/plain', 1, now() - interval '${age}'
       from generate_series(1, ${uploadsAtOnce}) n`,
      [id],
    )
  await dead('4 minutes')
  expect((await finish(begin(key))).status).toBe(429)
  await world.rows('delete from file_versions')
  await dead('6 minutes')
  expect((await finish(begin(key))).status).toBe(200)
  await dead('16 minutes')
  await removeExpired(db.database)
  expect(await underWay()).toBe(uploadsAtOnce)
  await world.rows('delete from file_versions')
})

test('an upload that its client aborts is no fault in the log', async () => {
  logged = ''
  for (const how of [{}, { 'transfer-encoding': 'chunked' }]) {
    const request = begin(await newKey(), service, how)
    await expect.poll(held).toBeGreaterThanOrEqual(2 * mebibyte)
    request.destroy()
    await cleared()
  }
  await expect.poll(() => logged.match(/"left":true/g)?.length).toBe(2)
  expect(logged).not.toMatch(/"level":(40|50)|database_unavailable/)
})
