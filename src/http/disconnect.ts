import type { FastifyReply } from 'fastify'

/**
 * A signal that is aborted when the client leaves before its reply is complete. The reply's `close` says so; the
 * request's `close` and `request.signal` fire as soon as a POST body has been read, and would stop healthy turns.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  const look = () => {
    if (!reply.raw.writableFinished) left.abort()
  }
  // It may have left while its key was looked up: the event does not come again.
  if (reply.raw.destroyed) look()
  else {
    // What a client has ended, Node closes some turns of the event loop later.
    const { socket } = reply.raw
    socket?.once('end', look)
    reply.raw.once('close', () => {
      socket?.off('end', look)
      look()
    })
  }
  return left.signal
}
