import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { runs } from '../db/schema/index.ts'
import type { Run } from './start-turn.ts'

/** A lease covers three heartbeats of the runner, so that a slow one loses nothing. */
export const leaseSeconds = 15

export type Lease = { readonly owner: string; readonly seconds: number }

/**
 * Takes the oldest run that nobody drives: a queued one whose session is free or that is only to be
 * cancelled, or one whose owner's lease has run out. The new epoch shuts the former owner out.
 */
export async function claimRun(executor: Executor, lease: Lease): Promise<Run | undefined> {
  const candidate = sql`(
    select r.id from runs r
    where r.status in ('queued', 'in_progress')
      and (r.lease_expires_at is null or r.lease_expires_at < now())
      and (r.cancel_requested_at is not null or not exists (
        select 1 from runs earlier
        where earlier.session_id = r.session_id and earlier.turn < r.turn
          and earlier.status in ('queued', 'in_progress')))
    order by r.created_at
    limit 1
    for update of r skip locked)`
  const [run] = await executor
    .update(runs)
    .set({
      status: 'in_progress',
      epoch: sql`${runs.epoch} + 1`,
      leaseOwner: lease.owner,
      leaseExpiresAt: sql`now() + make_interval(secs => ${lease.seconds})`,
      startedAt: sql`coalesce(${runs.startedAt}, now())`,
    })
    .where(eq(runs.id, candidate))
    .returning()
  return run
}

/** Prolongs the leases of these runs; those missing from the answer are lost or ended. */
export async function renewLeases(
  executor: Executor,
  lease: Lease,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly cancelRequested: boolean }>> {
  const rows = await executor
    .update(runs)
    .set({ leaseExpiresAt: sql`now() + make_interval(secs => ${lease.seconds})` })
    .where(
      and(inArray(runs.id, [...runIds]), eq(runs.leaseOwner, lease.owner), eq(runs.status, 'in_progress')),
    )
    .returning({ id: runs.id, cancelRequestedAt: runs.cancelRequestedAt })
  return new Map(rows.map((row) => [row.id, { cancelRequested: row.cancelRequestedAt !== null }]))
}

/** Gives up every run of this owner, for any replica to take. */
export async function releaseLeases(executor: Executor, lease: Lease): Promise<void> {
  await executor
    .update(runs)
    .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
    .where(and(eq(runs.leaseOwner, lease.owner), eq(runs.status, 'in_progress')))
}
