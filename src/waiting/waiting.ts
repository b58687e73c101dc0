import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/**
 * Waits for work for a limited time. The work itself goes on, and the timer does not keep the process running.
 * @returns undefined if the time is over.
 */
export async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, milliseconds, undefined).unref()
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Resolves when the event loop has read its sockets. After a freeze it may run timers and read a request first, and
 * another client's disconnect only in its next turn.
 */
export async function afterPendingReads(): Promise<void> {
  await turnOfTheLoop()
  await turnOfTheLoop()
}
