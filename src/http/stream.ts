import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { reasonOf } from '../db/errors.ts'
import type {} from './fastify.ts'

/** A reader that takes nothing for this long, while something waits for it, is cut off. */
const stallMs = 30_000

/** What is yielded at one moment travels together, up to this many characters. */
const pieceLength = 16 * 1024

/** Sent when there has been nothing to say for `everyMs`. */
export type Filler = { readonly everyMs: number; readonly text: () => string }

/**
 * Sends what the generator yields as it comes. A slow reader holds the generator back, so that nothing piles up for
 * it beyond the buffers of its socket and one piece; one that stalls is cut off, and what it was reading about goes on.
 * A generator that throws breaks the reply off.
 */
export function sendStream(
  reply: FastifyReply,
  contentType: string,
  source: AsyncGenerator<string>,
  options: { readonly filler?: Filler; readonly stallMs?: number } = {},
): FastifyReply {
  cutWhenStalled(reply, options.stallMs)
  reply
    .header('content-type', contentType)
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .hijack()
  const response = reply.raw
  // Of a write that a reader who is gone does not take.
  response.on('error', () => undefined)
  if (contentType.startsWith('text/event-stream')) reply.server.streamOpened?.(response)
  response.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>)
  if (reply.request.method === 'HEAD') {
    response.end()
    void source.return(undefined)
    return reply
  }
  const out = new PacedWriter(response, options.filler)
  pump(response, source, out).catch((error: unknown) => {
    reply.log.error({ requestId: reply.request.id, reason: reasonOf(error) }, 'a stream broke off')
    response.destroy()
  })
  return reply
}

async function pump(
  response: ServerResponse,
  source: AsyncGenerator<string>,
  out: PacedWriter,
): Promise<void> {
  // One that waits for its next event is told by its own signal.
  const left = () => void source.return(undefined).catch(() => undefined)
  response.once('close', left)
  if (response.destroyed) left()
  try {
    for await (const text of source) {
      if (out.isFull) await out.drained()
      out.add(text)
    }
    out.end()
  } finally {
    response.off('close', left)
    out.stop()
  }
}

/** Writes what is added, once for each turn of the event loop: every write is a call of the system. */
class PacedWriter {
  readonly #response: ServerResponse
  readonly #silence: NodeJS.Timeout | undefined
  #waiting = ''

  constructor(response: ServerResponse, filler: Filler | undefined) {
    this.#response = response
    this.#silence = filler && setTimeout(() => this.#fill(filler), filler.everyMs)
  }

  add(text: string): void {
    if (this.#waiting === '') setImmediate(() => this.#flush())
    this.#waiting += text
    if (this.#waiting.length > pieceLength) this.#flush()
  }

  get isFull(): boolean {
    return this.#response.writableNeedDrain
  }

  /** Resolves when the reader has taken what there was, or is gone. */
  drained(): Promise<void> {
    const response = this.#response
    if (response.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done)
        resolve()
      }
      response.on('drain', done).on('close', done)
    })
  }

  end(): void {
    this.stop()
    const rest = this.#waiting
    this.#waiting = ''
    if (!this.#response.destroyed) this.#response.end(Buffer.from(rest))
  }

  stop(): void {
    clearTimeout(this.#silence)
  }

  #flush(): void {
    const text = this.#waiting
    if (text === '' || this.#response.destroyed) return
    this.#waiting = ''
    this.#silence?.refresh()
    this.#response.write(Buffer.from(text))
  }

  #fill(filler: Filler): void {
    if (!this.isFull) this.add(filler.text())
    this.#silence?.refresh()
  }
}

/**
 * From now on nothing may wait for this reader for 30 s while it takes nothing. Node counts a write that goes on as
 * activity, and gives the connection its usual timeout when the reply is over. The reply must not be silent for that
 * long, see `Filler`.
 */
export function cutWhenStalled(reply: FastifyReply, ms = stallMs): void {
  reply.raw.socket?.setTimeout(ms)
}
