import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Circuit } from '../../circuit/circuit.ts'
import type { Database } from '../../db/client.ts'
import { databaseFault, isBusy, reasonOf } from '../../db/errors.ts'
import { requireWritable } from '../../db/library/library-database.ts'
import { ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { type Job, runJob } from '../../threads.ts'
import { SefariaApi } from '../importers/sefaria/api.ts'
import { ReplyTooLarge } from '../importers/sefaria/download.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import type { PublisherAnswer } from '../library/publisher.ts'
import { resolveRef } from '../refs/ref-lookup.ts'
import type { FallbackMetrics, FetchOutcome } from './fallback-metrics.ts'
import { type FetchedSection, fetchSection } from './fetch-section.ts'
import type { FallbackLimits } from './limits.ts'
import type { StoreInThread } from './store-job.ts'
import { isSmall, type StoredAs, storeSection } from './store-section.ts'

export type FallbackSettings = {
  /** Base URL of the publisher's API. */
  readonly baseUrl: string
  /** Restricted licences that the operator allows to be stored. */
  readonly licenses: readonly RestrictedLicense[]
}

type Dependencies = {
  readonly database: Database
  readonly settings: FallbackSettings
  readonly limits: FallbackLimits
  readonly log: Logger
  readonly metrics: FallbackMetrics | undefined
}

/** An answer, and what the metrics count. A failure is `none`, and is not remembered. */
type Ended = { readonly outcome: FetchOutcome; readonly answer: PublisherAnswer }

const none: PublisherAnswer = { kind: 'none' }
const maxRemembered = 5_000
/** The limiter counts for the process, under one key. */
const limiterKey = 'process'

/** Outcomes that are the same an hour later. A held text is found in the library. */
const remembered: ReadonlySet<FetchOutcome> = new Set(['licence', 'too_large', 'not_stored', 'not_found'])

/** The fetches of a process. Refs are identified by their first spelling. */
export class Fetches {
  readonly #needs: Dependencies
  readonly #rate: RateLimiterMemory
  readonly #circuit: Circuit
  readonly #remembered: LRUCache<string, PublisherAnswer>
  readonly #running = new Map<string, Promise<PublisherAnswer>>()

  constructor(needs: Dependencies) {
    const { limits } = needs
    this.#needs = needs
    this.#rate = new RateLimiterMemory({ points: limits.fetches, duration: limits.perSeconds })
    this.#circuit = new Circuit(limits.pauseMs)
    this.#remembered = new LRUCache({ max: maxRemembered, ttl: limits.rememberMs })
  }

  /** Never rejects. */
  async fetch(refs: readonly string[]): Promise<PublisherAnswer> {
    const key = refs[0] ?? ''
    const known = this.#remembered.get(key)
    if (known) return known
    const running = this.#running.get(key)
    // biome-ignore lint/nursery/noMisusedPromises: the map may have no promise for the key.
    if (running) return running
    const answering = this.#measured(refs).then(({ outcome, answer }) => {
      this.#running.delete(key)
      if (remembered.has(outcome)) this.#remembered.set(key, answer)
      return answer
    })
    this.#running.set(key, answering)
    return answering
  }

  /** Never rejects. */
  async #measured(refs: readonly string[]): Promise<Ended> {
    const { metrics, log, limits } = this.#needs
    // Begins with the lookup, so that a late reply opens the circuit before the next one.
    const late = AbortSignal.timeout(limits.lookupMs)
    const refused = await this.#refusal()
    if (refused) {
      metrics?.fetched(refused, undefined)
      return { outcome: refused, answer: none }
    }
    const begun = performance.now()
    const ended = await this.#fetchAndStore(refs, late).catch((error: unknown): Ended => {
      log.warn({ reason: reasonOf(error) }, 'a text could not be fetched from the publisher')
      return { outcome: isLate(error) ? 'timeout' : 'failed', answer: none }
    })
    metrics?.fetched(ended.outcome, (performance.now() - begun) / 1_000)
    return ended
  }

  /** Why nothing may be sent now. */
  async #refusal(): Promise<'circuit_open' | 'rate_limited' | undefined> {
    if (this.#circuit.isOpen) return 'circuit_open'
    try {
      await this.#rate.consume(limiterKey)
      return undefined
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return 'rate_limited'
      throw refused
    }
  }

  async #fetchAndStore(refs: readonly string[], late: AbortSignal): Promise<Ended> {
    await requireWritable(this.#needs.database.system)
    const found = await this.#request(refs, late)
    switch (found.kind) {
      case 'none':
        return { outcome: found.why, answer: none }
      case 'known':
        return { outcome: 'held', answer: { kind: 'held', ref: found.ref } }
      case 'linked':
        return { outcome: found.why, answer: { kind: 'linked', at: found.at } }
      case 'section': {
        const { fetched, at } = found
        const outcome = await this.#store(fetched)
        this.#needs.log.info({ ref: fetched.section.ref, outcome }, 'a text of the publisher was fetched')
        return {
          outcome,
          answer: outcome === 'stored' ? { kind: 'held', ref: at.ref } : { kind: 'linked', at },
        }
      }
    }
  }

  async #request(refs: readonly string[], late: AbortSignal) {
    const { lookupMs, replyBytes, passages } = this.#needs.limits
    const { baseUrl, licenses } = this.#needs.settings
    const api = new SefariaApi(baseUrl, {
      intervalMs: 0,
      timeoutMs: lookupMs,
      signal: late,
      retries: 0,
      maxBytes: replyBytes,
      redirect: 'error',
    })
    const isHeld = async (ref: string) => (await resolveRef(this.#needs.database.system, ref)) !== undefined
    try {
      const found = await fetchSection(api, refs, { licenses, maxPassages: passages, isHeld })
      this.#circuit.succeeded()
      return found ?? { kind: 'none' as const, why: 'not_found' as const }
    } catch (error) {
      if (error instanceof ReplyTooLarge) return { kind: 'none' as const, why: 'too_large' as const }
      if (error instanceof ServiceError) this.#circuit.failed()
      throw late.aborted ? new TookTooLong(error) : error
    }
  }

  /** A small section of a small work is stored here, because a thread may take seconds to start. */
  async #store(fetched: FetchedSection): Promise<StoredAs> {
    const { database, limits } = this.#needs
    const { lookupMs: waitMs, storeMs: maxMs, versionTexts: maxTexts } = limits
    const bounds = { waitMs, maxTexts }
    if (await isSmall(database.system, fetched)) return storeSection(database, fetched, bounds)
    const storing: Job = { file: new URL('./store-job.ts', import.meta.url), lane: 'long', maxMs }
    return runJob<StoreInThread, StoredAs>(storing, { url: database.url, fetched, limits: bounds })
  }
}

/** The publisher answers late, an import writes for longer than the wait, or storing takes too long. */
function isLate(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'overloaded'
  const fault = databaseFault(error)
  return error instanceof TookTooLong || (fault !== undefined && isBusy(fault))
}

/** The publisher did not answer in time. */
class TookTooLong extends Error {
  constructor(cause: unknown) {
    super('the publisher did not answer in time', { cause })
  }
}
