import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A client that has read its reply and keeps its connection does not end it so soon. */
const earlyMs = 1_000

type LastReply = { readonly early: () => void; readonly over: NodeJS.Timeout }

/** Of each connection the reply after which nothing has come from its client yet. */
const lastReplies = new WeakMap<Socket, LastReply>()
const watched = new WeakSet<Socket>()

/** Whoever sends another request on a connection has the reply to the one before. */
export function registerEarlyEnd(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    forget(request.raw.socket)
    done()
  })
}

/** Whether the client says that it ends its connection with this reply. Most clients that say nothing keep it. */
export function endsConnection({ headers, raw }: FastifyRequest): boolean {
  const said = headers.connection ?? ''
  return /\bclose\b/i.test(said) || (raw.httpVersion === '1.0' && !/\bkeep-alive\b/i.test(said))
}

/** Whether the client says that it keeps its connection for further requests, as the pools of most client libraries do. */
export function keepsConnection({ headers }: FastifyRequest): boolean {
  return /\bkeep-alive\b/i.test(headers.connection ?? '')
}

/**
 * Calls `early` when the client ends or resets the connection within a second, before it has sent another request on it: it may
 * not have got all of the reply, whose last byte has just been handed to the network.
 */
export function onEarlyEnd(reply: FastifyReply, early: () => void): void {
  const { socket } = reply.request.raw
  lastReplies.set(socket, { early, over: setTimeout(() => forgetLater(socket), earlyMs).unref() })
  if (watched.has(socket)) return
  watched.add(socket)
  const look = () => {
    const last = lastReplies.get(socket)
    forget(socket)
    last?.early()
  }
  socket.on('end', look).on('error', look)
}

/** A process that was frozen meanwhile finds the end of the connection only now, in the next turns of its event loop. */
function forgetLater(socket: Socket): void {
  const last = lastReplies.get(socket)
  setImmediate(() =>
    setImmediate(() => {
      if (lastReplies.get(socket) === last) forget(socket)
    }),
  )
}

function forget(socket: Socket): void {
  clearTimeout(lastReplies.get(socket)?.over)
  lastReplies.delete(socket)
}
