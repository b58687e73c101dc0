import type { FastifyInstance, FastifyRequest } from 'fastify'

export type ReceiveTimeouts = {
  /** Milliseconds for a whole request that is not an upload. */
  readonly wholeMs: number
  /**
   * An upload has no total limit, but at least `uploadBytes` must arrive per window of this many
   * milliseconds.
   */
  readonly uploadWindowMs: number
  readonly uploadBytes: number
}

/** Uploads need 16 KiB per second on average over half a minute. */
export const defaultReceiveTimeouts: ReceiveTimeouts = Object.freeze({
  wholeMs: 120_000,
  uploadWindowMs: 30_000,
  uploadBytes: 30 * 16 * 1024,
})

/**
 * Limits the time in which a request arrives; a slower one loses its connection. Node's own `requestTimeout`
 * has one value for all requests and would cut off large uploads.
 */
export function registerReceiveTimeout(app: FastifyInstance, timeouts: ReceiveTimeouts): void {
  app.addHook('onRequest', async (request) => {
    // The header is read here because `isMultipart` works only after the body is parsed.
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

/** Without this limit a stalled upload holds a slot, disk space and memory as long as the client wants. */
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
