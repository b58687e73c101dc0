import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { unixSeconds } from '../../http/lists.ts'
import { cutWhenStalled, sendStream, withFiller } from '../../http/stream.ts'
import { clientServed, replyCutShort } from '../../turns/client-left.ts'
import { endOfRun, followRun } from '../../turns/follow.ts'
import { isTerminal, type TerminalEvent } from '../../turns/run-events.ts'
import type { Started } from '../../turns/start-turn.ts'
import type { Services } from '../services.ts'
import { type ChunkEncoder, createChunkEncoder } from './chunks.ts'
import { backgroundBody, completionBody, failureReply, interruptedBody } from './completion.ts'

/** Silence after which a stream says that it lives, and after which a whole reply begins with blanks. */
export type ChatPace = { readonly keepAliveMs: number; readonly paddingMs: number }

/** The reply to one chat request. It only reads the run, from its beginning, whoever drives it. */
export class Delivery {
  readonly #services: Services
  readonly #reply: FastifyReply
  readonly #started: Started
  readonly #created: number
  /** Whether the reply has all that there is to say. */
  #complete = false

  constructor(services: Services, reply: FastifyReply, started: Started) {
    this.#services = services
    this.#reply = reply
    this.#started = started
    this.#created = unixSeconds(started.run.createdAt)
    if (!started.repeated) return
    reply.header('idempotency-replayed', 'true')
    reply.raw.once('finish', () => {
      if (this.#complete) void clientServed(services, started.run)
    })
  }

  /** Answers at once; the run is polled and followed elsewhere. */
  background(): FastifyReply {
    const { run, repeated } = this.#started
    this.#complete = true
    return this.#reply
      .header('location', `/v1/agent/runs/${run.id}`)
      .send(backgroundBody(run, this.#created, repeated))
  }

  stream(
    options: { readonly includeUsage: boolean; readonly progress: boolean },
    left: AbortSignal,
    { keepAliveMs }: ChatPace,
  ): FastifyReply {
    const { run } = this.#started
    const encoder = createChunkEncoder(run, { ...options, created: this.#created })
    const frames = this.#frames(encoder, left)
    async function* chunks(): AsyncGenerator<string> {
      yield encoder.start(run.status)
      yield* withFiller(frames, keepAliveMs, encoder.keepAlive)
    }
    return sendStream(this.#reply, 'text/event-stream; charset=utf-8', chunks())
  }

  async *#frames(encoder: ChunkEncoder, left: AbortSignal): AsyncGenerator<string> {
    const { run } = this.#started
    for await (const batch of followRun(this.#services, run, left)) {
      this.#complete ||= batch.some(isTerminal)
      const text = encoder.events(batch)
      if (text !== '') yield text
    }
    if (this.#complete || left.aborted) return
    await replyCutShort(this.#services, run)
    yield encoder.interrupted()
  }

  /** Waits for the end of the run. Up to `paddingMs` the status is still free; after that blanks keep the wire alive. */
  async whole(left: AbortSignal, { paddingMs }: ChatPace): Promise<FastifyReply> {
    const ending = this.#end(left)
    const early = await Promise.race([ending, timer(paddingMs)])
    if (early === undefined) throw interrupted()
    return early === 'later' ? this.#padded(ending, paddingMs) : this.#wholeAtOnce(early)
  }

  #wholeAtOnce(event: TerminalEvent): FastifyReply {
    const failure = failureReply(event)
    if (failure) throw failure
    const { files } = event.end
    if (files.length > 0) this.#reply.header('x-service-files', files.map((file) => file.id).join(','))
    cutWhenStalled(this.#reply)
    return this.#reply.send(completionBody(this.#started.run, this.#created, event))
  }

  #padded(ending: Promise<TerminalEvent | undefined>, paddingMs: number): FastifyReply {
    const [{ run }, created] = [this.#started, this.#created]
    async function* whole(): AsyncGenerator<string> {
      const end = await ending
      yield JSON.stringify(
        end ? completionBody(run, created, end) : interruptedBody(run, created, interrupted().message),
      )
    }
    async function* padded(): AsyncGenerator<string> {
      yield '\n'
      yield* withFiller(whole(), paddingMs, () => '\n')
    }
    return sendStream(this.#reply, 'application/json; charset=utf-8', padded())
  }

  /** Undefined when the reply has to go without the end of its run; the client's next request finds the run again. */
  async #end(left: AbortSignal): Promise<TerminalEvent | undefined> {
    const { run } = this.#started
    const end = await endOfRun(this.#services, run, left)
    this.#complete = end !== undefined
    if (!end && !left.aborted) await replyCutShort(this.#services, run)
    return end
  }
}

function interrupted(): ServiceError {
  return new ServiceError(
    'overloaded',
    'The service is restarting. The run goes on; send the request again.',
    { retryAfterSeconds: 2 },
  )
}

function timer(ms: number): Promise<'later'> {
  return new Promise((resolve) => setTimeout(() => resolve('later'), ms).unref())
}
