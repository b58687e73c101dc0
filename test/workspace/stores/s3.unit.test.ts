import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type S3Server, startS3Server, storeAt } from '../../support/s3-server.ts'

let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
beforeEach(async () => {
  server.before(() => undefined)
  server.objects.clear()
})
afterAll(() => server.stop())

const url = 's3://files/here'
const MiB = 1024 * 1024

async function* pieces(count: number, size = MiB): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(size, `${i} `)
}
const read = async (...args: Parameters<ReturnType<typeof storeAt>['get']>) =>
  Buffer.concat(await Array.fromAsync(storeAt(server).get(...args)))

test.each([0, 1, 4, 5, 17])('an object of %i MiB comes back whole and by ranges', async (count) => {
  await storeAt(server).put(`${url}/a`, pieces(count))
  const whole = Buffer.concat(await Array.fromAsync(pieces(count)))
  expect(server.objects.get('here/a')?.equals(whole)).toBe(true)
  expect((await read(`${url}/a`, { start: 0, end: whole.length })).equals(whole)).toBe(true)
  expect(await storeAt(server).size(`${url}/a`)).toBe(whole.length)
  if (count > 0)
    expect(await read(`${url}/a`, { start: MiB - 3, end: MiB })).toEqual(whole.subarray(MiB - 3, MiB))
})

test('what the sender throws is thrown, and no object and no part of one stays', async () => {
  async function* broken() {
    yield* pieces(7)
    throw new Error('the sender left')
  }
  await expect(storeAt(server).put(`${url}/a`, broken())).rejects.toThrow('the sender left')
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
})

test('an object that is missing or too short is lost, and has no size', async () => {
  await expect(read(`${url}/none`, { start: 0, end: 1 })).rejects.toThrow('missing or shorter')
  expect(await storeAt(server).size(`${url}/none`)).toBeUndefined()
  server.objects.set('here/a', Buffer.from('ab'))
  await expect(read(`${url}/a`, { start: 0, end: 3 })).rejects.toThrow('missing or shorter')
})

const unavailable = (cause: RegExp) => ({
  code: 'file_store_unavailable',
  message: expect.stringContaining('s3://'),
  cause: expect.stringMatching(cause),
})

test('a store that refuses or does not answer is named with the reason', async () => {
  await storeAt(server).check(url)
  const wrongSecret = { credentials: { accessKeyId: 'test', secretAccessKey: 'another' } }
  await expect(storeAt(server, wrongSecret).check(url)).rejects.toMatchObject(
    unavailable(/SignatureDoesNotMatch/),
  )
  await expect(storeAt(server).check('s3://nowhere/here')).rejects.toMatchObject(unavailable(/NoSuchBucket/))
  await expect(storeAt(server).put('s3://nowhere/a', pieces(1))).rejects.toMatchObject(
    unavailable(/NoSuchBucket/),
  )
  await server.stop()
  const down = unavailable(/ECONNREFUSED/)
  const store = storeAt(server)
  await expect(store.check(url)).rejects.toMatchObject(down)
  await expect(store.put(`${url}/a`, pieces(1))).rejects.toMatchObject(down)
  await expect(store.put(`${url}/a`, pieces(9))).rejects.toMatchObject(down)
  await expect(read(`${url}/a`, { start: 0, end: 1 })).rejects.toMatchObject(down)
  await expect(store.size(`${url}/a`)).rejects.toMatchObject(down)
  await expect(store.remove(`${url}/a`)).rejects.toMatchObject(down)
  await server.start()
  await store.check(url)
})

test('a store that fails in the middle of an upload has no part of it', async () => {
  let parts = 0
  server.before((request) => {
    if (request.startsWith('PUT')) parts += 1
    if (parts > 1 && request.startsWith('PUT')) throw new Error('no reply')
  })
  await expect(storeAt(server).put(`${url}/a`, pieces(17))).rejects.toMatchObject(
    unavailable(/hang up|ECONNRESET/),
  )
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
})
