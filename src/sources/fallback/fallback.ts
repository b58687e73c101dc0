import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { type Job, runJob } from '../../threads.ts'
import { SefariaApi } from '../importers/sefaria/api.ts'
import { ReplyTooLarge } from '../importers/sefaria/download.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import type { AskPublisher, PublisherAnswer } from '../library/publisher.ts'
import { resolveRef } from '../refs/ref-lookup.ts'
import { askedRefs } from './asked-refs.ts'
import { type Fetched, type FetchedSection, fetchSection } from './fetch-section.ts'
import { Circuit, type FallbackLimits, standardLimits, TokenBucket } from './limits.ts'
import type { StoreInThread } from './store-job.ts'
import { isSmall, storeSection } from './store-section.ts'

export type FallbackSettings = {
  /** Base URL of the publisher's API. */
  readonly baseUrl: string
  /** Restricted licences that the operator allows to be stored. */
  readonly licenses: readonly RestrictedLicense[]
}

/** Asks the publisher for refs that the library does not hold. */
export type Fallback = {
  readonly ask: AskPublisher
  /** Asks for one turn, with its own limit of refs. */
  forTurn(): AskPublisher
}

const none: PublisherAnswer = { kind: 'none' }

/**
 * Creates the fallback of this process. Concurrent lookups of a ref share one fetch. Negative answers are remembered.
 * After a failure nothing is fetched for a while.
 * @param changed bounds that differ from `standardLimits`.
 */
export function openFallback(
  database: Database,
  settings: FallbackSettings,
  log: Logger,
  changed: Partial<FallbackLimits> = {},
): Fallback {
  const limits = { ...standardLimits, ...changed }
  const fetches = new Fetches(database, settings, log, limits)
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

const maxRemembered = 5_000

/** Refs are identified by their first spelling. */
class Fetches {
  readonly #database: Database
  readonly #settings: FallbackSettings
  readonly #log: Logger
  readonly #limits: FallbackLimits
  readonly #bucket: TokenBucket
  readonly #circuit: Circuit
  readonly #remembered: LRUCache<string, PublisherAnswer>
  readonly #running = new Map<string, Promise<PublisherAnswer>>()

  constructor(database: Database, settings: FallbackSettings, log: Logger, limits: FallbackLimits) {
    this.#database = database
    this.#settings = settings
    this.#log = log
    this.#limits = limits
    this.#bucket = new TokenBucket(limits)
    this.#circuit = new Circuit(limits.pauseMs)
    this.#remembered = new LRUCache({ max: maxRemembered, ttl: limits.rememberMs })
  }

  /** Never rejects: a failure is `none`, and is not remembered. */
  async fetch(refs: readonly string[]): Promise<PublisherAnswer> {
    const key = refs[0] ?? ''
    const known = this.#remembered.get(key)
    if (known) return known
    const running = this.#running.get(key)
    // biome-ignore lint/nursery/noMisusedPromises: the map may have no promise for the key.
    if (running) return running
    if (this.#circuit.isOpen || !this.#bucket.take()) return none
    const fetching = this.#fetchAndStore(refs).catch((error: unknown) => {
      this.#log.warn({ reason: reasonOf(error) }, 'a text could not be fetched from the publisher')
      return undefined
    })
    const answering = fetching.then((answer) => {
      this.#running.delete(key)
      if (answer && answer.kind !== 'held') this.#remembered.set(key, answer)
      return answer ?? none
    })
    this.#running.set(key, answering)
    return answering
  }

  async #fetchAndStore(refs: readonly string[]): Promise<PublisherAnswer> {
    const found = await this.#request(refs)
    if (found === undefined) return none
    if (found.kind === 'known') return { kind: 'held', ref: found.ref }
    if (found.kind === 'linked') return found
    const { fetched, at } = found
    const stored = await this.#store(fetched)
    this.#log.info({ ref: fetched.section.ref, stored }, 'a text of the publisher was fetched')
    return stored ? { kind: 'held', ref: at.ref } : { kind: 'linked', at }
  }

  /** @returns undefined when the publisher has no text, or a reply is too large. */
  async #request(refs: readonly string[]): Promise<Fetched> {
    const { lookupMs, replyBytes, passages } = this.#limits
    const { baseUrl, licenses } = this.#settings
    const api = new SefariaApi(baseUrl, {
      intervalMs: 0,
      timeoutMs: lookupMs,
      signal: AbortSignal.timeout(lookupMs),
      retries: 0,
      maxBytes: replyBytes,
      redirect: 'error',
    })
    const isHeld = async (ref: string) => (await resolveRef(this.#database.system, ref)) !== undefined
    try {
      const found = await fetchSection(api, refs, { licenses, maxPassages: passages, isHeld })
      this.#circuit.succeeded()
      return found
    } catch (error) {
      if (error instanceof ReplyTooLarge) return undefined
      if (error instanceof ServiceError) this.#circuit.failed()
      throw error
    }
  }

  /** A small section of a small work is stored here, because a thread may take seconds to start. */
  async #store(fetched: FetchedSection): Promise<boolean> {
    const { lookupMs: waitMs, storeMs: maxMs } = this.#limits
    if (await isSmall(this.#database.system, fetched)) return storeSection(this.#database, fetched, waitMs)
    const storing: Job = { file: new URL('./store-job.ts', import.meta.url), lane: 'long', maxMs }
    return runJob<StoreInThread, boolean>(storing, { url: this.#database.url, fetched, waitMs })
  }
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
