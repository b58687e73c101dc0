import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterPendingReads } from '../../waiting/waiting.ts'

/** A client that keeps its connections open does not close one so soon after a complete reply. */
const earlyMs = 1_000

type LastReply = { readonly early: () => void; readonly over: NodeJS.Timeout }

/** Per connection: the latest reply, until the client sends another request. */
const lastReplies = new WeakMap<Socket, LastReply>()
const watched = new WeakSet<Socket>()

/** Forgets the last reply of a connection at its next request: the client has then received that reply. */
export function registerEarlyEnd(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    forget(request.raw.socket)
    done()
  })
}

/**
 * Whether the client announces that it closes the connection after this reply. HTTP/1.1 clients without the
 * header keep it open.
 */
export function endsConnection({ headers, raw }: FastifyRequest): boolean {
  const said = headers.connection ?? ''
  return /\bclose\b/i.test(said) || (raw.httpVersion === '1.0' && !/\bkeep-alive\b/i.test(said))
}

/** Whether the client announces `Connection: keep-alive`, as the pools of most client libraries do. */
export function keepsConnection({ headers }: FastifyRequest): boolean {
  return /\bkeep-alive\b/i.test(headers.connection ?? '')
}

/**
 * Calls `early` when the client closes or resets the connection within a second and sends no other request on
 * it. Such a client may have missed the end of the reply.
 */
export function onEarlyEnd(reply: FastifyReply, early: () => void): void {
  const { socket } = reply.request.raw
  lastReplies.set(socket, { early, over: setTimeout(forgetLater, earlyMs, socket).unref() })
  if (watched.has(socket)) return
  watched.add(socket)
  const look = () => {
    const last = lastReplies.get(socket)
    forget(socket)
    last?.early()
  }
  socket.on('end', look).on('error', look)
}

async function forgetLater(socket: Socket): Promise<void> {
  const last = lastReplies.get(socket)
  await afterPendingReads()
  if (lastReplies.get(socket) === last) forget(socket)
}

function forget(socket: Socket): void {
  clearTimeout(lastReplies.get(socket)?.over)
  lastReplies.delete(socket)
}
