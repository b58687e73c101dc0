import { connect, type Socket } from 'node:net'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { errorOf, type Reply } from '../../support/http-raw.ts'
import { bodyOf, call } from '../../support/world/requests.ts'
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

const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'
/** A request that makes a project, or reads them, with these headers and what follows them. */
const posting = (headers: readonly string[], rest = '') =>
  head(['POST /v1/projects HTTP/1.1', 'Host: a', authorised(), ...headers]) + rest
const getting = (headers: readonly string[], rest = '') =>
  head(['GET /v1/projects HTTP/1.1', 'Host: a', authorised(), ...headers]) + rest
const last = `0\r\n\r\n${hidden}`
const length = `Content-Length: ${body.length}`

test.each<[name: string, bytes: () => string]>([
  ['Content-Length beside Transfer-Encoding', () => posting([json, 'Content-Length: 5', chunked], last)],
  ['two Content-Lengths', () => posting([json, length, 'Content-Length: 0'], body + hidden)],
  ['two lengths in one Content-Length', () => posting([`${length}, 0`], body + hidden)],
  ['a Content-Length with a sign', () => posting(['Content-Length: +5'], hidden)],
  ['an unknown Transfer-Encoding', () => posting(['Transfer-Encoding: xchunked'], last)],
  ['chunked that is not the last encoding', () => posting([`${chunked}, identity`], last)],
  ['a header that goes on in the next line', () => getting(['Transfer-Encoding:', ' chunked'], last)],
  ['a blank before the colon', () => posting(['Content-Length : 5'], hidden)],
  ['lines that end in LF alone', () => `GET /v1/projects HTTP/1.1\nHost: a\n${authorised()}\n\n${hidden}`],
  ['a CR alone within a header', () => getting(['X: a\rb'])],
  ['a NUL within a header', () => getting(['X: a\0b'])],
  ['a line feed in an extension of a chunk', () => posting([json, chunked], `2;\nxx\r\n{}\r\n${last}`)],
  ['a chunk size beyond all numbers', () => posting([json, chunked], `${'F'.repeat(17)}\r\n{}\r\n${last}`)],
  ['no Host', () => head(['GET /v1/projects HTTP/1.1', authorised()])],
  ['another version', () => head(['GET /v1/projects HTTP/9.9', 'Host: a', authorised()])],
])('a request with %s is refused, and nothing after it is read', async (_, bytes) => {
  const projects = async () => (await bodyOf(call(service, key, 'GET', '/v1/projects'))).data.length
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
  const text = await talk(getting(['hOST: b', 'Connection: close']))
  expect(statuses(text)).toEqual([400])
  expect(errorOf(asReply(text) as Reply)).toMatchObject({ param: 'host', code: 'invalid_value' })
})

test('chunks with extensions and trailers are read as one body', async () => {
  const chunks = '6;a=b\r\n{"name\r\n6\r\n":"P"}\r\n0\r\nX-Trailer: 1\r\n\r\n'
  expect(statuses(await talk(posting([json, chunked, 'Connection: close'], chunks)))).toEqual([200])
})

test('headers and paths above 16 KiB get a 431 in the shape of all errors', async () => {
  const flood = Array.from({ length: 2_000 }, (_, n) => `X-${n}: ${'y'.repeat(20)}`)
  for (const request of [
    getting(flood),
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
  const bytes = 5 * 1024 * 1024
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1')
  })
  socket.write(posting([json, `Content-Length: ${bytes}`]))
  await expect.poll(() => statuses(text)).toEqual([413])
  socket.write(Buffer.alloc(bytes, 'x'))
  socket.write(head(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: close']))
  await expect.poll(() => statuses(text)).toEqual([413, 200])
})

test('an endless body is refused when it exceeds the limit', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write(posting([json, chunked]))
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
  expect(statuses(await talk(posting([json, 'Content-Length: 99999999'])))).toEqual([413])
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
  const { sockets, stop } = slowly(200, posting([json, 'Content-Length: 1000']))
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
