import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { OutsideServer } from '../../src/mcp-servers/outside-server.ts'
import { outsideEntry } from '../support/outside-server.ts'

/** A server that speaks JSON-RPC as `answer` says, whatever the protocol demands. */
type Odd = { readonly url: string; readonly methods: string[] }
type Answer = (message: { method: string }, n: number) => object | number

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function startOdd(answer: Answer): Promise<Odd> {
  const methods: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(Buffer.concat(chunks).toString())
    if (message.id === undefined) return void response.writeHead(202).end()
    methods.push(message.method)
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    }
    const unknown = { error: { code: -32_601, message: 'Method not found' } }
    const count = methods.filter((method) => method === message.method).length
    const own = message.method === 'initialize' ? { result: initialize } : answer(message, count)
    if (typeof own === 'number') return void response.writeHead(own).end()
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${count}` })
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(Object.keys(own).length ? own : unknown) }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, methods }
}

const tool = { name: 'date', description: 'Today', inputSchema: { type: 'object', properties: {} } }
const open = (url: string) => {
  const limits = { pauseMs: 1, listMs: 60_000, failures: 3, concurrentCalls: 4 }
  const server = new OutsideServer(outsideEntry(url, { tools: '*' }), limits, pino({ level: 'silent' }))
  closing.push(() => server.close())
  return server
}
const listed =
  (page: object): Answer =>
  ({ method }) =>
    method === 'tools/list' ? { result: page } : {}

test.each([
  ['a cursor that is null', { tools: [tool], nextCursor: null }, ['sky__date'], 1],
  ['an empty cursor', { tools: [tool], nextCursor: '' }, ['sky__date'], 1],
  ['a cursor that never advances', { tools: [tool], nextCursor: 'page-1' }, ['sky__date'], 2],
  ['a description that is null', { tools: [{ ...tool, description: null }] }, ['sky__date'], 1],
  [
    'a tool without a schema',
    { tools: [{ name: 'date' }, { ...tool, inputSchema: null, name: 'b' }] },
    ['sky__date', 'sky__b'],
    1,
  ],
  ['members that are no tools', { tools: [null, 'x', { name: 3 }, tool] }, ['sky__date'], 1],
  ['null for the list', { tools: null }, [], 1],
])('a list with %s gives the tools that can be read', async (_, page, names, requests) => {
  const odd = await startOdd(listed(page))
  const server = open(odd.url)
  await server.refresh(AbortSignal.timeout(10_000))
  expect(server.tools.map(({ spec }) => spec.name)).toEqual(names)
  expect(odd.methods.filter((method) => method === 'tools/list')).toHaveLength(requests)
})

test.each([401, 403, 404, 410])(
  'a call that a lost session refuses with %i is sent over a new connection',
  async (status) => {
    const odd = await startOdd(({ method }, n) => {
      if (method === 'tools/list') return { result: { tools: [tool] } }
      if (method !== 'tools/call') return {}
      return n === 1 ? status : { result: { content: [{ type: 'text', text: '8 Kislev' }] } }
    })
    const server = open(odd.url)
    await server.refresh(AbortSignal.timeout(10_000))
    const outcome = await server.tools[0]?.execute({}, AbortSignal.timeout(10_000))
    expect(outcome?.content).toContain('8 Kislev')
    expect(odd.methods.filter((method) => method === 'initialize')).toHaveLength(2)
  },
)

test('after a 5xx the call fails, and the next one opens a new connection', async () => {
  const odd = await startOdd(({ method }, n) => {
    if (method === 'tools/list') return { result: { tools: [tool] } }
    if (method !== 'tools/call') return {}
    return n === 1 ? 503 : { result: { content: [{ type: 'text', text: '8 Kislev' }] } }
  })
  const server = open(odd.url)
  await server.refresh(AbortSignal.timeout(10_000))
  const ask = () => server.tools[0]?.execute({}, AbortSignal.timeout(10_000))
  expect(await ask()).toMatchObject({ isError: true })
  expect((await ask())?.content).toContain('8 Kislev')
  expect(odd.methods.filter((method) => method === 'tools/call')).toHaveLength(2)
  expect(odd.methods.filter((method) => method === 'initialize')).toHaveLength(2)
})
