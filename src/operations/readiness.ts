import { setTimeout as delay } from 'node:timers/promises'

/** Time for load balancers to notice that `/readyz` fails. */
const noticeMs = 5_000
/** Time for requests that are on their way. */
const onTheWayMs = 500
/** Without a `/readyz` request for this long, no load balancer is present. */
const unaskedMs = 60_000

/**
 * The state behind `/readyz`. After `end` it reports not ready, and turns start until load balancers send nobody here any
 * more, for at most a fifth of `ms`. Then it waits for `finish` with the time that is left.
 */
export function createReadiness() {
  let ready = true
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    ask(): boolean {
      askedAt = performance.now()
      return ready
    },
    async end(ms: number, finish: (leftMs: number) => Promise<void>): Promise<void> {
      ready = false
      const since = performance.now()
      const isWatched = since - askedAt < unaskedMs
      await delay(Math.min(ms / 5, isWatched ? noticeMs : onTheWayMs))
      await finish(Math.max(0, since + ms - performance.now()))
    },
  }
}
