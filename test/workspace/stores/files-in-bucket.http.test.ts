import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request as open } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
import { errorTable } from '../../../src/errors.ts'
import { keepFileStore } from '../../../src/operations/file-store.ts'
import { moveNewContents, sweepObjects } from '../../../src/workspace/moving.ts'
import { useFolder } from '../../support/folder.ts'
import { errorOf, form, type Reply, send } from '../../support/http-raw.ts'
import { type S3Server, startS3Server, storeAt } from '../../support/s3-server.ts'
import { reply, type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { openWorkspace } from '../../support/workspace.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { bodyOf } from '../../support/world/requests.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const MiB = 1024 * 1024
const content = randomBytes(7 * MiB + 300)
const plans: Plans = {
  names: builtInPlans.names,
  of: (name) => ({ ...builtInPlans.of(name), storedBytes: 10 * MiB, fileBytes: 8 * MiB }),
}

let s3: S3Server
/** A model that reads images. */
let eyes: ScriptedUpstream
const folder = useFolder()
let world: World
let stores: Parameters<typeof sweepObjects>[0]

beforeAll(async () => {
  s3 = await startS3Server()
  const objects = storeAt(s3)
  eyes = await startScriptedUpstream()
  const catalogueFile = path.join(folder, 'models.json')
  await writeFile(
    catalogueFile,
    JSON.stringify({ models: [{ id: 'sees', base_url: eyes.baseUrl, images: true }] }),
  )
  world = await openWorld({ plans, objects, model: { catalogueFile } })
  stores = { database: world.db.database, objects }
})
beforeEach(async () => {
  s3.before(() => undefined)
  await world.rows('delete from projects')
  await sweepObjects(stores)
  expect(s3.objects.size).toBe(0)
})
afterAll(async () => {
  await world.close()
  await eyes.close()
  await s3.stop()
})

const expectError = (refused: Reply, code: string) => {
  expect(errorOf(refused)?.code).toBe(code)
  expect(refused.status).toBe(errorTable[code as keyof typeof errorTable].status)
}

type FileBody = { readonly id: string; readonly sha256: string; readonly bytes: number }

const newKey = async () => makeKey(world.db.database, (await makeAccount(world.db.database)).id)
const post = (bytes: Buffer | string, key = world.key, name = 'a.bin') => {
  const parts = form([{ name: 'file', filename: name, content: bytes }])
  return send(world.service, { method: 'POST', path: '/v1/files', key, ...parts })
}
const upload = async (bytes: Buffer | string, key = world.key, name = 'a.bin'): Promise<FileBody> =>
  JSON.parse((await post(bytes, key, name)).text)
const get = (id: string, headers = {}, key = world.key) =>
  send(world.service, { method: 'GET', path: `/v1/files/${id}/content`, key, headers })
const remove = (id: string) =>
  send(world.service, { method: 'DELETE', path: `/v1/files/${id}`, key: world.key })
const count = async (table: string) =>
  (await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n

test('an upload is one object, comes back whole and by ranges, and its deletion removes the object', async () => {
  const { id, sha256 } = await upload(content)
  const [[key, stored] = []] = [...s3.objects]
  expect(key).toMatch(new RegExp(`^here/${world.accountId}/file-`))
  expect(stored?.equals(content)).toBe(true)
  const whole = await get(id)
  expect([whole.status, whole.headers['content-length'], whole.headers['etag']]).toEqual([
    200,
    `${content.length}`,
    `"${sha256}"`,
  ])
  expect(whole.bytes.equals(content)).toBe(true)
  const part = await get(id, { range: `bytes=${5 * MiB - 10}-${6 * MiB}` })
  expect(part.status).toBe(206)
  expect(part.bytes.equals(content.subarray(5 * MiB - 10, 6 * MiB + 1))).toBe(true)
  expect((await get(id, { 'if-none-match': `"${sha256}"` })).status).toBe(304)
  // In Postgres there are only the bytes by which the kind of a file is told.
  expect(await world.rows('select octet_length(data) as n from file_chunks')).toEqual([{ n: 2_048 }])
  expect((await remove(id)).status).toBe(200)
  expect(s3.objects.size).toBe(1)
  expect(await sweepObjects(stores)).toBe(1)
  expect([s3.objects.size, await count('unused_objects')]).toEqual([0, 0])
})

test('no account reads or deletes the files of another one', async () => {
  const mine = await upload('mine')
  const other = await newKey()
  const theirs = await upload('theirs', other)
  expectError(await get(mine.id, {}, other), 'not_found')
  expectError(await get(theirs.id), 'not_found')
  expectError(await remove(theirs.id), 'not_found')
  expect((await get(theirs.id, {}, other)).text).toBe('theirs')
  const owners = [...s3.objects.keys()].map((key) => key.split('/')[1])
  expect(new Set(owners).size).toBe(2)
})

test('an outage is a 503 that names the store, stores nothing, and ends with it', async () => {
  const { id } = await upload(content)
  await s3.stop()
  for (const refused of [await post('small'), await post(randomBytes(2 * MiB)), await get(id)]) {
    expectError(refused, 'file_store_unavailable')
    expect(refused.text).toContain('s3://files')
    expect(refused.headers['content-disposition']).toBeUndefined()
  }
  expect([await count('files'), await count('file_versions')]).toEqual([1, 1])
  expect((await remove(id)).status).toBe(200)
  await expect(sweepObjects(stores)).rejects.toMatchObject({ code: 'file_store_unavailable' })
  await s3.start()
  expect((await get((await upload('after')).id)).text).toBe('after')
  // An object that could not be removed is due again later.
  await world.rows('update unused_objects set due_at = now()')
  await sweepObjects(stores)
  expect([...s3.objects.values()].map(String)).toEqual(['after'])
})

test('a store that fails in the middle of an upload leaves no file and no bytes', async () => {
  let parts = 0
  s3.before((request) => {
    if (request.startsWith('PUT')) parts += 1
    if (request.startsWith('PUT') && parts > 1) throw new Error('no reply')
  })
  expectError(await post(content), 'file_store_unavailable')
  expect([await count('file_versions'), await count('file_chunks')]).toEqual([0, 0])
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0])
})

