import { eq } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { LeaseLost } from './event-log.ts'

/** How far the writes of an attempt have come, as the run's row tells it: each write moves at least one of these. */
export type Progress = {
  readonly eventCount: number
  readonly stepCount: number
  readonly holdMicros: bigint
  readonly ended: boolean
}

/**
 * What became of a transaction whose COMMIT got no answer, told by the run's row: where it left the run, or undefined when
 * it has not worked. The row is locked, so that a transaction that has it is waited for. A call that comes to the row later than this
 * finds other counts than it names, and a larger hold is unique for its step: it writes nothing.
 * @param after where it leaves the run when all that it asked for could be held; else it leaves the hold as it was.
 * @throws LeaseLost when the run has another owner, or is where no outcome would have left it.
 */
export async function committedProgress(
  tx: Executor,
  run: { readonly id: string; readonly epoch: number },
  before: Progress,
  after: Progress,
): Promise<Progress | undefined> {
  const [now] = await tx
    .select({
      epoch: runs.epoch,
      status: runs.status,
      eventCount: runs.eventCount,
      stepCount: runs.stepCount,
      holdMicros: runs.holdMicros,
    })
    .from(runs)
    .where(eq(runs.id, run.id))
    .for('update')
  if (now?.epoch !== run.epoch) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
  const is = (then: Progress) =>
    now.eventCount === then.eventCount &&
    now.stepCount === then.stepCount &&
    now.holdMicros === then.holdMicros &&
    (now.status !== 'in_progress') === then.ended
  if (is(after)) return after
  if (is(before)) return undefined
  const unheld = { ...after, holdMicros: before.holdMicros }
  if (is(unheld)) return unheld
  throw new LeaseLost(`run ${run.id} is not where its owner left it`)
}
