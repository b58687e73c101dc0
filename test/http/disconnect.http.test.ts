import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { disconnectSignal } from '../../src/http/connection/disconnect.ts'

let app: FastifyInstance
afterEach(() => app.close())

/** A server whose hook waits for `before`; what its handler sees of the client, told when it sees it. */
async function openServer(before: (socket: NodeJS.EventEmitter) => Promise<unknown>) {
  app = fastify()
  const entered = Promise.withResolvers<void>()
  const seen = Promise.withResolvers<AbortSignal>()
  app.addHook('preValidation', async (request) => {
    entered.resolve()
    await before(request.raw.socket)
  })
  app.post('/', async (_, reply) => {
    seen.resolve(disconnectSignal(reply))
    return 'a reply'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write(
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
  )
  await entered.promise
  return { client, seen: seen.promise }
}

test.each(['cut', 'reset'] as const)(
  'a connection that was %s before admission counts as a disconnect',
  async (how) => {
    const { client, seen } = await openServer(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    )
    if (how === 'cut') client.destroy()
    else client.resetAndDestroy()
    expect((await seen).aborted).toBe(true)
  },
)

test.each([
  ['ended', 'end'],
  ['reset', 'error'],
] as const)(
  'a client that has %s its connection before admission counts as disconnected',
  async (how, event) => {
    // In the very turn of the event loop in which that is read: the reply is not closed yet.
    const { client, seen } = await openServer(
      (socket) => new Promise((resolve) => socket.prependOnceListener(event, resolve)),
    )
    if (how === 'ended') client.end()
    else client.resetAndDestroy()
    expect((await seen).aborted).toBe(true)
  },
)

test('a client that got its whole reply has not left', async () => {
  const { client, seen } = await openServer(async () => undefined)
  const signal = await seen
  await once(client, 'data')
  const closed = once(client, 'close')
  client.end()
  await closed
  await app.close()
  expect(signal.aborted).toBe(false)
})
