import { type Database, withBackgroundTx } from '../../db/client.ts'
import { messageOf } from '../../errors.ts'
import { startPeriodicTask } from '../../periodic-work.ts'
import type { CollectionProgress } from '../collections/add-collection.ts'
import type { SefariaReport } from '../importers/sefaria/report.ts'
import { summaryOf } from './job-summary.ts'
import { finishJob, type LibraryJob, renewJob, returnJob } from './jobs.ts'

const heartbeatMs = 1_000

export type JobWork = (
  signal: AbortSignal,
  onProgress: (progress: CollectionProgress) => void,
) => Promise<SefariaReport>

/**
 * Runs a claimed job: extends its lease every second, records its progress, and ends it. Stops the work when an
 * operator cancels or another process has the job.
 * @param options.stopped aborts the work. A job of the service then returns to the queue; a command's is cancelled.
 * @returns the report; undefined when the work failed and `throws` is not set.
 */
export async function driveJob(
  database: Database,
  job: LibraryJob,
  work: JobWork,
  options: { readonly stopped: AbortSignal; readonly throws?: boolean },
): Promise<SefariaReport | undefined> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.stopped, stop.signal])
  let latest: CollectionProgress | undefined
  let cancelled = false
  const beat = async () => {
    const renewal = await withBackgroundTx(database, (tx) => renewJob(tx, job, latest))
    cancelled ||= renewal === 'cancelled'
    if (renewal !== 'held') stop.abort()
  }
  // A missed heartbeat is made up by the next one; a lost lease shows itself as soon as the database answers.
  const beats = startPeriodicTask(beat, heartbeatMs, () => undefined)
  const end = async (outcome: Parameters<typeof finishJob>[2] | 'return') => {
    await beats.stop()
    await withBackgroundTx(database, (tx) =>
      outcome === 'return' ? returnJob(tx, job) : finishJob(tx, job, outcome),
    )
  }
  try {
    const report = await work(signal, (progress) => {
      latest = progress
    })
    if (!report.interrupted) await end({ status: failed(report) ? 'failed' : 'done', ...summaryOf(report) })
    else if (cancelled || job.runBy === 'command') await end({ status: 'cancelled', ...summaryOf(report) })
    else await end('return')
    return report
  } catch (error) {
    if (signal.aborted && !cancelled && job.runBy === 'service') await end('return')
    else await end({ status: signal.aborted ? 'cancelled' : 'failed', error: messageOf(error) })
    if (options.throws) throw error
    return undefined
  }
}

/** Nothing at all came in. */
function failed({ versions, unchanged, failed: faults, skipped }: SefariaReport): boolean {
  return versions + unchanged === 0 && faults.length + skipped.length > 0
}
