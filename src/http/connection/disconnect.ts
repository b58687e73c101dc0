import type { FastifyReply } from 'fastify'

/**
 * A signal that aborts when the client disconnects before its reply is complete. It listens to the reply's
 * `close`, because the request's `close` and `request.signal` fire as soon as a POST body has been read.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  const { raw: response } = reply
  // The request's socket: a reply that waits behind another reply on its connection has no socket yet.
  const { socket } = reply.request.raw
  const look = () => {
    if (!response.writableFinished) left.abort()
  }
  // The client can disconnect during the look-up of its key; the event does not come a second time.
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
