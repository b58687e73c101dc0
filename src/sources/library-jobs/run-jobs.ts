import { type Database, withBackgroundTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { randomBase62 } from '../../ids.ts'
import type { Logger } from '../../log.ts'
import { startPeriodicTask } from '../../periodic-work.ts'
import { addCollection } from '../collections/add-collection.ts'
import { findCollection } from '../collections/collections.ts'
import { type ExportPlace, openExport, reachExport } from '../collections/export-place.ts'
import { planCollection } from '../collections/plan.ts'
import { surveyPlan } from '../collections/survey.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import { driveJob, type JobWork } from './drive-job.ts'
import { claimJob, type LibraryJob } from './jobs.ts'

const lookMs = 1_000
const retryMs = 5_000

/**
 * Claims and runs queued imports of collections, one at a time. `stop` ends a running one after its current work and
 * gives it back; the next service continues it.
 */
export function runLibraryJobs(
  database: Database,
  place: ExportPlace,
  log: Logger,
): { stop(): Promise<void> } {
  const owner = `library-${randomBase62(12)}`
  const stopping = new AbortController()
  const look = async () => {
    const job = await withBackgroundTx(database, (tx) => claimJob(tx, owner))
    if (!job || stopping.signal.aborted) return
    const { collection } = job
    log.info({ collection }, 'a collection is being imported')
    const report = await driveJob(database, job, importOf(database, place, job), {
      stopped: stopping.signal,
    })
    log.info({ collection, versions: report?.versions, failed: report?.failed.length }, 'the import ended')
  }
  const looks = startPeriodicTask(
    look,
    lookMs,
    (error) => {
      if (!stopping.signal.aborted) log.warn({ reason: reasonOf(error) }, 'imports could not be looked up')
    },
    retryMs,
  )
  return {
    stop() {
      stopping.abort()
      return looks.stop()
    },
  }
}

function importOf(database: Database, place: ExportPlace, job: LibraryJob): JobWork {
  return async (signal, onProgress) => {
    await reachExport(place, signal)
    const source = await openExport(place)
    const plan = planCollection(findCollection(job.collection), source)
    const survey = await surveyPlan(source, plan, { signal })
    const allowLicenses = job.allowLicenses as RestrictedLicense[]
    return addCollection(database, source, plan, { survey, allowLicenses, signal, onProgress })
  }
}
