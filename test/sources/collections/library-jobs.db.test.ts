import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { exportPlace } from '../../../src/sources/collections/export-place.ts'
import { collectionStates } from '../../../src/sources/library-jobs/collection-states.ts'
import {
  beginJob,
  cancelJob,
  claimJob,
  finishJob,
  type JobRequest,
  newestJobs,
  queueJob,
  renewJob,
  returnJob,
} from '../../../src/sources/library-jobs/jobs.ts'
import { runLibraryJobs } from '../../../src/sources/library-jobs/run-jobs.ts'
import { collectionExport } from '../../support/collection-export.ts'
import { type FakeSefaria, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

let fake: FakeSefaria
const db = useEmptyLibrary()

beforeAll(async () => {
  fake = await startFakeSefaria()
  fake.files = collectionExport
})
afterAll(() => fake.close())

const asked = (collection: string): JobRequest => ({
  collection,
  allowLicenses: [],
  requestedBy: 'acct_somebody',
})

const queue = (collection: string) => withTx(db.database, 'system', (tx) => queueJob(tx, asked(collection)))
const claim = (owner: string) => withTx(db.database, 'system', (tx) => claimJob(tx, owner))
const cancel = (collection: string) => withTx(db.database, 'system', (tx) => cancelJob(tx, collection))
const begin = () => withTx(db.database, 'system', (tx) => beginJob(tx, asked('tanya'), 'a command'))
const expire = () =>
  db.database.systemPool.query("update library_jobs set lease_expires_at = now() - interval '1 s'")

async function statusOf(collection: string): Promise<string | undefined> {
  const jobs = await newestJobs(db.database.system)
  return jobs.find((job) => job.collection === collection)?.status
}

const stateOf = async (name: string) =>
  (await collectionStates(db.database.system)).find(({ collection }) => collection.name === name)

const runner = () => runLibraryJobs(db.database, exportPlace(fake.baseUrl), pino({ level: 'silent' }))

test('one import runs at a time, in the order of the requests', async () => {
  await queue('breslov')
  await queue('tanya')
  const claims = await Promise.all([claim('a'), claim('b'), claim('c')])
  expect(claims.map((job) => job?.collection).filter(Boolean)).toEqual(['breslov'])
  await expect(begin()).rejects.toThrow('"breslov" is being imported')
  const [job] = claims.filter((found) => found !== undefined)
  await finishJob(db.database.system, job ?? { id: '', epoch: 0 }, { status: 'done' })
  expect((await claim('b'))?.collection).toBe('tanya')
})

test('a collection that is waiting is not queued twice', async () => {
  await queue('tanya')
  await expect(queue('tanya')).rejects.toThrow('Cancel it first')
})

test('a job whose process ended is claimed again, and the former owner is fenced off', async () => {
  await queue('tanya')
  const first = await claim('a')
  expect(await claim('b')).toBeUndefined()
  await expire()
  const second = await claim('b')
  expect(second).toMatchObject({ id: first?.id, epoch: 2, leaseOwner: 'b' })
  if (!first || !second) throw new Error('no claim')
  expect(await renewJob(db.database.system, first, undefined)).toBe('lost')
  await finishJob(db.database.system, first, { status: 'failed' })
  expect(await statusOf('tanya')).toBe('running')
  expect(await renewJob(db.database.system, second, undefined)).toBe('held')
})

const die = async (works: number) => {
  const job = await claim('a')
  if (!job) throw new Error('no claim')
  const counts = { segments: 0, words: 0, seconds: 0, share: 0 }
  await renewJob(db.database.system, job, { done: works, total: 9, title: 'Kedushat Levi', ...counts })
  await expire()
}

test('a job whose process ended three times at one work fails, and can be queued again', async () => {
  await queue('chabad')
  for (const works of [0, 2, 2, 2, 2]) await die(works)
  await queue('tanya')
  expect(await claim('b')).toMatchObject({ collection: 'tanya' })
  const failed = (await stateOf('chabad'))?.job
  expect(failed).toMatchObject({ status: 'failed', epoch: 5, finishedAt: expect.any(Date) })
  expect(failed?.error).toMatch(/ended 3 times .* at "Kedushat Levi".*start the import again/s)
  expect(await queue('chabad')).toMatchObject({ status: 'queued', failedAttempts: 0 })
})

test('a job is continued each time if its process ends after each work, or gives it back as it stops', async () => {
  await queue('chabad')
  for (const works of [1, 2, 3, 4]) await die(works)
  for (let i = 0; i < 4; i += 1) {
    const job = await claim('a')
    if (job) await returnJob(db.database.system, job)
  }
  expect(await claim('b')).toMatchObject({ collection: 'chabad', epoch: 9, failedAttempts: 0 })
})

test('a cancelled job whose process ended is cancelled, not continued', async () => {
  await queue('tanya')
  await claim('a')
  await cancel('tanya')
  await expire()
  expect(await claim('b')).toBeUndefined()
  expect(await statusOf('tanya')).toBe('cancelled')
})

test('a job of a command that ended is not continued by a service', async () => {
  await begin()
  await expire()
  expect(await claim('a')).toBeUndefined()
  expect(await statusOf('tanya')).toBe('failed')
})

test('a queued job is cancelled at once, a running one by its owner', async () => {
  await queue('breslov')
  const job = await claim('a')
  await queue('tanya')
  expect(await cancel('tanya')).toBe(true)
  expect(await statusOf('tanya')).toBe('cancelled')
  expect(await cancel('breslov')).toBe(true)
  expect(await renewJob(db.database.system, job ?? { id: '', epoch: 0 }, undefined)).toBe('cancelled')
  expect(await cancel('chabad')).toBe(false)
})

test('a service imports a queued collection and keeps what was permitted', async () => {
  const request: JobRequest = { ...asked('tanya'), allowLicenses: ['cc-by-nc'] }
  await withTx(db.database, 'system', (tx) => queueJob(tx, request))
  const jobs = runner()
  await expect.poll(() => statusOf('tanya')).toBe('done')
  await jobs.stop()
  const state = await stateOf('tanya')
  expect(state).toMatchObject({ held: 1, allowed: ['cc-by-nc'], job: { report: { versions: 2 } } })
  expect(state?.addedAt).toBeInstanceOf(Date)
  const { rows } = await db.database.systemPool.query('select license from versions order by 1')
  expect(rows.map(({ license }) => license)).toEqual(['CC-BY-NC', 'CC0'])
})

test('a stopped service gives its import back, and the next one ends it', async () => {
  const release = fake.hold('Sichot HaRan/English')
  await queue('breslov')
  const first = runner()
  await expect.poll(async () => (await stateOf('breslov'))?.job?.progress).not.toBeNull()
  await first.stop()
  expect(await statusOf('breslov')).toBe('queued')
  release()
  const second = runner()
  await expect.poll(() => statusOf('breslov')).toBe('done')
  await second.stop()
  expect(await stateOf('breslov')).toMatchObject({ held: 5, job: { epoch: 2 } })
})

test('an import without a network fails with the remedy', async () => {
  await queue('tanya')
  const jobs = runLibraryJobs(db.database, exportPlace('http://127.0.0.1:9'), pino({ level: 'silent' }))
  await expect.poll(() => statusOf('tanya')).toBe('failed')
  await jobs.stop()
  expect((await stateOf('tanya'))?.job?.error).toMatch(/could not be reached.*sources add NAME FOLDER/s)
})
