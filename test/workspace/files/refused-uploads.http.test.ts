import { randomBytes } from 'node:crypto'
import { request as open } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { form, type Part, type Reply, send } from '../../support/http-raw.ts'
import { expectError, type Refusal } from '../../support/http-refusal.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { makeOwner, useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let before: Readonly<Record<string, number>>

const world = useWorld(unhurried)
const home = useThings(world)
const foreign = useThings(world)
beforeEach(async () => {
  before = await rowCounts(world.db)
})

const upload = (parts: readonly Part[], key = home.key) =>
  send(world.service, { method: 'POST', path: '/v1/files', key, ...form(parts) })

const mebibyte = 1024 * 1024
const part = (content: string | Buffer, filename = 'a.bin'): Part => ({ name: 'file', filename, content })
const purpose = (value: string): Part => ({ name: 'purpose', value })

const expectRefusal = async (reply: Reply, refusal: Refusal, says: RegExp) => {
  expectError(reply, refusal, says)
  expect(await rowCounts(world.db)).toEqual(before)
}
const invalid = (param: string | null): Refusal => ({ status: 400, code: 'invalid_value', param })

const refusal = (status: number, code: Refusal['code'], param: string | null): Refusal => ({
  status,
  code,
  param,
})
const noFile = refusal(400, 'missing_required_parameter', 'file')
const notFound = refusal(404, 'not_found', 'project_id')
const tooMany = refusal(413, 'request_too_large', null)
const field = (name: string, value = 'x'): Part => ({ name, value })
const fields = Array.from({ length: 21 }, (_, i) => field(`f${i}`))

test.each<[name: string, parts: () => readonly Part[], Refusal, says: RegExp]>([
  ['no file', () => [purpose('assistants')], noFile, /`file` is required/],
  ['two files', () => [part('one'), part('two')], invalid('file'), /one file/],
  ['an unknown purpose', () => [part('x'), purpose('fun')], invalid('purpose'), /assistants/],
  ['a file without a name', () => [part('x', '..')], invalid('file'), /needs a name/],
  ['a name of 201 letters', () => [part('x', 'נ'.repeat(201))], invalid('file'), /200/],
  ['a foreign project', () => [part('x'), field('project_id', foreign.projectId)], notFound, /`project_id`/],
  ['a field named __proto__', () => [part('x'), field('__proto__')], invalid(null), /field name/],
  ['21 fields', () => [part('x'), ...fields], tooMany, /Send less/],
])('an upload with %s is refused and leaves nothing', async (_, parts, expected, says) => {
  await expectRefusal(await upload(parts()), expected, says)
})

test('a body that is no whole form is refused and leaves nothing', async () => {
  const { headers, body } = form([part('x'.repeat(2 * mebibyte)), purpose('vision')])
  const sendBody = (type: string, bytes: Buffer) =>
    send(world.service, {
      method: 'POST',
      path: '/v1/files',
      key: home.key,
      body: bytes,
      headers: { 'content-type': type },
    })
  const type = headers['content-type'] ?? ''
  for (const end of [body.length - 4, body.length - 60, mebibyte, 40]) {
    await expectRefusal(await sendBody(type, body.subarray(0, end)), invalid(null), /incomplete or malformed/)
  }
  await expectRefusal(await sendBody('multipart/form-data', body), invalid(null), /incomplete or malformed/)
  const other: Refusal = { status: 415, code: 'unsupported_content_type', param: null }
  for (const wrong of ['application/json', 'text/plain', 'application/octet-stream']) {
    await expectRefusal(await sendBody(wrong, Buffer.from('{}')), other, /multipart\/form-data/)
  }
})

test('the plan bounds one file and all files together; what was refused leaves nothing', async () => {
  const small = await makeOwner(world.db, 'basic')
  const tooLarge: Refusal = { status: 413, code: 'file_too_large', param: 'file' }
  const full = await upload([part(randomBytes(64 * 1024))], small.key)
  expect(full.status).toBe(200)
  before = await rowCounts(world.db)
  for (const size of [64 * 1024 + 1, 5 * mebibyte]) {
    const reply = await upload([purpose('vision'), part(randomBytes(size))], small.key)
    await expectRefusal(reply, tooLarge, /plan/)
    expect(reply.headers['x-should-retry']).toBe('false')
  }
  await expectRefusal(
    await upload([part(randomBytes(36 * 1024 + 1))], small.key),
    tooLarge,
    /Delete files to make room/,
  )
  const { id } = JSON.parse(full.text)
  await send(world.service, { method: 'DELETE', path: `/v1/files/${id}`, key: small.key })
  expect((await upload([part(randomBytes(36 * 1024 + 1))], small.key)).status).toBe(200)
})

const rest = form([part(randomBytes(3 * mebibyte)), purpose('vision')]).body
const cuts = [
  { name: 'inside the file', bytes: 2 * mebibyte, length: { 'content-length': String(rest.length) } },
  {
    name: 'inside the file, sent in chunks',
    bytes: 2 * mebibyte,
    length: { 'transfer-encoding': 'chunked' },
  },
  { name: 'after the file', bytes: rest.length - 40, length: { 'content-length': String(rest.length) } },
]

test.each(cuts)(
  'an upload cut off $name leaves no file, no version and no bytes',
  async ({ bytes, length }) => {
    const { hostname, port } = new URL(world.service.url)
    const { headers } = form([])
    const request = open({
      ...{ hostname, port, method: 'POST', path: '/v1/files', agent: false },
      headers: { ...headers, ...length, authorization: `Bearer ${home.key}` },
    })
    request.once('error', () => undefined)
    request.write(rest.subarray(0, bytes))
    const chunks = async () => (await rowCounts(world.db))['file_chunks'] ?? 0
    const arrived = (before['file_chunks'] ?? 0) + Math.floor((bytes - 200) / mebibyte)
    await expect.poll(chunks).toBe(arrived)
    request.destroy()
    await expect.poll(() => rowCounts(world.db)).toEqual(before)
  },
)
