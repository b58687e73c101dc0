import type { TextListener } from '../provider.ts'
import { asFailure } from './openai-failure.ts'
import { type Body, releaseBody } from './openai-http.ts'
import { PayloadReader } from './openai-payloads.ts'
import { type AssembledReply, ReplyAssembler } from './openai-reply.ts'
import type { Watchdog } from './openai-watchdog.ts'

/** Reads one reply from its body. */
export class ReplyReader {
  readonly #body: Body
  readonly #watch: Watchdog
  readonly #reply: ReplyAssembler

  constructor(body: Body, apiKey: string | undefined, watch: Watchdog) {
    this.#body = body
    this.#watch = watch
    this.#reply = new ReplyAssembler(apiKey)
  }

  /**
   * Tells `hear`, which must not throw, the text of each network read, to the end of the reply.
   * @returns whether `hear` wanted all of it.
   * @throws CallFailure
   */
  async read(hear: TextListener): Promise<boolean> {
    let wanted = true
    try {
      await new PayloadReader(this.#body, this.#watch).read((payloads) => {
        const fault = this.#reply.acceptAll(payloads)
        const text = this.#reply.takeText()
        wanted = text === '' || hear(text)
        if (!wanted || this.#reply.done) return false
        if (fault) throw fault
        this.#watch.expect(this.#reply.finished ? 'trailer' : 'idle')
        return true
      })
    } catch (fault) {
      this.#judge(fault)
    }
    return wanted
  }

  /** @throws CallFailure when the fault has cost something of the reply. */
  #judge(fault: unknown): void {
    const failure = this.#watch.failure ?? asFailure(fault)
    // All but the usage is there: a connection that breaks or lingers now has cost nothing.
    const complete = this.#reply.finished && (failure.kind === 'timeout' || failure.retryable)
    if (!complete) throw failure
  }

  /**
   * What a complete reply comes to.
   * @throws CallFailure when it is not complete.
   */
  finish(): AssembledReply {
    return this.#reply.finish()
  }

  /** Lets go of the connection: for the next call, when the reply is complete. */
  release(): Promise<void> {
    return releaseBody(this.#body, this.#reply.done)
  }
}
