import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterPendingReads } from '../../waiting/waiting.ts'

/** A client that keeps its connections open does not close one so soon after a complete reply. */
const earlyMs = 1_000

/** `over`: how it ended; true if the client closed the connection early. */
type LastReply = { readonly over: (early: boolean) => void; readonly timer: NodeJS.Timeout }

/** Per connection: the latest reply, until the client sends another request. */
const lastReplies = new WeakMap<Socket, LastReply>()
const watched = new WeakSet<Socket>()

/** Forgets the last reply of a connection at its next request: the client has then received that reply. */
export function registerEarlyEnd(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    settle(request.raw.socket, false)
    done()
  })
}

/** Whether the client announces that its connection ends with this reply. HTTP/1.1 clients without the header keep it. */
export function endsConnection({ headers, raw }: FastifyRequest): boolean {
  const said = headers.connection ?? ''
  return /\bclose\b/i.test(said) || (raw.httpVersion === '1.0' && !/\bkeep-alive\b/i.test(said))
}

/**
 * Calls `over` once: with true when the connection ends within a second of the reply and the client sends no other request
 * on it, although it announced that it would keep the connection. Such a client may have missed the end of the reply.
 */
export function onEarlyEnd(reply: FastifyReply, over: (early: boolean) => void): void {
  const { socket, headers } = reply.request.raw
  if (!/\bkeep-alive\b/i.test(headers.connection ?? '')) {
    over(false)
    return
  }
  lastReplies.set(socket, { over, timer: setTimeout(settleLater, earlyMs, socket).unref() })
  if (watched.has(socket)) return
  watched.add(socket)
  const look = () => settle(socket, true)
  socket.on('end', look).on('error', look).on('close', look)
}

async function settleLater(socket: Socket): Promise<void> {
  const last = lastReplies.get(socket)
  await afterPendingReads()
  if (lastReplies.get(socket) === last) settle(socket, false)
}

function settle(socket: Socket, early: boolean): void {
  const last = lastReplies.get(socket)
  if (!last) return
  clearTimeout(last.timer)
  lastReplies.delete(socket)
  last.over(early)
}
