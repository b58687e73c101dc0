import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { fastify } from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import { registerArrivingBodies } from '../../src/http/limits/arriving-bodies.ts'
import { send } from '../support/http-raw.ts'
import { makeOwner } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

let owner: { readonly key: string }
let other: { readonly key: string }

const world = useWorld()
beforeAll(async () => {
  owner = await makeOwner(world.db)
  other = await makeOwner(world.db)
})

const mebibyte = 1024 * 1024
type Sent = { readonly path: string; readonly headers: Readonly<Record<string, string>> }

/** Requests whose bodies do not arrive completely. */
function begin(count: number, { path, headers }: Sent, part?: Buffer): readonly ClientRequest[] {
  const { hostname, port } = new URL(world.service.url)
  return Array.from({ length: count }, () => {
    const request = open({ hostname, port, method: 'POST', path, headers, agent: false })
    request.on('error', () => undefined)
    if (part) request.write(part)
    else request.flushHeaders()
    return request
  })
}

const chat = (key: string, more = {}): Sent => ({
  path: '/v1/chat/completions',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
})
const signIn = (more = {}): Sent => ({
  path: '/signin',
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    ...more,
  },
})

const statusOf = async (sent: Sent, bytes: number) =>
  (await send(world.service, { method: 'POST', ...sent, body: 'x'.repeat(bytes) })).status

async function expectLimit(requests: readonly ClientRequest[], sent: Sent): Promise<void> {
  try {
    await expect.poll(() => statusOf(sent, 20_000)).toBe(429)
    expect(await statusOf(sent, 10)).toBe(400)
  } finally {
    for (const request of requests) request.destroy()
  }
  await expect.poll(() => statusOf(sent, 20_000)).toBe(400)
}

test('the bodies of an account that are arriving have at most 128 MiB', async () => {
  const requests = begin(8, chat(owner.key, { 'content-length': `${16 * mebibyte}` }))
  const limited = expectLimit(requests, chat(owner.key))
  expect(await statusOf(chat(other.key), 20_000)).toBe(400)
  await limited
})

test('the forms of an address without an account that are arriving have at most 16 MiB', async () => {
  await expectLimit(begin(16, signIn({ 'content-length': `${mebibyte}` })), signIn())
})

test('bodies without a length count as they arrive', async () => {
  const part = Buffer.alloc(mebibyte - 100, 'x')
  await expectLimit(begin(17, signIn({ 'transfer-encoding': 'chunked' }), part), signIn())
})

test('a body that has arrived no longer counts', async () => {
  for (let n = 0; n < 20; n += 1) expect(await statusOf(signIn(), mebibyte - 100)).toBe(400)
})

test.each([{}, { 'transfer-encoding': 'chunked' }])(
  'a body that has arrived no longer counts while its request is answered: %j',
  async (headers: Record<string, string>) => {
    const app = fastify({ bodyLimit: 16 * mebibyte })
    registerArrivingBodies(app)
    const answer = Promise.withResolvers<void>()
    const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    app.post('/', () => {
      arrived.shift()?.resolve()
      return answer.promise
    })
    const service = { url: await app.listen({ host: '127.0.0.1', port: 0 }) }
    const sent = { method: 'POST', path: '/', headers: { 'content-type': 'text/plain', ...headers } }
    const [first] = arrived
    const replies = [send(service, { ...sent, body: 'x'.repeat(15 * mebibyte) })]
    await first?.promise
    replies.push(send(service, { ...sent, body: 'x'.repeat(15 * mebibyte) }))
    const [second] = arrived
    await Promise.race([second?.promise, replies[1]])
    answer.resolve()
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200])
    await app.close()
  },
)

/** The status of the reply to a request that is cut off after it. */
async function refusal(request: ClientRequest): Promise<number | undefined> {
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  const closed = once(request, 'close')
  request.destroy()
  await closed
  return reply.statusCode
}

test('a body without a length that is refused or cut off no longer counts, and stops nothing', async () => {
  const part = Buffer.alloc(2 * mebibyte, 'x')
  for (let sent = 0; sent < 24; sent += 1) {
    const [request] = begin(1, signIn({ 'transfer-encoding': 'chunked' }), part)
    expect(request && (await refusal(request))).toBe(413)
  }
  expect(await statusOf(signIn(), 20_000)).toBe(400)
})
