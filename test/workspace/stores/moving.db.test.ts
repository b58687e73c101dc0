import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { withTx } from '../../../src/db/client.ts'
import { type FileStores, readBuffer, readStream } from '../../../src/workspace/content.ts'
import { deleteFile, type FilePlace, findVersion, type StoredFile } from '../../../src/workspace/files.ts'
import { elsewhereThan, moveContents, sweepObjects, versionsWhere } from '../../../src/workspace/moving.ts'
import type { ObjectStore } from '../../../src/workspace/object-store.ts'
import { receiveUpload, sealUpload } from '../../../src/workspace/uploads.ts'
import { runForCode } from '../../support/command-line.ts'
import { useDatabase } from '../../support/database.ts'
import { isShort } from '../../support/full.ts'
import { type S3Server, startS3Server, storeAt } from '../../support/s3-server.ts'
import { makeAccount, makeProject } from '../../support/world/accounts.ts'

const MiB = 1024 * 1024
const plan = builtInPlans.of('unlimited')

let s3: S3Server
/** The service with FILES_URL, and without it. */
let inBucket: FileStores & { readonly objects: ObjectStore }
let inPostgres: typeof inBucket
let place: FilePlace
let env: Readonly<Record<string, string>>

const db = useDatabase()
beforeAll(async () => {
  s3 = await startS3Server()
  const { database } = db
  inBucket = { database, objects: storeAt(s3) }
  inPostgres = { database, objects: storeAt(s3, { url: undefined }) }
  const { endpoint = '', credentials } = s3.settings
  env = {
    FILES_ENDPOINT: endpoint,
    FILES_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    FILES_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  }
})
beforeEach(async () => {
  s3.before(() => undefined)
  await rows('delete from files')
  await rows('delete from unused_objects')
  s3.objects.clear()
  const { id: accountId } = await makeAccount(db.database)
  const projectId = await makeProject(db.database, accountId)
  place = { accountId, projectId, sessionId: null, runId: null }
})
afterAll(() => s3.stop())

const url = 's3://files/here'
const rows = async (statement: string) => (await db.database.systemPool.query(statement)).rows
const places = async () =>
  (await rows(`select count(*)::int as n, count(location)::int as objects from file_versions`))[0]

async function upload(stores: FileStores, content: Buffer): Promise<StoredFile> {
  async function* pieces() {
    yield content
  }
  const given = { name: 'a.bin', contentType: 'text/plain', content: pieces(), announced: undefined }
  const received = await receiveUpload(stores, place, plan, given)
  return withTx(db.database, place, (tx) => sealUpload(tx, place, plan, received, 'user_data'))
}

async function read(stores: FileStores, file: StoredFile): Promise<Buffer> {
  const version = await withTx(db.database, place, (tx) => findVersion(tx, file))
  if (!version) throw new Error('no version')
  return Buffer.concat(await Array.fromAsync(readStream(stores, version, { start: 0, end: version.bytes })))
}

const isWhole = async (stores: FileStores, file: StoredFile) =>
  createHash('sha256')
    .update(await read(stores, file))
    .digest('hex') === file.sha256

const move = (to: string) =>
  runForCode(db, ['files', 'move', '--to', to], { ...env, ...(to !== 'postgres' && { FILES_URL: to }) })

const expectOutage = (error: unknown) => expect(error).toMatchObject({ code: 'file_store_unavailable' })

const sizes = [0, 1, 2_048, 2_049, MiB, MiB + 1, 3 * MiB, 12 * MiB + 5]

test.skipIf(isShort)(
  'contents of all sizes are moved to a bucket and back, and leave nothing behind',
  async () => {
    const files = await Promise.all(sizes.map((size) => upload(inPostgres, randomBytes(size))))
    const before = await rows('select version_id, index, md5(data) from file_chunks order by 1, 2')
    const there = await move(url)
    expect([there.exitCode, there.printed]).toEqual([
      0,
      expect.stringContaining(
        `8 contents moved, ${sizes.reduce((a, b) => a + b)} bytes\nAll contents are in ${url}`,
      ),
    ])
    expect(await places()).toEqual({ n: 8, objects: 8 })
    expect(await rows('select max(octet_length(data)), count(*)::int as n from file_chunks')).toEqual([
      { max: 2_048, n: 7 },
    ])
    for (const file of files) expect(await isWhole(inBucket, file)).toBe(true)
    expect((await move('postgres')).exitCode).toBe(0)
    expect(await rows('select version_id, index, md5(data) from file_chunks order by 1, 2')).toEqual(before)
    for (const file of files) expect(await isWhole(inPostgres, file)).toBe(true)
    expect(await sweepObjects(inPostgres)).toBe(8)
    expect(s3.objects.size).toBe(0)
  },
)

