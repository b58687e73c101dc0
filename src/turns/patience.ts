import { setTimeout as delay } from 'node:timers/promises'
import { databaseFault } from '../db/errors.ts'

type Patience = { readonly forMs: number; readonly firstPauseMs: number; readonly longestPauseMs: number }

/** A minute is longer than a restart or a failover of the database takes. */
const aMinute: Patience = { forMs: 60_000, firstPauseMs: 250, longestPauseMs: 4_000 }

/**
 * Does `work`, and does it again, with growing pauses, when the database fails it. For reads and for writes that may
 * be repeated.
 * @returns undefined when aborted in a pause.
 * @throws what `work` threw last, when that was not the database's fault or has gone on for a minute.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { forMs, firstPauseMs, longestPauseMs }: Patience = aMinute,
): Promise<T | undefined> {
  const givesUpAt = performance.now() + forMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!databaseFault(error) || performance.now() + pauseMs > givesUpAt) throw error
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return undefined
    }
  }
}
