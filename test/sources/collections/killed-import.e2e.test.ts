import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { newestJobs, queueJob } from '../../../src/sources/library-jobs/jobs.ts'
import { collectionExport } from '../../support/collection-export.ts'
import { type FakeSefaria, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { openWorld, type ProcessWorld } from '../../support/world/world.ts'

let world: ProcessWorld
let fake: FakeSefaria

beforeAll(async () => {
  fake = await startFakeSefaria()
  fake.files = collectionExport
  world = await openWorld({ processes: true })
})
afterAll(async () => {
  await world?.close()
  await fake?.close()
})

const jobNow = async () => (await newestJobs(world.db.database.system))[0]

test('an import whose process is killed is continued by another process', async () => {
  const env = { LIBRARY_EXPORT: fake.baseUrl }
  const first = await world.start(env)
  const release = fake.hold('Sefer HaMidot/English')
  await withTx(world.db.database, 'system', (tx) =>
    queueJob(tx, { collection: 'breslov', allowLicenses: [], requestedBy: 'acct_operator' }),
  )
  await expect.poll(async () => (await jobNow())?.progress).not.toBeFalsy()
  await first.stop('SIGKILL')
  release()
  expect(await jobNow()).toMatchObject({ status: 'running', epoch: 1 })
  // The lease of a dead process runs out by itself; the test does not wait for that.
  await world.rows("update library_jobs set lease_expires_at = now() - interval '1 second'")
  await world.start(env)
  await expect.poll(async () => (await jobNow())?.status).toBe('done')
  expect(await jobNow()).toMatchObject({ epoch: 2, finishedAt: expect.any(Date) })
  const held = await world.rows<{ license: string }>(
    "select distinct v.license from versions v join works w on w.id = v.work_id where 'Chasidut' = any(w.categories)",
  )
  expect(held.map(({ license }) => license)).not.toContain('CC-BY-NC')
})
