import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openMcpServers } from '../../src/mcp-servers/mcp-servers.ts'
import type { ServerEntry } from '../../src/mcp-servers/servers-file.ts'
import { outsideEntry } from '../support/outside-server.ts'

type Request = {
  readonly id?: number
  readonly method: string
  readonly params: { readonly cursor?: string }
}
type Answer = { readonly status?: number; readonly result?: unknown; readonly error?: object }

const weather = { name: 'weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }
const sunny = { result: { content: [{ type: 'text', text: 'It is sunny.' }] } }

/** A server that speaks JSON-RPC of its own making; it counts the sessions that were begun. */
async function oddServer(answer: (request: Request, sessions: number) => Answer) {
  const seen: Request[] = []
  let sessions = 0
  const server = createServer(async (incoming: IncomingMessage, response) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    if (incoming.method !== 'POST') return void response.writeHead(405).end()
    const request = JSON.parse(text) as Request
    seen.push(request)
    if (request.id === undefined) return void response.writeHead(202).end()
    if (request.method === 'initialize') sessions += 1
    const initialized = {
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
    }
    const unknown = { error: { code: -32_601, message: 'Method not found' } }
    const known = /^(?:initialize|tools\/)/.test(request.method)
    const { status = 200, ...rest }: Answer =
      request.method === 'initialize' ? initialized : known ? answer(request, sessions) : unknown
    response.writeHead(status, {
      'content-type': 'application/json',
      'mcp-session-id': `session-${sessions}`,
    })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...rest }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    sessions: () => sessions,
  }
}

async function toolsOf(entry: ServerEntry) {
  const servers = await openMcpServers([entry], {
    log: pino({ level: 'silent' }),
    limits: { pauseMs: 0, checkMs: 60_000 },
  })
  onTestFinished(() => servers.close())
  return servers.forTurn(async () => 'basic')
}

const callWeather = async (tools: Awaited<ReturnType<typeof toolsOf>>, city = 'Lubavitch') =>
  String((await tools.get('sky__weather')?.execute({ city }, new AbortController().signal))?.content)

test.each([
  ['a cursor that is null', { tools: [weather], nextCursor: null }],
  ['a cursor that is empty', { tools: [weather], nextCursor: '' }],
  ['a cursor that is a number', { tools: [weather], nextCursor: 7 }],
  ['tools that are null or a text', { tools: [null, 'weather', weather] }],
  ['a tool without a name', { tools: [{ inputSchema: { type: 'object' } }, weather] }],
  ['a description that is null', { tools: [{ ...weather, description: null }] }],
  [
    'members that are null',
    { tools: [{ ...weather, title: null, annotations: null, outputSchema: null, _meta: null }] },
  ],
  ['no schema', { tools: [{ name: 'weather' }] }],
  ['a schema that is null', { tools: [{ name: 'weather', inputSchema: null }] }],
  ['a schema without a type', { tools: [{ name: 'weather', inputSchema: { properties: {} } }] }],
])('a list with %s is read once, and its tool is called', async (_, result) => {
  const { url, seen } = await oddServer(({ method }) => (method === 'tools/list' ? { result } : sunny))
  const tools = await toolsOf(outsideEntry(url))
  expect(tools.specs.map(({ name }) => name)).toEqual(['sky__weather'])
  expect(tools.specs[0]?.parameters).toMatchObject({ type: 'object' })
  expect(await callWeather(tools)).toContain('It is sunny.')
  expect(seen.filter(({ method }) => method === 'tools/list')).toHaveLength(1)
})

test('a list whose cursor comes again ends there', async () => {
  const { url, seen } = await oddServer(({ method }) =>
    method === 'tools/list' ? { result: { tools: [weather], nextCursor: 'again' } } : sunny,
  )
  expect((await toolsOf(outsideEntry(url))).specs).toHaveLength(1)
  expect(seen.filter(({ method }) => method === 'tools/list')).toHaveLength(2)
})

test.each([
  ['401', { status: 401, error: { code: -32_001, message: 'expired' } }],
  ['403', { status: 403, error: { code: -32_001, message: 'forbidden' } }],
  ['500', { status: 500, error: { code: -32_603, message: 'broken' } }],
  ['503', { status: 503, error: { code: -32_000, message: 'restarting' } }],
  ['200 and an error of the server', { error: { code: -32_001, message: 'Session not found' } }],
  ['200 and an invalid request', { error: { code: -32_600, message: 'Not initialized' } }],
])('a session that ends with %s is followed by a new one at the next call', async (_, failure) => {
  const { url, sessions } = await oddServer(({ method }, session) => {
    if (method === 'tools/list') return { result: { tools: [weather] } }
    return session === 1 ? failure : sunny
  })
  const tools = await toolsOf(outsideEntry(url))
  expect(await callWeather(tools)).not.toContain('It is sunny.')
  expect(await callWeather(tools)).toContain('It is sunny.')
  expect(sessions()).toBe(2)
})

test.each([400, 404, 410])(
  'a session that is refused with %i is followed by a new one within the call',
  async (status) => {
    const { url, sessions } = await oddServer(({ method }, session) => {
      if (method === 'tools/list') return { result: { tools: [weather] } }
      return session === 1 ? { status, error: { code: -32_001, message: 'gone' } } : sunny
    })
    expect(await callWeather(await toolsOf(outsideEntry(url)))).toContain('It is sunny.')
    expect(sessions()).toBe(2)
  },
)

test('an error of the tool keeps the session', async () => {
  const { url, sessions } = await oddServer(({ method }) =>
    method === 'tools/list'
      ? { result: { tools: [weather] } }
      : { error: { code: -32_602, message: 'city: unknown' } },
  )
  const tools = await toolsOf(outsideEntry(url))
  expect(await callWeather(tools)).toContain('city: unknown')
  await callWeather(tools)
  expect(sessions()).toBe(1)
})

test('a server that is a program gets its arguments and variables and nothing else, and starts again after its end', async () => {
  vi.stubEnv('MODEL_API_KEY', 'secret-of-the-service')
  onTestFinished(() => void vi.unstubAllEnvs())
  const program = fileURLToPath(new URL('../support/outside-process.ts', import.meta.url))
  const entry = outsideEntry('')
  const at = {
    kind: 'process',
    command: process.execPath,
    args: [program, 'warm'],
    env: { SKY: 'blue' },
  } as const
  const tools = await toolsOf({ ...entry, at })
  expect(await callWeather(tools)).toContain('Lubavitch: blue, warm, undefined')
  expect(await callWeather(tools, 'nowhere')).toContain('cannot be reached')
  expect(await callWeather(tools)).toContain('Lubavitch: blue, warm, undefined')
})
