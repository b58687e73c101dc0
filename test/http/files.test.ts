import { createHash, randomBytes } from 'node:crypto'
import { request as open } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { form, type Part, type Reply, send } from '../support/http-raw.ts'
import { expectError, type Refusal } from '../support/http-refusal.ts'
import {
  makeFile,
  makeOwner,
  makeThings,
  openWorld,
  rowCounts,
  type Things,
  type World,
} from '../support/http-world.ts'

let world: World
let home: Things
let foreign: Things
let before: Readonly<Record<string, number>>

beforeAll(async () => {
  world = await openWorld()
  home = await makeThings(world.db, world.service, await makeOwner(world.db))
  foreign = await makeThings(world.db, world.service, await makeOwner(world.db))
})
beforeEach(async () => {
  before = await rowCounts(world.db)
})
afterAll(() => world.close())

const upload = (parts: readonly Part[], key = home.key) =>
  send(world.service, { method: 'POST', path: '/v1/files', key, ...form(parts) })

const get = (path: string, key = home.key) => send(world.service, { method: 'GET', path, key })

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const mebibyte = 1024 * 1024
const part = (content: string | Buffer, filename = 'a.bin', type?: string): Part => ({
  name: 'file',
  filename,
  content,
  ...(type !== undefined && { type }),
})
const inHome = (): Part => ({ name: 'project_id', value: home.projectId })
const purpose = (value: string): Part => ({ name: 'purpose', value })

const expectRefusal = async (reply: Reply, refusal: Refusal, says: RegExp) => {
  expectError(reply, refusal, says)
  expect(await rowCounts(world.db)).toEqual(before)
}
const invalid = (param: string | null): Refusal => ({ status: 400, code: 'invalid_value', param })

test.each([0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 1])(
  'a file of %i bytes comes back byte for byte, with its checksum',
  async (size) => {
    const content = randomBytes(size)
    const reply = await upload([
      part(content, 'data.bin', 'application/x-test'),
      purpose('assistants'),
      inHome(),
    ])
    const file = JSON.parse(reply.text)
    expect({ status: reply.status, file }).toEqual({
      status: 200,
      file: {
        id: expect.stringMatching(/^file-[0-9A-Za-z]{24}$/),
        object: 'file',
        bytes: size,
        created_at: expect.closeTo(Date.now() / 1_000, -2),
        filename: 'data.bin',
        purpose: 'assistants',
        status: 'processed',
        project_id: home.projectId,
        session_id: null,
        run_id: null,
        sha256: sha256(content),
        content_type: 'application/x-test',
      },
    })
    expect(Number.isInteger(file.created_at)).toBe(true)
    expect(JSON.parse((await get(`/v1/files/${file.id}`)).text)).toEqual(file)
    const download = await get(`/v1/files/${file.id}/content`)
    expect(download.headers['content-length']).toBe(String(size))
    expect({ bytes: download.bytes.length, sha256: sha256(download.bytes) }).toEqual({
      bytes: size,
      sha256: file.sha256,
    })
  },
)

test('the parts of an upload come in any order, and unknown ones are ignored', async () => {
  const parts = [part('text'), purpose('vision'), inHome(), { name: 'extra', value: 'x' }]
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
  ]
  for (const order of orders) {
    const reply = await upload(order.flatMap((i) => parts[i] ?? []))
    expect(JSON.parse(reply.text)).toMatchObject({ purpose: 'vision', project_id: home.projectId, bytes: 4 })
  }
  expect(JSON.parse((await upload([part('text')])).text)).toMatchObject({ purpose: 'user_data' })
})

const names = [
  { sent: 'דף מקורות – תניא.pdf', kept: 'דף מקורות – תניא.pdf', ascii: '__ ______ _ ____.pdf' },
  { sent: "it's 100% (new)*.txt", kept: "it's 100% (new)*.txt", ascii: "it's 100_ (new)*.txt" },
  { sent: '📜.md', kept: '📜.md', ascii: '__.md' },
  { sent: '../../etc/passwd', kept: 'passwd', ascii: 'passwd' },
  { sent: 'e\u0301.txt', kept: '\u00e9.txt', ascii: '_.txt' },
]