test('an upload that its client breaks off leaves no file and no object', async () => {
  const { headers, body } = form([{ name: 'file', filename: 'a.bin', content }])
  const { hostname, port } = new URL(world.service.url)
  const sent = { ...headers, 'content-length': `${body.length}`, authorization: `Bearer ${world.key}` }
  const request = open({ hostname, port, method: 'POST', path: '/v1/files', agent: false, headers: sent })
  request.on('error', () => undefined)
  const begun = new Promise<void>((resolve) =>
    s3.before((asked) => void (asked.startsWith('PUT') && resolve())),
  )
  request.write(body.subarray(0, 6.5 * MiB))
  await begun
  request.destroy()
  await expect.poll(() => count('file_versions'), { timeout: 60_000 }).toBe(0)
  await sweepObjects(stores)
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0])
})

test('files in a bucket count towards the storage of the plan', async () => {
  const key = await newKey()
  expect((await post(content, key)).status).toBe(200)
  expectError(await post(randomBytes(4 * MiB), key), 'file_too_large')
  expectError(await post(Buffer.alloc(9 * MiB), key), 'file_too_large')
  await sweepObjects(stores)
  expect([...s3.objects.values()].map(({ length }) => length)).toEqual([content.length])
})

test('the agent writes and edits files at once, and they are in the bucket after the next round', async () => {
  const home = await openWorkspace(world.db.database, {}, undefined, undefined, stores.objects)
  await home.call('write_file', { name: 'notes.md', content: 'the first wording' })
  expect(s3.objects.size).toBe(0)
  expect(await moveNewContents(stores)).toMatchObject({ moved: 1, failed: [] })
  expect([...s3.objects.values()].map(String)).toEqual(['the first wording'])
  const edit = { name: 'notes.md', old: 'first', new: 'second' }
  await s3.stop()
  expect(await home.call('edit_file', edit)).toMatchObject({
    isError: true,
    content: { error: expect.stringContaining('file store') },
  })
  expect(await home.call('read_file', { name: 'notes.md' })).toMatchObject({
    isError: true,
    content: { problem: 'It could not be read just now. Try again later.' },
  })
  await s3.start()
  expect((await home.call('edit_file', edit)).isError).toBe(false)
  const { content: read } = await home.call('read_file', { name: 'notes.md' })
  expect(read).toMatchObject({ version: 2, passages: [{ text: 'the second wording' }] })
  expect(await moveNewContents(stores)).toMatchObject({ moved: 1 })
  expect((await home.call('search_files', { query: 'wording' })).sources).toHaveLength(1)
})

test('an image in a message comes from the bucket, and without it the turn fails and says why', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const { id } = await upload(png, world.key, 'dot.png')
  const parts = [
    { type: 'text', text: 'What is it?' },
    { type: 'file', file: { file_id: id } },
  ]
  const asked = { model: 'sees', messages: [{ role: 'user', content: parts }] }
  eyes.enqueue(reply('A dot.'))
  expect((await world.chat(asked)).status).toBe(200)
  const url = `data:image/png;base64,${png.toString('base64')}`
  expect(JSON.stringify(eyes.requests.at(-1)?.body.messages)).toContain(url)
  await s3.stop()
  const failed = await world.chat(asked)
  await s3.start()
  expect([failed.status, (await bodyOf(failed)).error.message]).toEqual([
    502,
    expect.stringContaining('s3://files does not work'),
  ])
})

test('/readyz names the store and whether it answers, and its outage leaves the service ready', async () => {
  const logged: string[] = []
  const log = {
    info: (_: object, text: string) => logged.push(text),
    warn: (_: object, text: string) => logged.push(text),
    error: () => undefined,
  }
  const kept = keepFileStore(stores, log as never)
  await expect
    .poll(kept.state, { timeout: 60_000 })
    .toMatchObject({ store: 's3://files/here', reachable: true })
  await kept.stop()
  await s3.stop()
  const again = keepFileStore(stores, log as never)
  await expect.poll(again.state, { timeout: 60_000 }).toMatchObject({ reachable: false })
  await again.stop()
  await s3.start()
  expect(logged).toEqual([expect.stringContaining('s3://files/here cannot be used. Check FILES_URL')])
  const since = new Date(1_000)
  const service = await world.start({
    fileStoreState: () => ({ store: 's3://files/here', reachable: false, since }),
  })
  const ready = await fetch(`${service.url}/readyz?details`)
  expect([ready.status, (await bodyOf(ready)).files]).toEqual([
    200,
    { store: 's3://files/here', reachable: false, since: 1 },
  ])
  expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok' })
})
