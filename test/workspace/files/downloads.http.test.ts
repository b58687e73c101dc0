import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { withTx } from '../../../src/db/client.ts'
import { writeContent } from '../../../src/workspace/writing.ts'
import { comparable, form, send } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { makeFile, useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const mebibyte = 1024 * 1024
const content = randomBytes(2 * mebibyte + 300)

let path: string
let tag: string

const world = useWorld(unhurried)
const home = useThings(world)
const foreign = useThings(world)
beforeAll(async () => {
  const { id, sha256 } = await upload(content)
  path = `/v1/files/${id}/content`
  tag = `"${sha256}"`
})

async function upload(bytes: Buffer): Promise<{ id: string; sha256: string }> {
  const parts = form([
    { name: 'project_id', value: home.projectId },
    { name: 'file', filename: 'data.bin', content: bytes },
  ])
  return JSON.parse(
    (await send(world.service, { method: 'POST', path: '/v1/files', key: home.key, ...parts })).text,
  )
}

const get = (headers: Readonly<Record<string, string>>, of = path, method = 'GET', key = home.key) =>
  send(world.service, { method, path: of, key, headers })

const ranges: readonly (readonly [range: string, start: number, end: number])[] = [
  ['bytes=0-0', 0, 1],
  [`bytes=${mebibyte - 5}-${mebibyte + 4}`, mebibyte - 5, mebibyte + 5],
  [`bytes=${mebibyte}-${2 * mebibyte - 1}`, mebibyte, 2 * mebibyte],
  ['bytes=-300', 2 * mebibyte, content.length],
  [`bytes=5-${content.length + 1000}`, 5, content.length],
]

test.each(ranges)(
  '%s is answered with those bytes, and HEAD says the same of them',
  async (range, start, end) => {
    const expected = {
      'content-length': String(end - start),
      'content-range': `bytes ${start}-${end - 1}/${content.length}`,
      'accept-ranges': 'bytes',
      etag: tag,
      'content-disposition': expect.stringMatching(/^attachment;/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    }
    const part = await get({ range })
    expect(part.status).toBe(206)
    expect(part.headers).toMatchObject(expected)
    expect(part.bytes.equals(content.subarray(start, end))).toBe(true)
    const head = await get({ range }, path, 'HEAD')
    expect({ status: head.status, bytes: head.bytes.length }).toEqual({ status: 206, bytes: 0 })
    expect(head.headers).toMatchObject(expected)
  },
)

test('a header that asks for no single range brings the whole file', async () => {
  const whole = await get({ range: 'bytes=0-1,5-6' })
  expect({ status: whole.status, range: whole.headers['content-range'] }).toEqual({ status: 200 })
  expect(whole.bytes.equals(content)).toBe(true)
})

test('a range behind the end is refused with the size of the file', async () => {
  const late = await get({ range: `bytes=${content.length}-` })
  expectError(late, { status: 416, code: 'range_not_satisfiable', param: null }, /after the end of the file/)
  expect(late.headers['content-range']).toBe(`bytes */${content.length}`)
  expect(late.headers['content-disposition']).toBeUndefined()
})

test('of a file of 0 bytes and of 1 byte every range is answered rightly', async () => {
  const none = `/v1/files/${(await upload(Buffer.alloc(0))).id}/content`
  const one = `/v1/files/${(await upload(Buffer.from('x'))).id}/content`
  expect((await get({}, none)).bytes.length).toBe(0)
  expect((await get({ range: 'bytes=0-0' }, none)).status).toBe(416)
  expect((await get({ range: 'bytes=0-0' }, one)).text).toBe('x')
  expect((await get({ range: 'bytes=-1' }, one)).headers['content-range']).toBe('bytes 0-0/1')
  expect((await get({ range: 'bytes=1-' }, one)).status).toBe(416)
})

test('who has the content already is told so, without a body', async () => {
  for (const value of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const reply = await get({ 'if-none-match': value, range: 'bytes=0-9' }, path, method)
      expect({ status: reply.status, bytes: reply.bytes.length, etag: reply.headers.etag }).toEqual({
        status: 304,
        bytes: 0,
        etag: tag,
      })
    }
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
})

test('a range is served only while the content is the one the client began with', async () => {
  const range = 'bytes=0-9'
  expect((await get({ range, 'if-range': tag })).status).toBe(206)
  for (const other of ['"other"', `W/${tag}`, new Date().toUTCString()]) {
    const whole = await get({ range, 'if-range': other })
    expect({ status: whole.status, bytes: whole.bytes.length }).toEqual({
      status: 200,
      bytes: content.length,
    })
  }
})

test('each version can be downloaded by its number, and the newest is what is shown', async () => {
  const id = await makeFile(world.service, home, 'notes.md')
  const place = { accountId: home.accountId, projectId: home.projectId, sessionId: null, runId: 'run_x' }
  await withTx(world.db.database, home, (tx) =>
    writeContent(tx, place, builtInPlans.of('pro'), 'notes.md', Buffer.from('rewritten')),
  )
  const file = JSON.parse((await get({}, `/v1/files/${id}`)).text)
  expect(file).toMatchObject({ version: 2, bytes: 9, content_type: 'text/markdown; charset=utf-8' })
  expect(file.versions).toMatchObject([
    { version: 2, bytes: 9, run_id: 'run_x', sha256: file.sha256 },
    { version: 1, bytes: 6, run_id: null, content_type: 'application/octet-stream' },
  ])
  const textOf = async (query: string) => (await get({}, `/v1/files/${id}/content${query}`)).text
  expect([await textOf(''), await textOf('?version=1'), await textOf('?version=2')]).toEqual([
    'rewritten',
    'a text',
    'rewritten',
  ])
  const first = await get({ range: 'bytes=2-' }, `/v1/files/${id}/content?version=1`)
  expect([first.text, first.headers.etag]).toEqual(['text', `"${file.versions[1].sha256}"`])
  const gone = await get({}, '/v1/files/file-nothing/content?version=1')
  expect(comparable(await get({}, `/v1/files/${id}/content?version=3`))).toEqual(comparable(gone))
  for (const bad of ['0', '-1', 'x', '1.5', '99999999999', '']) {
    const refusal = { status: 400, code: 'invalid_value', param: 'version' } as const
    expectError(await get({}, `/v1/files/${id}/content?version=${bad}`), refusal, /./)
  }
})

test('a foreign file is the 404 of one that does not exist, whatever is asked of it', async () => {
  const gone = await get({}, '/v1/files/file-nothing/content')
  expect(gone.status).toBe(404)
  for (const headers of [
    {},
    { range: 'bytes=0-0' },
    { range: 'bytes=9999999999-' },
    { 'if-none-match': '*' },
  ]) {
    for (const query of ['', '?version=1', '?version=2']) {
      const theirs = await get(headers, `/v1/files/${home.fileId}/content${query}`, 'GET', foreign.key)
      expect(comparable(theirs)).toEqual(comparable(gone))
    }
  }
})

test('a file deleted during its download breaks the download off', async () => {
  const { id } = await upload(Buffer.alloc(24 * mebibyte, 'x'))
  const response = await fetch(`${world.service.url}/v1/files/${id}/content`, {
    headers: { authorization: `Bearer ${home.key}` },
  })
  const reader = response.body?.getReader()
  await reader?.read()
  await send(world.service, { method: 'DELETE', path: `/v1/files/${id}`, key: home.key })
  const drain = async () => {
    while (!(await reader?.read())?.done);
  }
  await expect(drain()).rejects.toThrow()
})
