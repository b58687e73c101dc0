import type { Run } from './run.ts'

/** A lease covers three heartbeats, so one slow heartbeat does not lose it. */
export const leaseSeconds = 15

/** When the lease of a run began, or when it was queued, in milliseconds of the database's clock. */
export function leasedAt({ leaseExpiresAt, createdAt }: Run): number {
  return leaseExpiresAt ? leaseExpiresAt.getTime() - leaseSeconds * 1_000 : createdAt.getTime()
}

/** The right of one process to drive a run until it expires. */
export type Lease = { readonly owner: string; readonly seconds: number }
