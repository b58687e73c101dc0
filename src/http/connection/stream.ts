import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { reasonOf } from '../../db/errors.ts'
import { afterPendingReads } from '../../waiting/waiting.ts'
import type {} from './fastify.ts'

/** Time after which a client that reads nothing is disconnected, if text is waiting for it. */
const stallMs = 30_000

/**
 * Maximum delay of text that can wait. Usually the next text is written with it, which saves a system call.
 */
const waitMs = 20

/** Texts added in one iteration of the event loop are written together, up to this many characters. */
const pieceLength = 16 * 1024

/** Text that is sent after each `everyMs` of silence. */
export type Filler = { readonly everyMs: number; readonly text: () => string }

/** Where a stream's text goes. */
export type StreamOut = {
  /**
   * Sends the text in this iteration of the event loop.
   * @param canWait the text may wait up to 20 ms for other text.
   * @returns for a slow client a promise to await before the next text. It limits the waiting text to the
   * buffers of the socket and one piece.
   * @throws ReaderLeft when the client has disconnected.
   */
  add(text: string, canWait?: boolean): Promise<void> | undefined
}

/** Stops the writer of a stream whose client has disconnected. */
class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft'
}

/**
 * Streams what `write` adds until it returns. A client that stalls is disconnected, but its run continues:
 * the next `add` throws, and `write` needs its own signal while it waits. When `write` throws, the connection
 * is closed.
 * @param options.holdMs delay of the last byte, if `write` added it last. A client that disconnects before it has not
 *   received the whole reply.
 */
export function sendStream(
  reply: FastifyReply,
  contentType: string,
  write: (out: StreamOut) => Promise<void>,
  options: { readonly filler?: Filler; readonly stallMs?: number; readonly holdMs?: number } = {},
): FastifyReply {
  cutWhenStalled(reply, options.stallMs)
  reply
    .header('content-type', contentType)
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .hijack()
  const response = reply.raw
  // Writes after a disconnect emit this error.
  response.on('error', () => undefined)
  if (contentType.startsWith('text/event-stream')) reply.server.streamOpened?.(response)
  response.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>)
  if (reply.request.method === 'HEAD') {
    response.end()
    return reply
  }
  const out = new PacedWriter(response, options.filler)
  write(out)
    .then(() => out.end(options.holdMs ?? 0))
    .catch((error: unknown) => {
      if (error instanceof ReaderLeft) return
      reply.log.error({ requestId: reply.request.id, reason: reasonOf(error) }, 'a stream broke off')
      response.destroy()
    })
    .finally(() => out.stop())
  return reply
}

/** Streams server-sent events. A comment fills each silence of ten seconds, unless the options say otherwise. */
export function sendEvents(
  reply: FastifyReply,
  write: (out: StreamOut) => Promise<void>,
  options: Partial<Filler> & { readonly holdMs?: number } = {},
): FastifyReply {
  const { everyMs = 10_000, text = () => ': keep-alive\n\n', holdMs = 0 } = options
  return sendStream(reply, 'text/event-stream; charset=utf-8', write, { filler: { everyMs, text }, holdMs })
}

/**
 * Collects added text and writes it once per iteration of the event loop, because every write is a system
 * call.
 */
class PacedWriter implements StreamOut {
  readonly #response: ServerResponse
  readonly #silence: NodeJS.Timeout | undefined
  #waiting = ''
  /** Whether a write is scheduled for this iteration of the event loop. */
  #soon = false
  #later: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, filler: Filler | undefined) {
    this.#response = response
    this.#silence = filler && setTimeout(() => this.#fill(filler), filler.everyMs)
  }

  add(text: string, canWait = false): Promise<void> | undefined {
    if (!this.#isFull) {
      this.#put(text, canWait)
      return undefined
    }
    return this.#drained().then(() => this.#put(text, canWait))
  }

  #put(text: string, canWait: boolean): void {
    if (this.#response.destroyed) throw new ReaderLeft('nobody reads the stream any more')
    if (text === '') return
    this.#waiting += text
    if (this.#waiting.length > pieceLength) this.#flush()
    else if (canWait) this.#later ??= setTimeout(() => this.#flush(), waitMs)
    else if (!this.#soon) {
      this.#soon = true
      setImmediate(() => this.#flush())
    }
  }

  get #isFull(): boolean {
    return this.#response.writableNeedDrain
  }

  /** Resolves when the buffer of the socket is empty or the client has disconnected. */
  #drained(): Promise<void> {
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

  async end(holdMs: number): Promise<void> {
    this.stop()
    const rest = Buffer.from(this.#waiting)
    this.#waiting = ''
    const held = holdMs > 0 && rest.length > 0 ? 1 : 0
    if (held > 0 && !this.#response.destroyed) {
      this.#response.write(rest.subarray(0, -held))
      await delay(holdMs)
      await afterPendingReads()
    }
    if (!this.#response.destroyed) this.#response.end(rest.subarray(held > 0 ? -held : 0))
  }

  stop(): void {
    clearTimeout(this.#silence)
    clearTimeout(this.#later)
  }

  #flush(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    this.#soon = false
    const text = this.#waiting
    if (text === '' || this.#response.destroyed) return
    this.#waiting = ''
    this.#silence?.refresh()
    this.#response.write(Buffer.from(text))
  }

  #fill(filler: Filler): void {
    if (!this.#response.destroyed && !this.#isFull) this.#put(filler.text(), false)
    this.#silence?.refresh()
  }
}

/**
 * Disconnects a client that reads nothing for 30 s while text waits for it. Node restores the usual timeout
 * after the reply. The reply must not be silent for 30 s (see `Filler`).
 */
export function cutWhenStalled(reply: FastifyReply, ms = stallMs): void {
  reply.raw.socket?.setTimeout(ms)
}
