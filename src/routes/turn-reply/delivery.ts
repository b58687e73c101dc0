import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { endsConnection, onEarlyEnd } from '../../http/connection/early-end.ts'
import { cutWhenStalled, type StreamOut, sendEvents, sendStream } from '../../http/connection/stream.ts'
import type { Admitted } from '../../turns/admit/admit-turn.ts'
import { clientDisconnected, replyCutShort } from '../../turns/read/client-disconnect.ts'
import { endOfRun } from '../../turns/read/follow.ts'
import type { ClientConnection } from '../../turns/replicas/client-connections.ts'
import type { Run } from '../../turns/run/run.ts'
import { replyOf, type TerminalEvent } from '../../turns/run/run-events.ts'
import type { Services } from '../../turns/services.ts'
import { within } from '../../waiting/waiting.ts'
import { endBlock } from './service-block.ts'
import { refusedParam } from './wire.ts'

/**
 * `keepAliveMs`: silence after which a stream sends a keep-alive. `paddingMs`: silence after which a whole
 * reply starts with spaces.
 */
export type ChatPace = { readonly keepAliveMs: number; readonly paddingMs: number }

export const defaultPace: ChatPace = { keepAliveMs: 10_000, paddingMs: 15_000 }

/**
 * Delay of a reply's last byte to a client without a key whose connection ends with the reply: disconnecting before that
 * byte is the only sign that it missed the reply. Without it 106 of 250 such clients were charged twice (docs/billing.md).
 */
const holdMs = 100

/** After a run that ended longer ago, an early disconnect does not turn the next request into a retry. */
const recentMs = 60_000

/**
 * Bodies of a whole reply: when its run has ended, and when this process lost the run after sending the
 * status.
 */
export type WholeBodies = {
  readonly ended: (event: TerminalEvent) => object | Promise<object>
  readonly interrupted: (message: string) => object
}

/** Hears how a stream ends, unless the client disconnects first. */
export type ReplyOutcome = Pick<TurnReply, 'complete' | 'cutShort'>

/**
 * The reply to one request for a turn, in the form of any API. It only reads the run, whichever process
 * drives it. It records on the run when its client disconnects and when the reply ends early.
 */
export class TurnReply {
  readonly #services: Services
  readonly #reply: FastifyReply
  readonly #run: Run
  readonly #client: ClientConnection
  readonly #left: AbortSignal
  readonly #pace: ChatPace
  #isComplete = false

