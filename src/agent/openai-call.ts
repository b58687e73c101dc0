import { setTimeout as delay } from 'node:timers/promises'
import { asFailure, type CallFailure } from './openai-failure.ts'
import { openReply, type Target } from './openai-http.ts'
import { ReplyReader } from './openai-reader.ts'
import { type Timers, Watchdog } from './openai-watchdog.ts'
import type { ModelChunk, ModelRequest, ProviderFailure } from './provider.ts'

export type Retries = {
  /** How many times a call is sent again. */
  readonly most: number
  /** The first wait; it doubles with each retry. */
  readonly baseMs: number
  /** No wait is longer, whatever the upstream asks for. */
  readonly longestMs: number
}

export type CallSettings = {
  readonly target: Target
  readonly timers: Timers
  readonly retries: Retries
  /** Told of each attempt that failed, those included that are made again. */
  readonly onFailure: ((kind: ProviderFailure) => void) | undefined
}

type LastChunk = Extract<ModelChunk, { type: 'finish' }>

/**
 * One model call from first to last chunk: texts, at most one for each network read, and exactly one last chunk. When that
 * comes, all that the call held has been let go of. `return()` ends the call at once even while a `next()` waits.
 */
export class ModelCall implements AsyncIterator<ModelChunk, void> {
  readonly #settings: CallSettings
  readonly #request: ModelRequest
  readonly #signal: AbortSignal
  readonly #onEnd: () => void
  #watch: Watchdog | undefined
  #reader: ReplyReader | undefined
  #retries = 0
  #over = false
  #waiting: Promise<unknown> = Promise.resolve()
  #stopped = false

  /** @param onEnd called when the call holds nothing any more. */
  constructor(settings: CallSettings, request: ModelRequest, signal: AbortSignal, onEnd: () => void) {
    this.#settings = settings
    this.#request = request
    this.#signal = signal
    this.#onEnd = onEnd
  }

  /** Ends the call as `aborted`. */
  abort(): void {
    this.#stopped = true
    this.#watch?.abort()
  }

  next(): Promise<IteratorResult<ModelChunk, void>> {
    const next = this.#next()
    this.#waiting = next
    return next
  }

  async return(): Promise<IteratorResult<ModelChunk, void>> {
    if (!this.#over) this.abort()
    await this.#waiting
    await this.#end()
    return { done: true, value: undefined }
  }

  /** Never throws. */
  async #next(): Promise<IteratorResult<ModelChunk, void>> {
    if (this.#over) return { done: true, value: undefined }
    const watch = this.#begin()
    let value: ModelChunk
    try {
      const text = await this.#text(watch)
      // Who has aborted gets no reply, even if it was complete by then.
      if (typeof text !== 'string') watch.checkCaller()
      value = typeof text === 'string' ? { type: 'text', text } : text
    } catch (fault) {
      const { kind, message } = watch.failure ?? asFailure(fault)
      value = { type: 'error', kind, message }
    }
    if (value.type !== 'text') await this.#end()
    return { done: false, value }
  }

  #begin(): Watchdog {
    if (this.#watch) return this.#watch
    const watch = new Watchdog(this.#settings.timers, this.#signal)
    if (this.#stopped) watch.abort()
    this.#watch = watch
    return watch
  }

  async #end(): Promise<void> {
    this.#over = true
    await this.#release()
    this.#watch?.stop()
    this.#onEnd()
  }

  async #release(): Promise<void> {
    const reader = this.#reader
    this.#reader = undefined
    await reader?.release()
  }

  /** Text, or the last chunk of a complete reply, after as many attempts as may be made. */
  async #text(watch: Watchdog): Promise<string | LastChunk> {
    for (;;) {
      try {
        this.#reader ??= await this.#open(watch)
        const text = await this.#reader.next()
        if (text !== undefined) return text
        const last = this.#reader.finish(this.#request)
        await this.#release()
        return last
      } catch (fault) {
        await this.#release()
        await this.#pauseBeforeRetry(watch, watch.failure ?? asFailure(fault))
      }
    }
  }

  async #open(watch: Watchdog): Promise<ReplyReader> {
    watch.check()
    const { target } = this.#settings
    return new ReplyReader(await openReply(target, this.#request, watch), target.apiKey, watch)
  }

  /** @throws the failure when the call is not made again. */
  async #pauseBeforeRetry(watch: Watchdog, failure: CallFailure): Promise<void> {
    const { retries, onFailure } = this.#settings
    onFailure?.(failure.kind)
    if (!failure.retryable || watch.payloadSeen || this.#retries >= retries.most) throw failure
    watch.pause()
    await delay(waitBefore(this.#retries, failure, retries), undefined, { signal: watch.signal })
    this.#retries += 1
  }
}

/** The upstream's own wish, or else a doubling wait; the random part keeps callers that failed together apart. */
function waitBefore(retry: number, failure: CallFailure, { baseMs, longestMs }: Retries): number {
  const backoffMs = baseMs * 2 ** retry * (0.5 + Math.random() / 2)
  return Math.min(longestMs, failure.retryAfterMs ?? backoffMs)
}
