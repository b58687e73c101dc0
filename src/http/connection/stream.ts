import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as delay, setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { reasonOf } from '../../db/errors.ts'
import type {} from './fastify.ts'

/** A reader that takes nothing for this long, while something waits for it, is cut off. */
const stallMs = 30_000

/** What can wait does for so long: mostly the next text takes it along, and spares the system a write. */
const waitMs = 20

/** What is added at one moment travels together, up to this many characters. */
const pieceLength = 16 * 1024

/** Sent when there has been nothing to say for `everyMs`. */
export type Filler = { readonly everyMs: number; readonly text: () => string }

/** Where a stream's text goes. */
export type StreamOut = {
  /**
   * Sends it soon.
   * @param canWait nobody would miss it for a moment: it may wait for other text to travel with.
   * @returns for a slow reader a promise that has to be waited for before more is added, so that nothing piles up for it
   * beyond the buffers of its socket and one piece.
   * @throws ReaderLeft when nobody reads any more.
   */
  add(text: string, canWait?: boolean): Promise<void> | undefined
}

/** Ends the writing of a stream whose reader is gone. */
class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft'
}

/**
 * Sends what `write` adds as it comes, up to its end. A reader that stalls is cut off, and what it was reading about goes
 * on; `write` then fails when it adds something, and has to be told by a signal of its own while it waits. When it throws,
 * the reply is broken off.
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
  // Of a write that a reader who is gone does not take.
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

/** Writes what is added, once for each turn of the event loop: every write is a call of the system. */
class PacedWriter implements StreamOut {
  readonly #response: ServerResponse
  readonly #silence: NodeJS.Timeout | undefined
  #waiting = ''
  /** Whether what waits is about to be written. */
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

  /** Resolves when the reader has taken what there was, or is gone. */
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

  /** @param holdMs the last character comes so much later than the rest. */
  async end(holdMs: number): Promise<void> {
    this.stop()
    let rest = this.#waiting
    this.#waiting = ''
    if (holdMs > 0) {
      if (rest.length > 1 && !this.#response.destroyed) this.#response.write(rest.slice(0, -1))
      rest = rest.slice(-1)
      await delay(holdMs)
      await loopHasTurned()
    }
    if (!this.#response.destroyed) this.#response.end(Buffer.from(rest))
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

/** A body whose last byte comes so much later than the rest. */
export function inTwoPieces(body: Buffer, holdMs: number): Readable {
  return Readable.from(pieces(body, holdMs), { objectMode: false })
}

async function* pieces(body: Buffer, holdMs: number): AsyncGenerator<Buffer> {
  yield body.subarray(0, -1)
  await delay(holdMs)
  await loopHasTurned()
  yield body.subarray(-1)
}

/** A process that was frozen meanwhile has timers that are due before it reads that a connection has ended. */
async function loopHasTurned(): Promise<void> {
  await turnOfTheLoop()
  await turnOfTheLoop()
}

/**
 * From now on nothing may wait for this reader for 30 s while it takes nothing. Node counts a write that goes on as
 * activity, and gives the connection its usual timeout when the reply is over. The reply must not be silent for that
 * long, see `Filler`.
 */
export function cutWhenStalled(reply: FastifyReply, ms = stallMs): void {
  reply.raw.socket?.setTimeout(ms)
}