  constructor(
    services: Services,
    reply: FastifyReply,
    { run, repeated, client }: Admitted,
    left: AbortSignal,
    pace: ChatPace,
  ) {
    this.#services = services
    this.#reply = reply
    this.#run = run
    this.#client = client
    this.#left = left
    this.#pace = pace
    // As headers too, because every client can read headers.
    reply
      .header('x-service-project-id', run.projectId)
      .header('x-service-session-id', run.sessionId)
      .header('x-service-run-id', run.id)
      .header('x-service-message-id', run.messageId)
    if (repeated) reply.header('idempotency-replayed', 'true')
    // A replay of a run that has ended knows its files, also if it is streamed.
    const ended = replyOf(run)
    if (ended) filesHeader(reply, ended.end.files)
    onReplySent(reply, () => {
      if (this.#isComplete) closeAfterReply(services, reply, run, client, left)
    })
  }

  /** The reply has all it needs: the end of the run, or the answer to a background request. */
  complete(): void {
    this.#isComplete = true
  }

  /** The reply ends although the run continues. Awaited before its last bytes. */
  cutShort(): Promise<void> {
    return replyCutShort(this.#services, this.#run, this.#client)
  }

  /** Replies at once; the client polls and follows the run at `location`. */
  background(location: string, body: object): FastifyReply {
    this.#watch({ cancel: false })
    this.complete()
    return this.#reply.header('location', location).send(body)
  }

  /** Streams what `write` produces, and `keepAlive` in each silence. */
  stream(write: (out: StreamOut) => Promise<void>, keepAlive?: () => string): FastifyReply {
    this.#watch({ cancel: this.#run.onDisconnect === 'cancel' })
    return sendEvents(this.#reply, write, {
      everyMs: this.#pace.keepAliveMs,
      ...(keepAlive && { text: keepAlive }),
      holdMs: this.#holdMs,
    })
  }

  /**
   * Waits for the end of the run. After `paddingMs` the status is sent, and spaces keep the connection open.
   */
  async whole(bodies: WholeBodies): Promise<FastifyReply> {
    this.#watch({ cancel: this.#run.onDisconnect === 'cancel' })
    const ending = this.#end()
    const ended = ending.then((end) => ({ end }))
    const early = await within(ended, this.#pace.paddingMs)
    if (!early) return this.#padded(ending, bodies)
    if (!early.end) throw interrupted()
    return this.#wholeAtOnce(early.end, bodies)
  }

  async #wholeAtOnce(event: TerminalEvent, bodies: WholeBodies): Promise<FastifyReply> {
    const failure = failureReply(this.#run, event)
    if (failure) throw failure
    filesHeader(this.#reply, event.end.files)
    const body = await bodies.ended(event)
    if (this.#holdMs === 0) {
      cutWhenStalled(this.#reply)
      return this.#reply.send(body)
    }
    const text = JSON.stringify(body)
    this.#reply.header('content-length', Buffer.byteLength(text))
    return sendStream(this.#reply, json, (out) => addWhole(out, text), { holdMs: this.#holdMs })
  }

  #padded(ending: Promise<TerminalEvent | undefined>, bodies: WholeBodies): FastifyReply {
    const { paddingMs } = this.#pace
    const padded = async (out: StreamOut) => {
      await out.add('\n')
      const end = await ending
      const body = end ? await bodies.ended(end) : bodies.interrupted(interrupted().message)
      await addWhole(out, JSON.stringify(body))
    }
    const filler = { everyMs: paddingMs, text: () => '\n' }
    return sendStream(this.#reply, json, padded, { filler, holdMs: this.#holdMs })
  }

  /** Undefined when the reply must end before its run; the client's next request finds the run again. */
  async #end(): Promise<TerminalEvent | undefined> {
    const end = await endOfRun(this.#services, this.#run, this.#left)
    if (end) this.complete()
    else if (!this.#left.aborted) await this.cutShort()
    return end
  }

  get #holdMs(): number {
    const { request } = this.#reply
    return request.headers['idempotency-key'] === undefined && endsConnection(request) ? holdMs : 0
  }

  #watch(options: { readonly cancel: boolean }): void {
    const whenLeft = () => void clientDisconnected(this.#services, this.#run, this.#client, options)
    if (this.#left.aborted) whenLeft()
    else this.#left.addEventListener('abort', whenLeft)
  }
}

const json = 'application/json; charset=utf-8'

/** Adds a body so that its last byte, a closing brace, can be held back however long the body is. */
async function addWhole(out: StreamOut, body: string): Promise<void> {
  await out.add(body.slice(0, -1))
  await out.add(body.slice(-1))
}

/** Calls `listener` when the whole reply has been handed to the network. */
export function onReplySent(reply: FastifyReply, listener: () => void): void {
  reply.raw.once('finish', listener)
}

/**
 * The end of a complete reply, by every door: chat, responses and MCP. A client that closes its connection at once may have
 * missed the last bytes, so for a moment its next equal request counts as a retry.
 */
export function closeAfterReply(
  services: Services,
  reply: FastifyReply,
  run: Run,
  client: ClientConnection,
  left: AbortSignal,
): void {
  // A client that disconnected during the last write did not read the whole reply.
  if (left.aborted) return
  client.leave()
  const isRecent = run.finishedAt === null || Date.now() - run.finishedAt.getTime() < recentMs
  if (!isRecent) {
    client.close()
    return
  }
  onEarlyEnd(reply, (early) => {
    if (early) void clientDisconnected(services, run, client, { cancel: false })
    else client.close()
  })
}

type WithId = { readonly id: string }

/** Ids of the files that the turn wrote; empty when it wrote none. */
function filesHeader(reply: FastifyReply, files: readonly WithId[]): void {
  reply.header('x-service-files', files.map(({ id }) => id).join(','))
}

function interrupted(): ServiceError {
  return new ServiceError(
    'overloaded',
    'The service is restarting, and the run continues. Send the request again.',
    { retryAfterSeconds: 2 },
  )
}

/**
 * The error reply for a run that failed without text and files. Its `x_service` tells what was charged. With output, the
 * failure is part of a completion.
 */
function failureReply(run: Run, event: TerminalEvent): ServiceError | undefined {
  if (event.type !== 'run.failed' || event.end.text !== '' || event.end.files.length > 0) return undefined
  const code = event.code === 'upstream_failed' ? 'upstream_error' : event.code
  // A retry returns the same run, so it cannot help. The process that ran the turn has logged its failure.
  const param = refusedParam(run, event)
  return new ServiceError(code, event.message, {
    ...(param !== null && { param }),
    shouldRetry: false,
    logged: true,
    service: endBlock(run, event),
  })
}
