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
  const calls = new Set<Watchdog>()
  let isClosed = false
  return {
    async ask(request, signal, onText) {
      const watch = new Watchdog(limits.timers, signal)
      calls.add(watch)
      if (isClosed) watch.abort()
      const { listen, rethrow } = guarded(onText)
      const end = await withRetries(limits, watch, () => attempt(request, watch, listen))
        .catch((fault: unknown) => endOf(watch.failure ?? asFailure(fault)))
        .finally(() => {
          watch.stop()
          calls.delete(watch)
        })
      rethrow()
      return end
    },
    async close() {
      isClosed = true
      for (const watch of calls) watch.abort()
      await release()
    },
  }
}

/** Connections to a model's server. HTTP/1.1 only: each call has its own, and closing it ends the call. */
export const openConnections = (connections = 8_192): Agent =>
  new Agent({ connections, allowH2: false, connect: { timeout: 10_000 } })

type CallLimits = Pick<CallOptions, 'onFailure'> & { readonly timers: Timers; readonly retries: Retries }

/** A listener that takes no more text after an error of `onText`, which `rethrow` throws. */
function guarded(onText: TextListener): { readonly listen: TextListener; readonly rethrow: () => void } {
  let thrown: { readonly error: unknown } | undefined
  return {
    listen(text) {
      try {
        return onText(text)
      } catch (error) {
        thrown = { error }
        return false
      }
    },
    rethrow() {
      if (thrown) throw thrown.error
    },
  }
}

const endOf = ({ kind, message, status, param }: CallFailure): CallEnd => ({
  ...{ type: 'error', kind, message },
  ...(status !== undefined && { status }),
  ...(param !== undefined && { param }),
})

/**
 * Returns a complete reply, after retries if necessary.
 * @throws CallFailure
 */
async function withRetries(
  { retries, onFailure }: CallLimits,
  watch: Watchdog,
  attempt: () => Promise<CallEnd>,
): Promise<CallEnd> {
  for (let retry = 0; ; retry += 1) {
    try {
      watch.check()
      const end = await attempt()
      // A caller that has aborted gets no reply, even a complete one.
      watch.checkCaller()
      return end
    } catch (fault) {
      const failure = watch.failure ?? asFailure(fault)
      onFailure?.(failure.kind)
      if (!failure.retryable || watch.payloadSeen || retry >= retries.max) throw failure
      watch.pause()
      await delay(waitBefore(retry, failure, retries), undefined, { signal: watch.signal })
    }
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
