/** A lease covers three heartbeats, so one slow heartbeat does not lose it. */
export const leaseSeconds = 15

/** The right of one process to drive a run until it expires. */
export type Lease = { readonly owner: string; readonly seconds: number }
