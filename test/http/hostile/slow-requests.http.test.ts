import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { form } from '../../support/http-raw.ts'
import { reply as says } from '../../support/scripted-upstream.ts'
import { question } from '../../support/world/requests.ts'
import { useWorld, type World } from '../../support/world/world.ts'

/** All of a request in a second; of an upload fifty bytes in each second. */
const timeouts = { wholeMs: 1_000, uploadWindowMs: 1_000, uploadBytes: 50 }

let { db, service, upstream, key } = {} as World

const world = useWorld({ receiveTimeouts: timeouts })
beforeAll(async () => {
  ;({ db, service, upstream, key } = world)
})

function begin(path: string, headers: Readonly<Record<string, string>>): ClientRequest {
  const { hostname, port } = new URL(service.url)
  const request = open({
    ...{ hostname, port, method: 'POST', path, agent: false },
    headers: { ...headers, 'transfer-encoding': 'chunked', authorization: `Bearer ${key}` },
  })
  request.flushHeaders()
  return request
}

const outcome = (request: ClientRequest): Promise<number | 'cut off'> =>
  once(request, 'response').then(
    ([response]: IncomingMessage[]) => response?.statusCode ?? 0,
    () => 'cut off' as const,
  )

const { headers, body } = form([{ name: 'file', filename: 'a.txt', content: 'slowly but steadily' }])

test('an upload may take as long as it needs while it goes on', async () => {
  const request = begin('/v1/files', headers)
  const status = outcome(request)
  const step = Math.ceil(body.length / 8)
  for (let at = 0; at < body.length; at += step) {
    request.write(body.subarray(at, at + step))
    await wait(timeouts.wholeMs / 4)
  }
  request.end()
  expect(await status).toBe(200)
})

test('an upload that stands still is cut off and leaves nothing', async () => {
  const request = begin('/v1/files', headers)
  const status = outcome(request)
  request.write(body.subarray(0, body.length - 20))
  expect(await status).toBe('cut off')
  const rows = () => db.database.system.execute(`select 1 from file_versions where state = 'uploading'`)
  await expect.poll(async () => (await rows()).rows).toEqual([])
})

test('any other request has to be there in time, however steadily it drips', async () => {
  const request = begin('/v1/chat/completions', { 'content-type': 'application/json' })
  const status = outcome(request)
  const dripping = setInterval(() => request.write(' '), timeouts.wholeMs / 8)
  expect(await status).toBe('cut off')
  clearInterval(dripping)
})

test('a reply may take longer than its request', async () => {
  upstream.enqueue(says('It takes its time, and comes whole.', { chunks: 8, delayMs: timeouts.wholeMs / 4 }))
  const request = begin('/v1/chat/completions', { 'content-type': 'application/json' })
  const replied = once(request, 'response') as Promise<IncomingMessage[]>
  request.end(JSON.stringify(question('What is joy?')))
  const [response] = await replied
  if (!response) throw new Error('no response')
  expect(await text(response)).toContain('comes whole.')
})

test('an upload that drips is cut off and leaves nothing', async () => {
  const request = begin('/v1/files', headers)
  const status = outcome(request)
  let at = 0
  // Pauses are short, but what comes is less than the least rate.
  const dripping = setInterval(() => request.write(body.subarray(at, ++at)), timeouts.uploadWindowMs / 4)
  expect(await status).toBe('cut off')
  clearInterval(dripping)
  const rows = () => db.database.system.execute(`select 1 from file_versions where state = 'uploading'`)
  await expect.poll(async () => (await rows()).rows).toEqual([])
})
