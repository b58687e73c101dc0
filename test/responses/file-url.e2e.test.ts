import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../support/responses.ts'
import { reply } from '../support/upstream-scripts.ts'
import { openWorld, type World } from '../support/world/world.ts'

let files: Server
let host: string
let world: World
let openai: OpenAI
const asked: string[] = []

const sentence = 'Whoever counts his deeds on the road arrives late.'

beforeAll(async () => {
  files = createServer(({ url = '' }, answer) => {
    asked.push(url)
    if (url.startsWith('/moved')) answer.writeHead(302, { location: '/road.txt' }).end()
    else if (url.startsWith('/gone')) answer.writeHead(404).end()
    else if (url.startsWith('/large')) answer.writeHead(200).end(Buffer.alloc(13 * 1024 * 1024))
    else answer.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(sentence)
  })
  await new Promise<void>((listening) => files.listen(0, '127.0.0.1', listening))
  host = `127.0.0.1:${(files.address() as AddressInfo).port}`
  world = await openWorld({ fileUrlHosts: [host] })
  openai = clientOf(world)
})
afterAll(async () => {
  await world.close()
  files.close()
})

const ask = (file_url: string) =>
  openai.responses.create({
    model: 'service',
    input: [{ role: 'user', content: [{ type: 'input_file', file_url }] }],
  })
const told = () => world.upstream.requests.at(-1)?.body.messages ?? []

test('a file of an allowed host is read like an attached one, with the name of its address', async () => {
  world.upstream.enqueue(reply('Read.'))
  await ask(`http://${host}/a%20road.txt?token=1`)
  expect(told().at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(sentence) })
  expect(JSON.stringify(told())).toContain('a road.txt')
})

test('a file in the output of a function is fetched too', async () => {
  world.upstream.enqueue(reply('Read.'))
  const output = [
    { type: 'input_file' as const, file_url: `http://${host}/output.txt`, filename: 'mine.txt' },
  ]
  await openai.responses.create({
    model: 'service',
    input: [
      { role: 'user', content: 'Fetch it' },
      { type: 'function_call', call_id: 'c1', name: 'fetch', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output },
    ],
  })
  expect(told().at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(sentence) })
})

test.each([
  ['another host', () => 'http://example.org/road.txt', /only from hosts/],
  ['another port of the host', () => 'http://127.0.0.1:1/road.txt', /only from hosts/],
  ['a host in the name of the user', () => `http://${host}@example.org/`, /only from hosts/],
  ['a user at the host', () => `http://me:secret@${host}/road.txt`, /only from hosts/],
  ['another protocol', () => `file://${host}/etc/passwd`, /only from hosts/],
  ['no address', () => 'road.txt', /only from hosts/],
])('%s is refused by its place and never asked', async (_, address, says) => {
  const before = asked.length
  const refused = ask(address())
  await expect(refused).rejects.toMatchObject({ status: 400, param: 'input[0].content[0]' })
  await expect(refused).rejects.toThrow(says)
  expect(asked).toHaveLength(before)
})

test.each([
  ['a redirect', '/moved', /Redirects are not followed/],
  ['a status of failure', '/gone', /status 404/],
  ['a file that is too large', '/large', /bytes together/],
])('%s is refused by its place', async (_, path, says) => {
  const refused = ask(`http://${host}${path}`)
  await expect(refused).rejects.toMatchObject({ status: 400, param: 'input[0].content[0]' })
  await expect(refused).rejects.toThrow(says)
})
