import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import type { CallEnd, ModelRequest, Provider, ProviderFailure, TextListener } from '../provider.ts'
import { asFailure, type CallFailure } from './failure.ts'
import { type Timers, Watchdog } from './watchdog.ts'

type Retries = {
  /** Maximum retries of a call. */
  readonly max: number
  /** The first delay in milliseconds. It doubles with each retry. */
  readonly baseMs: number
  /** Maximum delay in milliseconds, even if the upstream asks for more. */
  readonly longestMs: number
}

const standardTimers: Timers = { firstByteMs: 60_000, idleMs: 120_000, totalMs: 600_000 }
const standardRetries: Retries = { max: 2, baseMs: 500, longestMs: 8_000 }

/** What the settings of every model with a server say of its calls. */
export type CallOptions = {
  readonly timers?: Partial<Timers>
  readonly retries?: Partial<Retries>
  /** Called for each failed attempt, including those that are retried. */
  readonly onFailure?: ((kind: ProviderFailure) => void) | undefined
  /** Called for the first impossible token count. It and all later impossible ones are replaced by estimates. */
  readonly onFalseUsage?: ((fault: string) => void) | undefined
}

export interface ClosableProvider extends Provider {
  /** Ends running calls (as `aborted`) and closes the connections. */
  close(): Promise<void>
}

/**
 * A provider that retries its calls.
 * @param attempt sends the request once and passes the text of its reply on. It throws CallFailure.
 * @param release closes the connections.
 */
export function retryingProvider(
  { timers, retries, onFailure }: CallOptions,
  attempt: (request: ModelRequest, watch: Watchdog, onText: TextListener) => Promise<CallEnd>,
  release: () => Promise<void>,
): ClosableProvider {
  const limits = {
    timers: { ...standardTimers, ...timers },
    retries: { ...standardRetries, ...retries },
    onFailure,
  }
  // Calls are listed instead of sharing one signal: removing one of thousands of listeners from a signal is a
  // linear search.
  const calls = new Set<RetriedCall>()
  let isClosed = false
  return {
    ask(request, signal, onText) {
      const call = new RetriedCall(limits, (watch, listen) => attempt(request, watch, listen), signal)
      calls.add(call)
      if (isClosed) call.abort()
      return call.make(onText).finally(() => calls.delete(call))
    },
    async close() {
      isClosed = true
      for (const call of calls) call.abort()
      await release()
    },
  }
}

/** Connections to a model's server. HTTP/1.1 only: each call has its own, and closing it ends the call. */
export const openConnections = (connections = 8_192): Agent =>
  new Agent({ connections, allowH2: false, connect: { timeout: 10_000 } })

type CallLimits = Pick<CallOptions, 'onFailure'> & { readonly timers: Timers; readonly retries: Retries }

type Attempt = (watch: Watchdog, onText: TextListener) => Promise<CallEnd>

/** One model call, from its first attempt to its end. */
class RetriedCall {
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
