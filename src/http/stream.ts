import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A reader that takes nothing for this long is cut off; what it was reading about goes on. */
const stallMs = 30_000

/**
 * Sends what the generator yields as it comes. A slow reader holds the generator back, so that nothing piles up for
 * it beyond the buffers of its socket; one that stalls is cut off.
 */
export function sendStream(
  reply: FastifyReply,
  contentType: string,
  source: AsyncIterable<string>,
): FastifyReply {
  const body = Readable.from(cutWhenStalled(reply, source), { objectMode: false, highWaterMark: 64 * 1024 })
  return reply
    .header('content-type', contentType)
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .send(body)
}

async function* cutWhenStalled(reply: FastifyReply, source: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of source) {
    const timer = setTimeout(() => reply.raw.destroy(), stallMs)
    try {
      yield Buffer.from(text)
    } finally {
      clearTimeout(timer)
    }
  }
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
