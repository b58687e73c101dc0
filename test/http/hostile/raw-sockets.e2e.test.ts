import { connect, type Socket } from 'node:net'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { errorOf, type Reply } from '../../support/http-raw.ts'
import { call } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { makeOwner } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

/** All of a request in a second, an upload with pauses of at most as much. */
const timeouts = { wholeMs: 1_000, uploadWindowMs: 1_000, uploadBytes: 50 }

let service: TestService
let key: string

const world = useWorld(unhurried)
beforeAll(async () => {
  service = await world.start({ receiveTimeouts: timeouts })
  key = (await makeOwner(world.db)).key
})

/** What comes back over one connection until it is closed; a busy machine may be silent for long. */
function talk(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const parts: Buffer[] = []
  const text = () => Buffer.concat(parts).toString('latin1')
  return new Promise((resolve) => {
    const done = () => {
      socket.destroy()
      resolve(text())
    }
    socket.setTimeout(120_000, done)
    socket.on('data', (part) => parts.push(part))
    socket.on('error', () => undefined).on('close', done)
    socket.write(bytes)
  })
}

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

function asReply(text: string): Pick<Reply, 'text'> {
  return { text: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

const head = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const authorised = () => `Authorization: Bearer ${key}`
const body = '{"name":"P"}'
/** A second request that a smuggler hides in the body of the first. */
const hidden = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'

const probes: readonly { name: string; bytes: () => string }[] = [
  {
    name: 'Content-Length beside Transfer-Encoding',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json', 'Content-Length: 5', 'Transfer-Encoding: chunked'])}0\r\n\r\n${hidden}`,
  },
  {
    name: 'two Content-Lengths',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Content-Length: 0'])}${body}${hidden}`,
  },
  {
    name: 'two lengths in one Content-Length',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), `Content-Length: ${body.length}, 0`])}${body}${hidden}`,
  },
  {
    name: 'a Content-Length with a sign',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Length: +5'])}${hidden}`,
  },
  {
    name: 'an unknown Transfer-Encoding',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Transfer-Encoding: xchunked'])}0\r\n\r\n${hidden}`,
  },
  {
    name: 'chunked that is not the last encoding',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Transfer-Encoding: chunked, identity'])}0\r\n\r\n${hidden}`,
  },
  {
    name: 'a header that goes on in the next line',
    bytes: () =>
      `${head(['GET /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Transfer-Encoding:', ' chunked'])}0\r\n\r\n${hidden}`,
  },
  {
    name: 'a blank before the colon',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Length : 5'])}${hidden}`,
  },
  {
    name: 'lines that end in LF alone',
    bytes: () => `GET /v1/projects HTTP/1.1\nHost: a\n${authorised()}\n\n${hidden}`,
  },
  {
    name: 'a CR alone within a header',
    bytes: () => head(['GET /v1/projects HTTP/1.1', 'Host: a', `X: a\rb`, authorised()]),
  },
  {
    name: 'a NUL within a header',
    bytes: () => head(['GET /v1/projects HTTP/1.1', 'Host: a', 'X: a\0b', authorised()]),
  },
  {
    name: 'a line feed in an extension of a chunk',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'])}2;\nxx\r\n{}\r\n0\r\n\r\n${hidden}`,
  },
  {
    name: 'a chunk size beyond all numbers',
    bytes: () =>
      `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'])}FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n${hidden}`,
  },
  { name: 'no Host', bytes: () => head(['GET /v1/projects HTTP/1.1', authorised()]) },
  { name: 'another version', bytes: () => head(['GET /v1/projects HTTP/9.9', 'Host: a', authorised()]) },
]

test.each(probes)('a request with $name is refused, and nothing after it is read', async ({ bytes }) => {
  const projects = async () =>
    ((await (await call(service, key, 'GET', '/v1/projects')).json()) as { data: unknown[] }).data.length
  const before = await projects()
  const text = await talk(bytes())
  expect(statuses(text)).toEqual([400])
  expect(text).toMatch(/^connection: close\r$/im)
  expect(await projects()).toBe(before)
})

test('a request without a Host is refused in the one shape of all errors', async () => {
  const text = await talk(head(['GET /v1/models HTTP/1.1', authorised()]))
  expect(errorOf(asReply(text) as Reply)).toMatchObject({ code: 'invalid_value', param: 'host' })
  expect(statuses(await talk(head(['GET /healthz HTTP/1.0'])))).toEqual([200])
})

test('a request that no parser can read is refused in the one shape of all errors', async () => {
  const text = await talk('GET / HTTP/1.1\r\nHost : a\r\n\r\n')
  expect(statuses(text)).toEqual([400])
  expect(text).toMatch(/^x-request-id: req_\w+\r$/m)
  expect(JSON.parse(asReply(text).text)).toEqual({
    error: {
      message: expect.stringContaining('no valid HTTP'),
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_value',
    },
  })
})

