import { setTimeout as delay } from 'node:timers/promises'

type Readiness = { ask(): boolean; end(): Promise<void> }

/** Time for load balancers to notice that `/readyz` fails. */
const noticeMs = 5_000
/** Without a `/readyz` request for this long, no load balancer is present. */
const unaskedMs = 60_000

/**
 * The state behind `/readyz`. During a shutdown it reports not ready, while requests of the next seconds are
 * still served.
 */
export function createReadiness(): Readiness {
  let ready = true
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    ask() {
      askedAt = performance.now()
      return ready
    },
    async end() {
      ready = false
      if (performance.now() - askedAt < unaskedMs) await delay(noticeMs)
    },
  }
}
