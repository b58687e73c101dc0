import { setTimeout as delay } from 'node:timers/promises'
import type { CallEnd, Finish, ModelRequest, ProviderFailure, TextListener } from '../provider.ts'
import { judgeUsage } from '../usage.ts'
import { asFailure, type CallFailure } from './failure.ts'
import { openReply, releaseBody, type Target } from './http.ts'
import { type AssembledReply, ReplyAssembler } from './reply/reply-assembler.ts'
import type { ReasoningHabit } from './reply/reply-text.ts'
import { readReply } from './reply-reader.ts'
import { type Timers, Watchdog } from './watchdog.ts'

export type Retries = {
  /** Maximum retries of a call. */
  readonly max: number
  /** The first delay in milliseconds. It doubles with each retry. */
  readonly baseMs: number
  /** Maximum delay in milliseconds, even if the upstream asks for more. */
  readonly longestMs: number
}

export type CallSettings = {
  readonly target: Target
  readonly timers: Timers
  readonly retries: Retries
  /** What the upstream's replies have shown. Updated by each reply. */
  readonly reasoning: ReasoningHabit
  /** Called for each failed attempt, including those that are retried. */
  readonly onFailure: ((kind: ProviderFailure) => void) | undefined
  /** The model's window in tokens. Reported token counts are checked against it. */
  readonly contextTokens: number
  /** Called for each impossible token count. */
  readonly onFalseUsage: ((fault: string) => void) | undefined
}

/** One model call, from its request to its end. */
export class ModelCall {
  readonly #settings: CallSettings
  readonly #request: ModelRequest
  readonly #watch: Watchdog
  #retries = 0

  constructor(settings: CallSettings, request: ModelRequest, signal: AbortSignal) {
    this.#settings = settings
    this.#request = request
    this.#watch = new Watchdog(settings.timers, signal)
  }

  /** Ends the call with the failure `aborted`. */
  abort(): void {
    this.#watch.abort()
  }

  /**
   * Makes the call. `onText` gets at most one text per network read. All resources are released when it ends. It
   * rejects only with an error that `onText` throws.
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
        return await this.#attempt(onText)
      } catch (fault) {
        await this.#pauseBeforeRetry(this.#watch.failure ?? asFailure(fault))
      }
    }
  }

  async #attempt(onText: TextListener): Promise<CallEnd> {
    const watch = this.#watch
    watch.check()
    const { target, reasoning } = this.#settings
    const { body, leftOut } = await openReply(target, this.#request, watch)
    const offered = this.#request.tools.map(({ name }) => name)
    const reply = new ReplyAssembler(target.apiKey, offered, reasoning)
    try {
      if (!(await readReply(body, reply, watch, onText))) return { type: 'enough' }
      return { ...this.#finish(reply.finish()), ...(leftOut.length > 0 && { leftOut }) }
    } finally {
      await releaseBody(body, reply.done)
    }
  }

  #finish({ reason, toolCalls, written, reported, attached: json }: AssembledReply): Finish {
    const { contextTokens, onFalseUsage, target } = this.#settings
    const { usage, fault } = judgeUsage(this.#request, written, reported, contextTokens)
    if (fault !== undefined) onFalseUsage?.(fault)
    const attached = json !== undefined && { attached: { upstream: target.upstream, json } }
    return { type: 'finish', reason, toolCalls, usage, ...attached }
  }

  /**
   * Waits before a retry.
   * @throws the failure if the call is not retried.
   */
  async #pauseBeforeRetry(failure: CallFailure): Promise<void> {
    const { retries, onFailure } = this.#settings
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
