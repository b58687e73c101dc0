import { asFailure, type CallFailure } from './openai-failure.ts'
import { type Body, releaseBody } from './openai-http.ts'
import { type Payload, PayloadReader } from './openai-payloads.ts'
import { ReplyAssembler } from './openai-reply.ts'
import type { Watchdog } from './openai-watchdog.ts'
import type { ModelChunk, ModelRequest } from './provider.ts'

/** Reads one reply from its body. */
export class ReplyReader {
  readonly #body: Body
  readonly #watch: Watchdog
  readonly #payloads: PayloadReader
  readonly #reply: ReplyAssembler
  /** What came behind the text that was given last. */
  #fault: CallFailure | null = null

  constructor(body: Body, apiKey: string | undefined, watch: Watchdog) {
    this.#body = body
    this.#watch = watch
    this.#payloads = new PayloadReader(body, watch)
    this.#reply = new ReplyAssembler(apiKey)
  }

  /**
   * The text of the next network read that has any; undefined at the end of the reply.
   * @throws CallFailure
   */
  async next(): Promise<string | undefined> {
    try {
      if (this.#fault) throw this.#fault
      while (!this.#reply.done) {
        // Not before the first payload: until then another clock runs.
        if (this.#watch.payloadSeen) this.#watch.expect(this.#reply.finished ? 'trailer' : 'idle')
        const payloads = await this.#payloads.next()
        if (!payloads) break
        const text = this.#accept(payloads)
        if (text !== '') return text
      }
    } catch (fault) {
      this.#judge(fault)
    }
    return undefined
  }

  /** @throws CallFailure when the fault has cost something of the reply. */
  #judge(fault: unknown): void {
    const failure = this.#watch.failure ?? asFailure(fault)
    // All but the usage is there: a connection that breaks or lingers now has cost nothing.
    const complete = this.#reply.finished && (failure.kind === 'timeout' || failure.retryable)
    if (!complete) throw failure
  }

  #accept(payloads: readonly Payload[]): string {
    const fault = this.#reply.acceptAll(payloads)
    const text = this.#reply.takeText()
    if (text === '' && fault) throw fault
    this.#fault = fault
    // The time is the consumer's now.
    if (text !== '') this.#watch.pause()
    return text
  }

  /**
   * The last chunk of a reply that is complete.
   * @throws CallFailure when it is not.
   */
  finish(request: ModelRequest): Extract<ModelChunk, { type: 'finish' }> {
    return this.#reply.finish(request)
  }

  /** Lets go of the connection: for the next call, when the reply is complete. */
  release(): Promise<void> {
    this.#payloads.close()
    return releaseBody(this.#body, this.#reply.done)
  }
}
