import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { messageOf } from '../../errors.ts'

/** What happens to a server that is kept running. `failed`: it could not be started, and is tried again. */
export type RevivalEvent = { readonly kind: 'ended' | 'started' | 'failed'; readonly reason?: string }

/** Pause after the first failed start, which doubles with each further one, up to the longest. */
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Starts a server again whenever it ends, for example when its disk was full. Nobody else does: a supervisor sees only
 * the process of the service, which goes on.
 * @param first a connection to the server that stays open for as long as the server runs.
 * @param rejoin starts the server, or finds it running, and connects to it.
 * @returns `stop`, which waits for a start under way and gives the last connection.
 */
export function keepRunning(
  first: pg.Client,
  rejoin: () => Promise<pg.Client>,
  report: (event: RevivalEvent) => void,
): { stop(): Promise<pg.Client> } {
  const stopping = new AbortController()
  let connection = first
  let revival = Promise.resolve()
  const watch = (): void => {
    connection.once('end', () => {
      if (!stopping.signal.aborted) revival = revive()
    })
  }
  const revive = async (): Promise<void> => {
    report({ kind: 'ended' })
    for (
      let pauseMs = firstPauseMs;
      !stopping.signal.aborted;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    ) {
      try {
        connection = await rejoin()
        watch()
        return report({ kind: 'started' })
      } catch (error) {
        report({ kind: 'failed', reason: messageOf(error) })
      }
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  watch()
  return {
    async stop() {
      stopping.abort()
      await revival
      return connection
    },
  }
}
