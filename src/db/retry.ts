import { setTimeout as delay } from 'node:timers/promises'
import { databaseFault, isTransient } from './errors.ts'

const firstPauseMs = 50
const longestPauseMs = 1_000

/** A deadlock: the server ended one of the transactions that waited for each other. */
const gaveWay = '40P01'

/**
 * Repeats `work` while the database is in trouble that can pass, with pauses of 50 ms to a second, until `signal` is
 * aborted; once more in any case after a deadlock, which the server takes a second to find: a migration under way can lock
 * tables in another order. A transaction whose COMMIT got no answer may have worked: `work` has to look before it writes
 * again.
 * @throws what `work` threw last: any other error at once, the trouble's when `signal` was aborted.
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
      // Spread, so that all turns of all replicas do not come back at the same instant.
      await delay(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}
