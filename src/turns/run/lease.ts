/** A lease covers three heartbeats of the runner, so that a slow one loses nothing. */
export const leaseSeconds = 15

/** The right of one process to drive a run until it expires. */
export type Lease = { readonly owner: string; readonly seconds: number }
