import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { cutWhenStalled, type StreamOut, sendStream } from '../../http/stream.ts'
import { clientLeft, clientServed, replyCutShort } from '../../turns/client-left.ts'
import { endOfRun } from '../../turns/follow.ts'
import type { TerminalEvent } from '../../turns/run-events.ts'
import type { Run, Started } from '../../turns/start-turn.ts'
import type { Services } from '../services.ts'
import { failureReply } from './completion.ts'

/** Silence after which a stream says that it lives, and after which a whole reply begins with blanks. */
export type ChatPace = { readonly keepAliveMs: number; readonly paddingMs: number }

export const defaultPace: ChatPace = { keepAliveMs: 10_000, paddingMs: 15_000 }

/** What a whole reply says when its run has ended, and when this process has lost it after the status was sent. */
export type WholeBodies = {
  readonly ended: (event: TerminalEvent) => object
  readonly interrupted: (message: string) => object
}

/** Told by a stream how it ends, unless its client leaves first. */
export type StreamNotes = {
  /** It has all that there is to say. */
  complete(): void
  /** It ends although the run goes on; awaited before its last frame. */
  cutShort(): Promise<void>
}

/**
 * The reply to one request for a turn, in the form of any API. It only reads the run, from its beginning, whoever
 * drives it, and notes with the run when its client leaves, when it has to end early, and when a repetition was served.
 */
export class Delivery {
  readonly #services: Services
  readonly #reply: FastifyReply
  readonly #run: Run
  readonly #left: AbortSignal
  readonly #pace: ChatPace
  /** Whether the reply has all that there is to say. */
  #complete = false

  constructor(
    services: Services,
    reply: FastifyReply,
    { run, repeated }: Started,
    left: AbortSignal,
    pace: ChatPace,
  ) {
    this.#services = services
    this.#reply = reply
    this.#run = run
    this.#left = left
    this.#pace = pace
    contextHeaders(reply, run)
    if (!repeated) return
    reply.header('idempotency-replayed', 'true')
    reply.raw.once('finish', () => {
      if (this.#complete) void clientServed(services, run)
    })
  }

  /** Answers at once; the run is polled and followed at `location`. */
  background(location: string, body: object): FastifyReply {
    this.#complete = true
    return this.#reply.header('location', location).send(body)
  }

  /** Streams what `write` makes of the run, and `keepAlive` whenever it is silent. */
  stream(
    write: (out: StreamOut, notes: StreamNotes) => Promise<void>,
    keepAlive: () => string,
  ): FastifyReply {
    this.#watch()
    const [services, run] = [this.#services, this.#run]
    const notes: StreamNotes = {
      complete: () => {
        this.#complete = true
      },
      cutShort: () => replyCutShort(services, run),
    }
    return sendEvents(this.#reply, (out) => write(out, notes), keepAlive, this.#pace)
  }

  /** Waits for the end of the run. Up to `paddingMs` the status is still free; after that blanks keep the wire alive. */
  async whole(bodies: WholeBodies): Promise<FastifyReply> {
    this.#watch()
    const ending = this.#end()
    const early = await Promise.race([ending, timer(this.#pace.paddingMs)])
    if (early === undefined) throw interrupted()
    return early === 'later' ? this.#padded(ending, bodies) : this.#wholeAtOnce(early, bodies)
  }

  #wholeAtOnce(event: TerminalEvent, bodies: WholeBodies): FastifyReply {
    const failure = failureReply(event)
    if (failure) throw failure
    const { files } = event.end
    if (files.length > 0) this.#reply.header('x-service-files', files.map((file) => file.id).join(','))
    cutWhenStalled(this.#reply)
    return this.#reply.send(bodies.ended(event))
  }

  #padded(ending: Promise<TerminalEvent | undefined>, bodies: WholeBodies): FastifyReply {
    const { paddingMs } = this.#pace
    const padded = async (out: StreamOut) => {
      await out.add('\n')
      const end = await ending
      await out.add(JSON.stringify(end ? bodies.ended(end) : bodies.interrupted(interrupted().message)))
    }
    const filler = { everyMs: paddingMs, text: () => '\n' }
    return sendStream(this.#reply, 'application/json; charset=utf-8', padded, { filler })
  }

  /** Undefined when the reply has to go without the end of its run; the client's next request finds the run again. */
  async #end(): Promise<TerminalEvent | undefined> {
    const end = await endOfRun(this.#services, this.#run, this.#left)
    this.#complete = end !== undefined
    if (!end && !this.#left.aborted) await replyCutShort(this.#services, this.#run)
    return end
  }

  #watch(): void {
    const whenLeft = () => void clientLeft(this.#services, this.#run)
    if (this.#left.aborted) whenLeft()
    else this.#left.addEventListener('abort', whenLeft)
  }
}

/** Server-sent events, with `keepAlive` whenever they are silent. */
export function sendEvents(
  reply: FastifyReply,
  write: (out: StreamOut) => Promise<void>,
  keepAlive: () => string,
  { keepAliveMs }: ChatPace,
): FastifyReply {
  const filler = { everyMs: keepAliveMs, text: keepAlive }
  return sendStream(reply, 'text/event-stream; charset=utf-8', write, { filler })
}

/** Sent before the body: the one channel that every client can read. */
function contextHeaders(reply: FastifyReply, run: Run): void {
  reply
    .header('x-service-project-id', run.projectId)
    .header('x-service-session-id', run.sessionId)
    .header('x-service-run-id', run.id)
    .header('x-service-message-id', run.messageId)
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
