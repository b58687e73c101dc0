import { setTimeout as delay } from 'node:timers/promises'
import type { CallEnd, ProviderFailure, TextListener } from '../provider.ts'
import { asFailure, type CallFailure } from './failure.ts'
import { type Timers, Watchdog } from './watchdog.ts'

export type Retries = {
  /** Maximum retries of a call. */
  readonly max: number
  /** The first delay in milliseconds. It doubles with each retry. */
  readonly baseMs: number
  /** Maximum delay in milliseconds, even if the upstream asks for more. */
  readonly longestMs: number
}

export const standardTimers: Timers = { firstByteMs: 60_000, idleMs: 120_000, totalMs: 600_000 }
export const standardRetries: Retries = { max: 2, baseMs: 500, longestMs: 8_000 }

export type CallLimits = {
  readonly timers: Timers
  readonly retries: Retries
  /** Called for each failed attempt, including those that are retried. */
  readonly onFailure: ((kind: ProviderFailure) => void) | undefined
}

/**
 * Sends the request once and passes the text of its reply on.
 * @throws CallFailure
 */
export type Attempt = (watch: Watchdog, onText: TextListener) => Promise<CallEnd>

/** One model call, from its first attempt to its end. */
export class RetriedCall {
  readonly #limits: CallLimits
  readonly #attempt: Attempt
  readonly #watch: Watchdog
  #retries = 0

  constructor(limits: CallLimits, attempt: Attempt, signal: AbortSignal) {
    this.#limits = limits
    this.#attempt = attempt
    this.#watch = new Watchdog(limits.timers, signal)
  }

  /** Ends the call with the failure `aborted`. */
  abort(): void {
    this.#watch.abort()
  }

  /**
   * Makes the call. All resources are released when it ends. It rejects only with an error that `onText` throws.
   */
  async make(onText: TextListener): Promise<CallEnd> {
    let thrown: { readonly error: unknown } | undefined
    const guarded: TextListener = (text) => {
      try {
        return onText(text)
      } catch (error) {
        thrown = { error }
        return false
      }
    }
    const end = await this.#end(guarded)
    if (thrown) throw thrown.error
    return end
  }

  /** Never throws. */
  async #end(onText: TextListener): Promise<CallEnd> {
    const watch = this.#watch
    try {
      const end = await this.#reply(onText)
      // A caller that has aborted gets no reply, even a complete one.
      watch.checkCaller()
      return end
    } catch (fault) {
      const { kind, message, status, param } = watch.failure ?? asFailure(fault)
      return {
        type: 'error',
        kind,
        message,
        ...(status !== undefined && { status }),
        ...(param !== undefined && { param }),
      }
    } finally {
      watch.stop()
    }
  }

  /**
   * Returns a complete reply, after retries if necessary.
   * @throws CallFailure
   */
  async #reply(onText: TextListener): Promise<CallEnd> {
    for (;;) {
      try {
        this.#watch.check()
        return await this.#attempt(this.#watch, onText)
      } catch (fault) {
        await this.#pauseBeforeRetry(this.#watch.failure ?? asFailure(fault))
      }
    }
  }

  /**
   * Waits before a retry.
   * @throws the failure if the call is not retried.
   */
  async #pauseBeforeRetry(failure: CallFailure): Promise<void> {
    const { retries, onFailure } = this.#limits
    const watch = this.#watch
    onFailure?.(failure.kind)
    if (!failure.retryable || watch.payloadSeen || this.#retries >= retries.max) throw failure
    watch.pause()
    await delay(waitBefore(this.#retries, failure, retries), undefined, { signal: watch.signal })
    this.#retries += 1
  }
}

/**
 * The delay that the upstream asked for, otherwise a doubling delay. Its random part separates callers that
 * failed together.
 */
function waitBefore(retry: number, failure: CallFailure, { baseMs, longestMs }: Retries): number {
  const backoffMs = baseMs * 2 ** retry * (0.5 + Math.random() / 2)
  return Math.min(longestMs, failure.retryAfterMs ?? backoffMs)
}
