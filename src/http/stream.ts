import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A reader that takes nothing for this long, while something waits for it, is cut off. */
const stallMs = 30_000

/**
 * Sends what the generator yields as it comes. A slow reader holds the generator back, so that nothing piles up for
 * it beyond the buffers of its socket and one piece; one that stalls is cut off, and what it was reading about goes on.
 */
export function sendStream(
  reply: FastifyReply,
  contentType: string,
  source: AsyncIterable<string>,
  options: { readonly stallMs?: number } = {},
): FastifyReply {
  cutWhenStalled(reply, options.stallMs)
  const body = Readable.from(bytesOf(source), { objectMode: false, highWaterMark: 64 * 1024 })
  return reply
    .header('content-type', contentType)
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .send(body)
}

/**
 * From now on nothing may wait for this reader for 30 s while it takes nothing. Node counts a write that goes on as
 * activity, and gives the connection its usual timeout when the reply is over. The reply must not be silent for that
 * long, see `withFiller`.
 */
export function cutWhenStalled(reply: FastifyReply, ms = stallMs): void {
  reply.raw.socket?.setTimeout(ms)
}

async function* bytesOf(source: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of source) yield Buffer.from(text)
}

/**
 * Passes `source` on and yields `filler()` whenever it has been silent for `everyMs`. Closing it closes the source.
 */
export async function* withFiller(
  source: AsyncGenerator<string>,
  everyMs: number,
  filler: () => string,
): AsyncGenerator<string> {
  try {
    let next = source.next()
    while (true) {
      const { promise: silence, resolve } = Promise.withResolvers<'silence'>()
      const timer = setTimeout(() => resolve('silence'), everyMs)
      const result = await Promise.race([next, silence]).finally(() => clearTimeout(timer))
      if (result === 'silence') {
        yield filler()
        continue
      }
      if (result.done) return
      yield result.value
      next = source.next()
    }
  } finally {
    await source.return(undefined)
  }
}
