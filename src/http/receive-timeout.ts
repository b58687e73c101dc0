import type { FastifyInstance, FastifyRequest } from 'fastify'

export type ReceiveTimeouts = {
  /** For all of a request. */
  readonly wholeMs: number
  /** Between two pieces of an upload, which as a whole may take as long as its sender's line needs. */
  readonly idleMs: number
}

/**
 * Bounds how long requests take to arrive; one that takes longer loses its connection. Node's own `requestTimeout` is
 * one for all requests, and cuts large uploads off that are well under way.
 */
export function registerReceiveTimeout(app: FastifyInstance, { wholeMs, idleMs }: ReceiveTimeouts): void {
  app.addHook('onRequest', async (request) => {
    // `isMultipart` knows only when the body is parsed.
    const isUpload = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (isUpload) cutOffWhenIdle(request, idleMs)
    else cutOffAfter(request, wholeMs)
  })
}

function cutOffAfter({ raw }: FastifyRequest, ms: number): void {
  if (raw.complete) return
  const timer = setTimeout(() => raw.destroy(), ms)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

function cutOffWhenIdle({ raw }: FastifyRequest, ms: number): void {
  const { socket } = raw
  const cutOff = (): void => void raw.destroy()
  socket.setTimeout(ms).on('timeout', cutOff)
  const done = (): void => void socket.setTimeout(0).off('timeout', cutOff)
  for (const event of ['end', 'close']) raw.once(event, done)
}