test('several Host headers are refused, whatever case they are written in', async () => {
  const twice = head(['GET /v1/projects HTTP/1.1', 'Host: a', 'hOST: b', authorised(), 'Connection: close'])
  const text = await talk(twice)
  expect(statuses(text)).toEqual([400])
  expect(errorOf(asReply(text) as Reply)).toMatchObject({ param: 'host', code: 'invalid_value' })
})

test('chunks with extensions and trailers are read as one body', async () => {
  const request = `${head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close'])}6;a=b\r\n{"name\r\n6\r\n":"P"}\r\n0\r\nX-Trailer: 1\r\n\r\n`
  expect(statuses(await talk(request))).toEqual([200])
})

test('headers and paths above 16 KiB get a 431 in the shape of all errors', async () => {
  const flood = Array.from({ length: 2_000 }, (_, n) => `X-${n}: ${'y'.repeat(20)}`)
  for (const request of [
    head(['GET /v1/projects HTTP/1.1', 'Host: a', authorised(), ...flood]),
    head([`GET /v1/projects?${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a', authorised()]),
  ]) {
    const text = await talk(request)
    expect(statuses(text)).toEqual([431])
    expect(errorOf(asReply(text) as Reply)).toMatchObject({
      type: 'request_error',
      code: 'headers_too_large',
    })
  }
})

test('a client that still sends a body that was refused can send it whole, and its connection stays', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const length = 5 * 1024 * 1024
  const lines = ['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), 'Content-Type: application/json']
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1')
  })
  socket.write(head([...lines, `Content-Length: ${length}`]))
  await expect.poll(() => statuses(text)).toEqual([413])
  socket.write(Buffer.alloc(length, 'x'))
  socket.write(head(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: close']))
  await expect.poll(() => statuses(text)).toEqual([413, 200])
})

test('an endless body is refused when it exceeds the limit', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const lines = [
    'POST /v1/projects HTTP/1.1',
    'Host: a',
    authorised(),
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ]
  socket.write(head(lines))
  let replied = ''
  socket.on('data', (part) => {
    replied += part
  })
  const gone = new Promise<void>((resolve) =>
    socket.on('error', () => undefined).once('close', () => resolve()),
  )
  const block = `10000\r\n${' '.repeat(65_536)}\r\n`
  const most = 512
  let sent = 0
  while (sent < most && !socket.destroyed && !replied.includes('413')) {
    sent += 1
    if (!socket.write(block))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone])
  }
  socket.end()
  await gone
  expect(sent).toBeLessThan(most)
  expect(statuses(replied)).toEqual([413])
})

test('a body announced as too large is refused before it is sent', async () => {
  const text = await talk(
    head([
      'POST /v1/projects HTTP/1.1',
      'Host: a',
      authorised(),
      'Content-Type: application/json',
      'Content-Length: 99999999',
    ]),
  )
  expect(statuses(text)).toEqual([413])
})

/** Connections that send a letter of their headers or their body every so often. */
function slowly(count: number, opening: string): { readonly sockets: readonly Socket[]; stop(): void } {
  const { hostname, port } = new URL(service.url)
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).resume()
    socket.write(opening)
    return socket
  })
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a')
  }, 100)
  return { sockets, stop: () => clearInterval(drip) }
}

test('two hundred slow bodies are cut off, and other requests are answered', async () => {
  const lines = [
    'POST /v1/projects HTTP/1.1',
    'Host: a',
    authorised(),
    'Content-Type: application/json',
    'Content-Length: 1000',
  ]
  const { sockets, stop } = slowly(200, head(lines))
  const others = await Promise.all(Array.from({ length: 20 }, () => call(service, key, 'GET', '/v1/models')))
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
  await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBe(0)
  stop()
})

test('two hundred slow headers are cut off, and other requests are answered', async () => {
  // As in service, but without its minute of patience.
  const { server } = service.app
  Object.assign(server, { headersTimeout: 1_000, connectionsCheckingInterval: 200 })
  // Node reads the interval when the server begins to listen.
  server.emit('listening')
  const { sockets, stop } = slowly(200, 'GET /v1/models HTTP/1.1\r\nHost: a\r\nX-Slow: ')
  const others = await Promise.all(Array.from({ length: 20 }, () => call(service, key, 'GET', '/v1/models')))
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
  await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBe(0)
  stop()
})

test('nothing that was sent above has left a connection open', async () => {
  const open = () => new Promise((resolve) => service.app.server.getConnections((_, count) => resolve(count)))
  service.app.server.closeIdleConnections()
  await expect.poll(open).toBe(0)
})
