import type { FastifyInstance, FastifyRequest } from 'fastify'

export type ReceiveTimeouts = {
  /** For all of a request that is no upload. */
  readonly wholeMs: number
  /**
   * An upload may take as long as its sender's line needs, but in each window of so many milliseconds at least
   * `uploadBytes` of it have to arrive.
   */
  readonly uploadWindowMs: number
  readonly uploadBytes: number
}

/** Uploads: 16 KiB a second, averaged over half a minute. */
export const defaultReceiveTimeouts: ReceiveTimeouts = Object.freeze({
  wholeMs: 120_000,
  uploadWindowMs: 30_000,
  uploadBytes: 30 * 16 * 1024,
})

/**
 * Bounds how long requests take to arrive; one that takes longer loses its connection. Node's own `requestTimeout` is
 * one for all requests, and cuts large uploads off that are well under way.
 */
export function registerReceiveTimeout(app: FastifyInstance, timeouts: ReceiveTimeouts): void {
  app.addHook('onRequest', async (request) => {
    // `isMultipart` knows only when the body is parsed.
    const isUpload = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (isUpload) cutOffWhenSlow(request, timeouts)
    else cutOffAfter(request, timeouts.wholeMs)
  })
}

function cutOffAfter({ raw }: FastifyRequest, ms: number): void {
  if (raw.complete) return
  const timer = setTimeout(() => raw.destroy(), ms)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

/** An upload that nearly stands still holds a slot, room and memory for as long as its sender likes. */
function cutOffWhenSlow({ raw }: FastifyRequest, { uploadWindowMs, uploadBytes }: ReceiveTimeouts): void {
  const { socket } = raw
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const came = socket.bytesRead - before
    before = socket.bytesRead
    if (came < uploadBytes) raw.destroy()
  }, uploadWindowMs)
  for (const event of ['end', 'close']) raw.once(event, () => clearInterval(timer))
}
