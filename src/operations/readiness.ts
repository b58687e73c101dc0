import { setTimeout as delay } from 'node:timers/promises'

type Readiness = { ask(): boolean; end(): Promise<void> }

/** Time for load balancers to notice that `/readyz` fails. */
const noticeMs = 5_000
/** Without a `/readyz` request for this long, no load balancer is present. */
const unaskedMs = 60_000

/**
 * The state behind `/readyz`. After `end` it reports not ready. `end` resolves when load balancers have noticed.
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