test('a move that breaks off goes on later, and uploads, downloads and deletions meanwhile lose nothing', async () => {
  const files: StoredFile[] = []
  for (let i = 0; i < 12; i += 1) files.push(await upload(inPostgres, randomBytes(3_000)))
  files.push(await upload(inPostgres, randomBytes(8 * MiB)))
  for (const [to, stores] of [
    [url, inBucket],
    ['postgres', inPostgres],
  ] as const) {
    const stop = new AbortController()
    let stopped = false
    async function change(): Promise<void> {
      files.push(await upload(stores, randomBytes(5_000)))
      const [gone] = files.splice(Math.floor(Math.random() * files.length), 1)
      if (gone) await withTx(db.database, place, (tx) => deleteFile(tx, gone.id))
      for (const file of files.slice(-3)) expect(await isWhole(stores, file)).toBe(true)
      await sweepObjects(stores)
    }
    const traffic = (async () => {
      while (!stopped) await change().catch(expectOutage)
    })()
    // An outage of the store, then Ctrl-C, then the whole.
    let answered = 0
    s3.before(() => {
      answered += 1
      if (answered > 8) throw new Error('no reply')
    })
    const versions = () => versionsWhere(db.database, elsewhereThan(to))
    await moveContents(stores, versions(), to).then(() => expect.unreachable(), expectOutage)
    s3.before(() => undefined)
    const onMoved = () => stop.abort()
    await moveContents(stores, versions(), to, { signal: stop.signal, onMoved })
    expect((await move(to)).exitCode).toBe(0)
    stopped = true
    await traffic
    expect((await move(to)).printed).toContain(`All contents are in ${to}`)
    for (const file of files) expect(await isWhole(stores, file)).toBe(true)
    await rows('update unused_objects set due_at = now()')
    await sweepObjects(stores)
    expect(s3.objects.size).toBe(to === url ? files.length : 0)
  }
})

test('a download and a read in a transaction go on in the other store when their file is moved meanwhile', async () => {
  const content = randomBytes(4 * MiB)
  const file = await upload(inPostgres, content)
  const version = await withTx(db.database, place, (tx) => findVersion(tx, file))
  const pieces = readStream(inBucket, version as never, { start: 0, end: content.length })
  const first = (await pieces.next()).value as Buffer
  await move(url)
  const rest = await Array.fromAsync(pieces)
  expect(Buffer.concat([first, ...rest]).equals(content)).toBe(true)
  const again = await withTx(db.database, place, (tx) => readBuffer(inBucket, tx, version as never))
  expect(again.equals(content)).toBe(true)
})

test('a damaged or missing object stays where it is, and the move and the doctor say so', async () => {
  const files = [await upload(inBucket, randomBytes(10)), await upload(inBucket, randomBytes(10))]
  const [kept, lost, short] = [await upload(inBucket, randomBytes(10)), ...files]
  const locations = await rows('select file_id, location from file_versions')
  const keyOf = (file: StoredFile | undefined) =>
    locations.find(({ file_id: id }) => id === file?.id)?.location.replace('s3://files/', '')
  s3.objects.delete(keyOf(lost))
  s3.objects.set(keyOf(short), randomBytes(9))
  s3.objects.set(keyOf(kept), randomBytes(10))
  const doctor = () => runForCode(db, ['doctor', '--files'], { ...env, FILES_URL: url })
  const { printed, exitCode } = await doctor()
  expect(exitCode).toBe(1)
  expect(printed).toContain('3 objects of files were compared')
  expect(printed).toMatch(/BROKEN: the object s3:\S+ of file-\w+ is missing/)
  expect(printed).toMatch(/BROKEN: the object s3:\S+ of file-\w+ has 9 bytes instead of 10/)
  const moved = await move('postgres')
  expect(moved.exitCode).toBe(1)
  expect(moved.printed.match(/FAILED: file-\w+: .*(missing or shorter|another SHA-256)/g)).toHaveLength(3)
  expect(await places()).toEqual({ n: 3, objects: 3 })
})

test('the doctor says whether the store answers', async () => {
  const doctor = () => runForCode(db, ['doctor'], { ...env, FILES_URL: url })
  expect(await doctor()).toEqual({
    exitCode: 0,
    printed: expect.stringContaining(`The file store ${url} answers.`),
  })
  await s3.stop()
  expect(await doctor()).toEqual({
    exitCode: 2,
    printed: expect.stringMatching(/The file store s3:\S+ cannot be used: .*ECONNREFUSED/),
  })
  await s3.start()
})

test('a move whose object was swept before its end leaves the content where it was', async () => {
  const content = randomBytes(10)
  const file = await upload(inPostgres, content)
  s3.before(async (request) => {
    if (!request.startsWith('PUT')) return
    await rows('update unused_objects set due_at = now()')
    await sweepObjects(inBucket)
  })
  await expect(moveContents(inBucket, versionsWhere(db.database, elsewhereThan(url)), url)).rejects.toThrow(
    'was removed before the end of its move',
  )
  expect((await read(inPostgres, file)).equals(content)).toBe(true)
})

test('a move to another store than that of the settings is refused with the remedy', async () => {
  const wrong = runForCode(db, ['files', 'move', '--to', 'postgres'], { ...env, FILES_URL: url })
  await expect(wrong).rejects.toThrow('Remove FILES_URL and restart the service')
  const other = runForCode(db, ['files', 'move', '--to', 's3://elsewhere'], env)
  await expect(other).rejects.toThrow('Set FILES_URL to it')
})

test('an account sees none of the unused objects of another one', async () => {
  const file = await upload(inBucket, randomBytes(10))
  await withTx(db.database, place, (tx) => deleteFile(tx, file.id))
  const { id: accountId } = await makeAccount(db.database)
  const seen = (scope: { readonly accountId: string }) =>
    withTx(db.database, scope, (tx) => tx.execute('select 1 from unused_objects'))
  expect([(await seen(place)).rowCount, (await seen({ accountId })).rowCount]).toEqual([1, 0])
})
