import type { FastifyReply } from 'fastify'

/**
 * A signal that is aborted when the client leaves before its reply is complete. The reply's `close` says so; the
 * request's `close` and `request.signal` fire as soon as a POST body has been read, and would stop healthy turns. Of a
 * connection that its client has ended or reset Node says so some turns of the event loop later than its socket.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  const { raw: response } = reply
  // Of the request: a reply that has to wait for one before it on the same connection has none yet.
  const { socket } = reply.request.raw
  const look = () => {
    if (!response.writableFinished) left.abort()
  }
  // It may have left while its key was looked up: the event does not come again.
  if (response.destroyed || socket.destroyed || socket.readableEnded) {
    look()
    return left.signal
  }
  socket.on('end', look).on('error', look)
  response.on('close', () => {
    socket.off('end', look).off('error', look)
    look()
  })
  return left.signal
}
