import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StreamOut, sendStream } from '../../src/http/connection/stream.ts'

const stallMs = 500
/** A machine with other work can keep a reader from reading for half a second. */
const patientMs = 2_000
const piece = 'x'.repeat(64 * 1024)

type Gate = PromiseWithResolvers<void>

/** What the service does for each reader, seen from inside. */
type Reading = { taken: number; closed: boolean; socket: Socket | undefined }

const app = Fastify()
const readings = new Map<string, Reading>()
let port = 0
const [hintsSeen, hintSeen, begunSeen, filled] = Array.from({ length: 4 }, () =>
  Promise.withResolvers<void>(),
) as [Gate, Gate, Gate, Gate]

beforeAll(async () => {
  type Query = { id: string; pieces: string; size: string; patient?: string }
  app.get<{ Querystring: Query }>('/stream', (incoming, reply) => {
    const reading: Reading = { taken: 0, closed: false, socket: reply.raw.socket ?? undefined }
    readings.set(incoming.query.id, reading)
    const text = piece.repeat(Number(incoming.query.size))
    const write = async (out: StreamOut) => {
      try {
        for (let n = 0; n < Number(incoming.query.pieces); n += 1) {
          reading.taken += text.length
          await out.add(text)
        }
      } finally {
        reading.closed = true
      }
    }
    return sendStream(reply, 'text/plain', write, { stallMs: incoming.query.patient ? patientMs : stallMs })
  })
  app.get('/broken', (_, reply) => {
    return sendStream(reply, 'text/plain', async (out) => {
      await out.add('begun')
      await begunSeen.promise
      throw new Error('broken')
    })
  })
  app.get('/silent', (_, reply) => {
    let fillers = 0
    const write = async (out: StreamOut) => {
      await out.add('one')
      await filled.promise
      await out.add('two')
    }
    const text = () => {
      fillers += 1
      if (fillers === 3) filled.resolve()
      return '.'
    }
    return sendStream(reply, 'text/plain', write, { filler: { everyMs: 60, text } })
  })
  app.get('/hints', (_, reply) => {
    const write = async (out: StreamOut) => {
      await out.add('a', true)
      await out.add('b')
      await hintsSeen.promise
      await out.add('c', true)
      await hintSeen.promise
    }
    return sendStream(reply, 'text/plain', write)
  })
  app.get('/slow', async () => {
    await delay(3 * stallMs)
    return { ok: true }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(async () => {
  app.server.closeAllConnections()
  await app.close()
})

/** Opens a stream and reads nothing of its body. */
async function open(id: string, pieces: number, size = 1, agent?: Agent): Promise<IncomingMessage> {
  const path = `/stream?id=${id}&pieces=${pieces}&size=${size}`
  const sent = request({ host: '127.0.0.1', port, path, agent: agent ?? false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}

const reading = (id: string): Reading => readings.get(id) ?? { taken: 0, closed: false, socket: undefined }

test('for a reader that stops nothing piles up, and it is cut off; the others are not', async () => {
  const stopped = Array.from({ length: 20 }, (_, i) => `stopped-${i}`)
  const responses = await Promise.all(stopped.map((id) => open(id, 100_000)))
  const healthy = await open('healthy', 200)
  let received = 0
  for await (const chunk of healthy) received += (chunk as Buffer).length
  expect(received).toBe(200 * piece.length)
  let most = 0
  await expect
    .poll(
      () => {
        for (const id of stopped) most = Math.max(most, reading(id).socket?.writableLength ?? 0)
        return stopped.every((id) => reading(id).closed && reading(id).socket?.destroyed)
      },
      { interval: 20 },
    )
    .toBe(true)
  // Beyond what the kernel took for it: the buffers of the stream, and a piece.
  expect(most).toBeLessThan(256 * 1024)
  for (const id of stopped) {
    const { taken, socket } = reading(id)
    expect(taken - (socket?.bytesWritten ?? 0)).toBeLessThan(256 * 1024)
  }
  for (const response of responses) response.destroy()
})

test('a reader that is slow is waited for, however long one piece takes it', async () => {
  const response = await open('slow&patient=yes', 1, 400)
  const began = performance.now()
  let received = 0
  for await (const chunk of response) {
    received += (chunk as Buffer).length
    await delay(10)
  }
  expect(received).toBe(400 * piece.length)
  expect(performance.now() - began).toBeGreaterThan(2 * patientMs)
})

test('a reader that stops when all has been handed over is cut off too', async () => {
  // More than the kernel takes, in one piece.
  const response = await open('handed-over', 1, 256)
  await expect.poll(() => reading('handed-over').closed).toBe(true)
  await expect.poll(() => reading('handed-over').socket?.destroyed).toBe(true)
  response.destroy()
})

test('a connection that carried a stream is not cut off in a later long request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const first = await open('reused', 3, 1, agent)
  const { socket } = first
  for await (const _ of first);
  const sent = request({ host: '127.0.0.1', port, path: '/slow', agent })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.socket).toBe(socket)
  expect(response.statusCode).toBe(200)
  agent.destroy()
})

test('who asks for the head of a stream gets it at once, and nothing is read for it', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/stream?id=head&pieces=100000&size=1`, {
    method: 'HEAD',
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain')
  expect(await response.text()).toBe('')
  expect(reading('head').taken).toBe(0)
})

test('a piece that may wait is sent with the next one, or alone when none follows', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/hints`)
  const reader = response.body?.getReader()
  const next = async () => new TextDecoder().decode((await reader?.read())?.value)
  expect(await next()).toBe('ab')
  hintsSeen.resolve()
  expect(await next()).toBe('c')
  hintSeen.resolve()
  expect((await reader?.read())?.done).toBe(true)
})

test('a writer that throws breaks its reply off, after what it has said', async () => {
  const said: string[] = []
  const response = await fetch(`http://127.0.0.1:${port}/broken`)
  await expect(
    (async () => {
      for await (const part of response.body ?? []) {
        said.push(Buffer.from(part).toString())
        begunSeen.resolve()
      }
    })(),
  ).rejects.toThrow()
  expect(said.join('')).toBe('begun')
})

test('a silent stream is filled, and what it says sets the clock back', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/silent`)
  expect(await response.text()).toMatch(/^one\.{3,}two\.*$/)
})
