import { eq } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { runs } from '../db/schema/index.ts'
import { LeaseLost } from './event-log.ts'

/** How far the writes of an attempt have come, as the run's row tells it: each write moves at least one of these. */
export type Progress = {
  readonly eventCount: number
  readonly stepCount: number
  readonly holdMicros: bigint
  readonly ended: boolean
}

/**
 * Whether a transaction whose COMMIT got no answer has worked, told by the run's row. The row is locked, so that a
 * transaction that the server has not finished with is waited for: it locked the row before its COMMIT was sent.
 * @throws LeaseLost when the run has another owner, or is where neither outcome would have left it.
 */
export async function wasCommitted(
  tx: Executor,
  run: { readonly id: string; readonly epoch: number },
  before: Progress,
  after: Progress,
): Promise<boolean> {
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
  if (is(after)) return true
  if (is(before)) return false
  throw new LeaseLost(`run ${run.id} is not where its owner left it`)
}
