import { Counter, Histogram, type Registry } from 'prom-client'

/**
 * How a fetch ended. `stored`: the library has the text now. `held`: it had it under the publisher's spelling.
 * `licence`: no version has an allowed licence. `too_large`: a reply, section or stored version above its bound.
 * `not_stored`: the work or the version is not from this publisher. `not_found`: the publisher has no such text.
 * `timeout`: no reply in time, or an import wrote for longer. `failed`: any other failure. `rate_limited`, `circuit_open`: nothing was sent.
 */
export const fetchOutcomes = [
  'stored',
  'held',
  'licence',
  'too_large',
  'not_stored',
  'not_found',
  'timeout',
  'failed',
  'rate_limited',
  'circuit_open',
] as const

export type FetchOutcome = (typeof fetchOutcomes)[number]

export type FallbackMetrics = {
  /** @param seconds undefined when nothing was sent. */
  fetched(outcome: FetchOutcome, seconds: number | undefined): void
}

const buckets = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20]

/** Registers the metrics of texts on demand. Each outcome begins with 0, so that its first increase is seen. */
export function createFallbackMetrics(registry: Registry): FallbackMetrics {
  const registers = [registry]
  const fetches = new Counter({
    name: 'service_fallback_fetches_total',
    help: 'Texts that were fetched from the publisher on demand, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'service_fallback_fetch_duration_seconds',
    help: 'From the first request to the publisher to the stored text or another outcome',
    buckets,
    registers,
  })
  for (const outcome of fetchOutcomes) fetches.inc({ outcome }, 0)
  return {
    fetched(outcome, seconds) {
      fetches.inc({ outcome })
      if (seconds !== undefined) duration.observe(seconds)
    },
  }
}