test.each(names)(
  'the name $kept is kept, and sent with the download as RFC 6266 has it',
  async ({ sent, kept, ascii }) => {
    const { id, filename } = JSON.parse((await upload([part('text', sent)])).text)
    expect(filename).toBe(kept)
    const { headers } = await get(`/v1/files/${id}/content`)
    const match = /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([A-Za-z0-9%!#$&+.^_`|~-]+)$/.exec(
      headers['content-disposition'] ?? '',
    )
    expect({ ascii: match?.[1], extended: decodeURIComponent(match?.[2] ?? '') }).toEqual({
      ascii,
      extended: kept,
    })
  },
)

test('a download is never rendered by a browser that trusts this host', async () => {
  const { id } = JSON.parse((await upload([part('<script>1</script>', 'a.html', 'text/html')])).text)
  for (const method of ['GET', 'HEAD']) {
    const reply = await send(world.service, { method, path: `/v1/files/${id}/content`, key: home.key })
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html',
      'content-length': '18',
      'content-disposition': expect.stringMatching(/^attachment;/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
  }
  const odd = JSON.parse((await upload([part('x', 'a', 'text/html, bad')])).text)
  expect(odd.content_type).toBe('application/octet-stream')
})

test('a deleted file is gone with its content, and a second delete is the 404', async () => {
  const id = await makeFile(world.service, home)
  const remove = () => send(world.service, { method: 'DELETE', path: `/v1/files/${id}`, key: home.key })
  expect(JSON.parse((await remove()).text)).toEqual({ id, object: 'file', deleted: true })
  const gone = { status: 404, code: 'not_found', param: null } as const
  for (const reply of [await remove(), await get(`/v1/files/${id}`), await get(`/v1/files/${id}/content`)]) {
    await expectRefusal(reply, gone, /Check the id/)
  }
})

const badForms: readonly { name: string; parts: () => readonly Part[]; refusal: Refusal; says: RegExp }[] = [
  {
    name: 'no file',
    parts: () => [purpose('assistants')],
    refusal: { status: 400, code: 'missing_required_parameter', param: 'file' },
    says: /`file` is required/,
  },
  { name: 'two files', parts: () => [part('one'), part('two')], refusal: invalid('file'), says: /one file/ },
  {
    name: 'an unknown purpose',
    parts: () => [part('x'), purpose('fun')],
    refusal: invalid('purpose'),
    says: /assistants/,
  },
  {
    name: 'a file without a name',
    parts: () => [part('x', '..')],
    refusal: invalid('file'),
    says: /needs a name/,
  },
  {
    name: 'a name of 201 letters',
    parts: () => [part('x', 'נ'.repeat(201))],
    refusal: invalid('file'),
    says: /200/,
  },
  {
    name: 'a foreign project',
    parts: () => [part('x'), { name: 'project_id', value: foreign.projectId }],
    refusal: { status: 404, code: 'not_found', param: null },
    says: /Check the id/,
  },
  {
    name: 'a field named __proto__',
    parts: () => [part('x'), { name: '__proto__', value: 'x' }],
    refusal: invalid(null),
    says: /field name/,
  },
  {
    name: '21 fields',
    parts: () => [part('x'), ...Array.from({ length: 21 }, (_, i) => ({ name: `f${i}`, value: '' }))],
    refusal: { status: 413, code: 'request_too_large', param: null },
    says: /Send less/,
  },
]

test.each(badForms)(
  'an upload with $name is refused and leaves nothing',
  async ({ parts, refusal, says }) => {
    await expectRefusal(await upload(parts()), refusal, says)
  },
)

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
    /delete files to make room/,
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
    await expect.poll(chunks, { timeout: 10_000 }).toBe(arrived)
    request.destroy()
    await expect.poll(() => rowCounts(world.db), { timeout: 10_000 }).toEqual(before)
  },
)
