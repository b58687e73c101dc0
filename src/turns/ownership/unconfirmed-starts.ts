import { inArray, sql } from 'drizzle-orm'
import { type Database, type Executor, withBackgroundTx } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import type { Lease } from '../run/lease.ts'

/** The server ends a transaction whose client is cut off within 10 s. After that the run can no longer appear. */
const ttlMs = 15_000

export type UnconfirmedStarts = ReturnType<typeof createUnconfirmedStarts>

/**
 * Runs whose COMMIT got no answer, so their clients got an error. This process does not drive them, unless it
 * has since claimed one.
 * @param drives whether this process drives a run.
 */
export function createUnconfirmedStarts(lease: Lease, drives: (runId: string) => boolean) {
  /** Run id to the time when it can be forgotten. The time is set once the database has answered again. */
  const kept = new Map<string, number | undefined>()
  return {
    add(runId: string) {
      kept.set(runId, undefined)
    },
    /**
     * Marks the runs that exist as disconnected, so that a retry finds them. Releases their leases, so that they
     * need not expire.
     */
    async settle(database: Database) {
      if (kept.size === 0) return
      // Claims run after this in the same round, so `drives` is exact for runs that this process has claimed.
      const ids = [...kept.keys()]
      const claimed = ids.filter(drives)
      const found = await withBackgroundTx(database, (tx) => recordUnconfirmed(tx, ids, claimed, lease))
      for (const id of found) kept.delete(id)
      const now = performance.now()
      for (const [id, until] of kept) {
        if (until === undefined) kept.set(id, now + ttlMs)
        else if (until < now) kept.delete(id)
      }
    },
  }
}

async function recordUnconfirmed(
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
