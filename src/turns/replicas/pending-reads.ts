import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/**
 * Resolves when the event loop has read its sockets. After a freeze it may read a request first, and another
 * client's disconnect only in its next turn.
 */
export async function afterPendingReads(): Promise<void> {
  await turnOfTheLoop()
  await turnOfTheLoop()
}
