import { inArray, sql } from 'drizzle-orm'
import { type Database, type Executor, withBackgroundTx } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import type { Lease } from '../run/lease.ts'

/** A server that is cut off from us ends our open transaction within 10 s: after that no run can turn up any more. */
const keptMs = 15_000

/**
 * Runs whose start may have been committed although the COMMIT got no answer, so that their clients were told to try
 * again. This process does not drive them, unless it has claimed one since that had to wait.
 */
export type Unanswered = {
  add(runId: string): void
  /**
   * Notes of those that exist that their client has not seen the reply, so that the same request finds its run, and
   * gives up their leases, so that they do not wait for them to run out.
   */
  settle(database: Database): Promise<void>
}

/** @param drives whether this process drives a run. */
export function createUnanswered(lease: Lease, drives: (runId: string) => boolean): Unanswered {
  /** By run, when it can be forgotten: known once the database has answered again. */
  const kept = new Map<string, number | undefined>()
  return {
    add(runId) {
      kept.set(runId, undefined)
    },
    async settle(database) {
      if (kept.size === 0) return
      // Claims are made after this, in the same round: what is driven now has been claimed, or is not among these.
      const ids = [...kept.keys()]
      const claimed = ids.filter(drives)
      const found = await withBackgroundTx(database, (tx) => noteUnanswered(tx, ids, claimed, lease))
      for (const id of found) kept.delete(id)
      const now = performance.now()
      for (const [id, until] of kept) {
        if (until === undefined) kept.set(id, now + keptMs)
        else if (until < now) kept.delete(id)
      }
    },
  }
}

async function noteUnanswered(
  executor: Executor,
  runIds: readonly string[],
  claimed: readonly string[],
  lease: Lease,
): Promise<readonly string[]> {
  const undriven = sql`${runs.id} <> all(${sql.param([...claimed])}::text[])`
  const mine = sql`${runs.leaseOwner} = ${lease.owner} and ${runs.epoch} = 1 and ${undriven}`
  const found = await executor
    .update(runs)
    .set({
      clientClosedAt: sql`coalesce(${runs.clientClosedAt}, now())`,
      leaseExpiresAt: sql`case when ${mine} then now() else ${runs.leaseExpiresAt} end`,
      leaseOwner: sql`case when ${mine} then null else ${runs.leaseOwner} end`,
    })
    .where(inArray(runs.id, [...runIds]))
    .returning({ id: runs.id })
  return found.map(({ id }) => id)
}
