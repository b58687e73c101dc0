import { setTimeout as delay } from 'node:timers/promises'
import { databaseFault, isTransient } from './errors.ts'

const firstPauseMs = 50
const longestPauseMs = 1_000

/** SQLSTATE of a deadlock: the server ended one of the waiting transactions. */
const gaveWay = '40P01'

/**
 * Repeats `work` while it fails with transient database errors, with pauses of 50 ms to 1 s, until `signal` is
 * aborted. After a first deadlock it repeats once in any case, because a migration may lock tables in another
 * order. A transaction whose COMMIT got no answer may have succeeded, so `work` must check before it writes
 * again.
 * @throws the last error of `work`: immediately if it is not transient, otherwise once `signal` is aborted.
 */
export async function retryTransient<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let givenWay = false
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      const fault = databaseFault(error)
      if (fault?.code === gaveWay && !givenWay) {
        givenWay = true
        continue
      }
      if (signal.aborted || !fault || !isTransient(fault)) throw error
      // Random pauses keep the turns of all replicas from retrying at the same instant.
      await delay(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}

/** Like `retryTransient`, for so long. `AbortSignal.timeout` would create an exception long after nearly every success. */
export function retryFor<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), milliseconds)
  return retryTransient(work, timeout.signal).finally(() => clearTimeout(timer))
}
