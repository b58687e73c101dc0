import type { TextListener } from '../provider.ts'
import { asFailure } from './failure.ts'
import { type Body, releaseBody } from './http.ts'
import { PayloadReader } from './payloads.ts'
import { type AssembledReply, ReplyAssembler } from './reply-assembler.ts'
import type { Watchdog } from './watchdog.ts'

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
   * Passes the text of each network read to `onText`, which must not throw, until the reply ends.
   * @returns whether `onText` accepted all of it.
   * @throws CallFailure
   */
  async read(onText: TextListener): Promise<boolean> {
    let wanted = true
    try {
      await new PayloadReader(this.#body, this.#watch).read((payloads) => {
        const fault = this.#reply.acceptAll(payloads)
        const text = this.#reply.takeText()
        wanted = text === '' || onText(text)
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

  /**
   * Decides whether a fault lost part of the reply.
   * @throws CallFailure if it did.
   */
  #judge(fault: unknown): void {
    const failure = this.#watch.failure ?? asFailure(fault)
    // Only the usage may be missing, so a connection that breaks or stalls now loses nothing else.
    const complete = this.#reply.finished && (failure.kind === 'timeout' || failure.retryable)
    if (!complete) throw failure
  }

  /**
   * The assembled reply.
   * @throws CallFailure if it is not complete.
   */
  finish(): AssembledReply {
    return this.#reply.finish()
  }

  /** Releases the connection. After a complete reply it can be reused. */
  release(): Promise<void> {
    return releaseBody(this.#body, this.#reply.done)
  }
}
