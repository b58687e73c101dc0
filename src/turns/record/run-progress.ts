import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import type { Run } from '../run/run.ts'
import { LeaseLost } from './run-log.ts'

/**
 * How far the writes of an attempt have come, according to the run's row. Each write changes at least one of
 * these fields.
 */
export type Progress = Pick<Run, 'eventCount' | 'stepCount' | 'holdMicros'> & { readonly ended: boolean }

/** A write that succeeded, although its COMMIT got no answer. */
export type Committed = {
  readonly progress: Progress
  /** Whether the run's key works now. Null for a run without a key. */
  readonly keyUsable: boolean | null
}

/**
 * Finds out whether a transaction whose COMMIT got no answer succeeded. It locks the run's row, so a
 * transaction that still holds the row is waited for. A late call writes nothing: it finds other counts, and a
 * hold is extended in the same statement.
 * @param after the expected state if everything could be held; otherwise only the hold differs.
 * @returns undefined if it did not succeed.
 * @throws LeaseLost if the run has another owner or is in an unexpected state.
 */
export async function findCommitted(
  tx: Executor,
  run: { readonly id: string; readonly epoch: number },
  before: Progress,
  after: Progress,
): Promise<Committed | undefined> {
  const [now] = await tx
    .select({
      epoch: runs.epoch,
      status: runs.status,
      eventCount: runs.eventCount,
      stepCount: runs.stepCount,
      holdMicros: runs.holdMicros,
      keyUsable: sql<boolean | null>`case when ${runs.apiKeyId} is not null then exists (
        select from api_keys k where k.id = ${runs.apiKeyId} and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())) end`,
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
  const { keyUsable } = now
  if (is(after)) return { progress: after, keyUsable }
  if (is(before)) return undefined
  const unheld = { ...after, holdMicros: before.holdMicros }
  if (is(unheld)) return { progress: unheld, keyUsable }
  throw new LeaseLost(`run ${run.id} is not where its owner left it`)
}
