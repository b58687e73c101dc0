import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import type { AskPublisher, PublisherAnswer } from '../library/publisher.ts'
import { askedRefs } from './asked-refs.ts'
import type { FallbackMetrics } from './fallback-metrics.ts'
import { type FallbackSettings, Fetches } from './fetches.ts'
import { type FallbackLimits, standardLimits } from './limits.ts'

/** Asks the publisher for refs that the library does not hold. */
export type Fallback = {
  readonly ask: AskPublisher
  /** Asks for one turn, with its own limit of refs. */
  forTurn(): AskPublisher
}

export type FallbackOptions = {
  readonly log: Logger
  readonly metrics?: FallbackMetrics | undefined
  readonly limits?: Partial<FallbackLimits> | undefined
}

const none: PublisherAnswer = { kind: 'none' }

/**
 * Creates the fallback of this process. Concurrent lookups of a ref share one fetch. Negative answers are remembered.
 * After a failure nothing is fetched for a while.
 * @param options.limits bounds that differ from `standardLimits`.
 */
export function openFallback(
  database: Database,
  settings: FallbackSettings,
  { log, metrics, limits: changed }: FallbackOptions,
): Fallback {
  const limits = { ...standardLimits, ...changed }
  const fetches = new Fetches({ database, settings, limits, log, metrics })
  const ask: AskPublisher = async (ref, signal) => {
    const refs = askedRefs(ref)
    if (refs.length === 0 || signal?.aborted) return none
    return within(fetches.fetch(refs), limits.lookupMs, signal)
  }
  const forTurn = (): AskPublisher => {
    const asked = new Set<string>()
    return async (ref, signal) => {
      const [key] = askedRefs(ref)
      if (key === undefined || (!asked.has(key) && asked.size >= limits.perTurn)) return none
      asked.add(key)
      return ask(ref, signal)
    }
  }
  return { ask, forTurn }
}

/** Waits for an answer for at most `ms`. The fetch itself continues for other readers and for the next lookup. */
async function within(
  answer: Promise<PublisherAnswer>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<PublisherAnswer> {
  const ended = new AbortController()
  const signals = signal ? [signal, ended.signal] : [ended.signal]
  const late = sleep(ms, none, { signal: AbortSignal.any(signals), ref: false }).catch(() => none)
  try {
    return await Promise.race([answer, late])
  } finally {
    ended.abort()
  }
}
