import { once } from 'node:events'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { type StreamOut, sendStream } from '../../src/http/connection/stream.ts'
import { registerErrorHandler } from '../../src/http/error-handler.ts'

test('a disconnect before the stream begins is not logged as a fault', async () => {
  let logged = ''
  const log = pino(
    new Writable({
      write(chunk, _, done) {
        logged += chunk
        done()
      },
    }),
  )
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  })
  registerErrorHandler(app)
  const asked = Promise.withResolvers<void>()
  const handled = Promise.withResolvers<void>()
  app.post('/stream', async (_, reply) => {
    const write = async (out: StreamOut) => {
      asked.resolve()
      await once(reply.raw, 'close')
      await out.add('too late')
    }
    reply.raw.once('close', () => setImmediate(handled.resolve))
    return sendStream(reply, 'text/event-stream', write)
  })
  app.get('/fault', async () => {
    throw new Error('a real fault')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  const head = 'POST /stream HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 2'
  client.write(`${head}\r\n\r\n{}`)
  await asked.promise
  client.destroy()
  await handled.promise
  // The log works: what is a fault stands in it.
  expect((await fetch(`http://127.0.0.1:${port}/fault`)).status).toBe(500)
  await app.close()
  expect(logged).toContain('a real fault')
  expect(logged).not.toContain('Premature close')
})
