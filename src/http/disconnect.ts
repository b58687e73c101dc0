import type { FastifyReply } from 'fastify'

/**
 * A signal that is aborted when the client leaves before its reply is complete. The reply's `close` says so; the
 * request's `close` and `request.signal` fire as soon as a POST body has been read, and would stop healthy turns.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  return left.signal
}
