import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { count, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { ledger, runs } from '../../src/db/schema/index.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { rows, times } from '../support/full.ts'
import { gate } from '../support/scripted-upstream.ts'
import { call } from '../support/world/requests.ts'
import { makeKeyWithId, makeOwner } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ library: 'concepts', script: [{ text: 'Humility is the root of joy.' }] })

/** The protocol revisions, as the official client chooses them. */
const eras = [
  ['of 2026-07-28', { pin: '2026-07-28' }],
  ['of 2025', 'legacy'],
] as const

type Era = (typeof eras)[number][1]

const someEras = rows(eras.slice(0, 1), eras.slice(1))

async function connect(key = world.key, era: Era = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  const url = new URL(`${world.service.url}/mcp`)
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  return client
}

const textOf = (result: { content?: unknown }) =>
  (result.content as { text: string }[]).map(({ text }) => text).join('')

test.each(eras)('a client %s lists the tools, resources and prompts', async (_, era) => {
  await using client = closing(await connect(world.key, era))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'ask',
    'fetch',
    'find_parallels',
    'list_works',
    'resolve_ref',
    'search',
    'verify_quotations',
  ])
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['study_question', 'source_sheet'])
  const { resources } = await client.listResources()
  expect(resources.map(({ name }) => name)).toEqual(['Concepts of Chassidut'])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'library://work/{title}',
    'library://passage/{ref}',
  ])
})

test.each(someEras)('a client %s searches, and fetches a result by its id', async (_, era) => {
  await using client = closing(await connect(world.key, era))
  const found = await client.callTool({ name: 'search', arguments: { query: 'joy simcha' } })
  const { results } = found.structuredContent as { results: { id: string; title: string; url: string }[] }
  expect(JSON.parse(textOf(found))).toEqual(found.structuredContent)
  const [first] = results
  expect(first?.url).toMatch(/^https?:\/\//)
  const read = await client.callTool({ name: 'fetch', arguments: { id: first?.id } })
  expect(read.structuredContent).toMatchObject({
    id: first?.id,
    text: expect.stringContaining(first?.id ?? ''),
  })
})

test('an argument that is null counts as absent, and a required one is named', async () => {
  await using client = closing(await connect())
  const empty = { language: null, work: null, author: null, category: null, from: null, limit: null }
  const found = await client.callTool({ name: 'search', arguments: { query: 'joy simcha', ...empty } })
  const { results } = found.structuredContent as { results: { id: string }[] }
  expect(results.length).toBeGreaterThan(0)
  const refused = await client.callTool({ name: 'search', arguments: { query: null } })
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toContain('query')
})

test('a tool without arguments is called with null for them', async () => {
  const response = await fetch(`${world.service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_works', arguments: null },
    }),
  })
  expect(await response.text()).toContain('structuredContent')
})

test.each(someEras)('a client %s reads a work and a passage as resources', async (_, era) => {
  await using client = closing(await connect(world.key, era))
  const { resources } = await client.listResources()
  const work = await client.readResource({ uri: resources[0]?.uri ?? '' })
  expect(JSON.stringify(work.contents)).toContain('versions')
  const ref = 'Concepts of Chassidut, Simcha 1'
  const passage = await client.readResource({ uri: `library://passage/${encodeURIComponent(ref)}` })
  expect(JSON.stringify(passage.contents)).toContain(ref)
  const unknown = client.readResource({ uri: 'library://passage/Nowhere%2099' })
  await expect(unknown).rejects.toThrow('The library has no "Nowhere 99"')
})

test('an unknown ref is a result with the nearest refs, not a failed request', async () => {
  await using client = closing(await connect())
  const result = await client.callTool({
    name: 'fetch',
    arguments: { id: 'Concepts of Chassidut, Simcha 99' },
  })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('The nearest that exist')
})

test('a quotation with a changed word is not reported as verbatim', async () => {
  await using client = closing(await connect())
  const ref = 'Concepts of Chassidut, Simcha 1'
  const { structuredContent } = await client.callTool({ name: 'fetch', arguments: { id: ref } })
  const { text } = structuredContent as { text: string }
  const words = text.split('\n').slice(1).join(' ').split(' ').slice(0, 12)
  const check = async (quoted: string) => {
    const result = await client.callTool({
      name: 'verify_quotations',
      arguments: { text: `“${quoted}” (${ref})` },
    })
    return result.structuredContent as { quotes: { result: string }[] }
  }
  expect((await check(words.join(' '))).quotes).toMatchObject([{ result: 'verbatim' }])
  const changed = words.with(5, 'elephant').join(' ')
  expect((await check(changed)).quotes).not.toMatchObject([{ result: 'verbatim' }])
})

test.each(eras)('ask by a client %s reports progress, answers, and is charged once', async (_, era) => {
  await using client = closing(await connect(world.key, era))
  const before = await charges()
  const search = { name: 'search_sources', arguments: { query: 'joy' } }
  world.upstream.enqueue([{ toolCalls: [search] }], [{ text: 'Joy, as said.' }])
  const messages: string[] = []
  const result = await client.callTool(
    { name: 'ask', arguments: { question: `What is joy? ${JSON.stringify(era)}` } },
    { onprogress: ({ message = '' }) => void messages.push(message) },
  )
  expect(textOf(result)).toContain('Joy, as said.')
  expect(result.structuredContent).toMatchObject({ run_id: expect.stringMatching(/^run_/) })
  expect(messages).toContain('Searching for "joy"')
  expect(await charges()).toBe(before + 1)
})

type AskCall = { readonly id: number | string; readonly meta?: object }

/** One `ask` over a connection of its own: what came of the reply, its head included, and whether its end came. */
async function rawAsk(
  url: string,
  question: string,
  { id, meta }: AskCall,
  connection = 'close',
): Promise<string> {
  const { hostname, port } = new URL(url)
  const params = { name: 'ask', arguments: { question }, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
  const socket = connectTcp(Number(port), hostname)
  let reply = ''
  socket.setEncoding('utf8').on('data', (text) => {
    reply += text
    if (reply.endsWith('\r\n0\r\n\r\n')) socket.destroy()
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${world.key}\r\ncontent-type: application/json\r\n` +
      `accept: application/json, text/event-stream\r\nconnection: ${connection}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  await once(socket, 'close')
  return reply
}

const lostCalls: readonly (readonly [string, (n: number) => AskCall])[] = [
  ['with a key', (n) => ({ id: n, meta: { 'idempotency-key': `lost-reply-${n}` } })],
  ['with a random id', (n) => ({ id: `request-${n}-`.padEnd(24, 'x') })],
  ['with a number as id', (n) => ({ id: n })],
]

test.each(rows(lostCalls.slice(0, 1), lostCalls.slice(1)))(
  'a call %s that is repeated after a lost end of its reply is charged once',
  async (name, callOf) => {
    const questionOf = (n: number) => `${name}: question ${n}?`
    // Equal calls have replies of almost equal length: numbers in them differ.
    const whole = await rawAsk(world.service.url, questionOf(99), callOf(99))
    const bytes = Buffer.byteLength(whole) - 8
    const proxy = await startCuttingProxy(world.service.url, () => ({ kind: 'after-bytes', bytes }))
    const before = await charges()
    const calls = times(15, 50)
    for (let n = 10; n < 10 + calls; n += 1) {
      // As the pool of a client library, which would not close its connection after a whole reply.
      await rawAsk(proxy.url, questionOf(n), callOf(n), 'keep-alive')
      expect(await rawAsk(world.service.url, questionOf(n), callOf(n))).toContain(
        'Humility is the root of joy.',
      )
    }
    expect(await charges()).toBe(before + calls)
    await proxy.close()
  },
)

test('two calls at once with the same number as id are two turns, as two connections may send them', async () => {
  const before = await charges()
  await Promise.all([1, 2].map(() => rawAsk(world.service.url, 'Who asks?', { id: 2 })))
  expect(await charges()).toBe(before + 2)
})

test('an idempotency key that is no text is refused with its name', async () => {
  const reply = await rawAsk(world.service.url, 'Who?', { id: 1, meta: { 'idempotency-key': 5 } })
  expect(reply).toContain('_meta[')
  expect(reply).toContain('must be 1 to 255 visible ASCII characters')
})

test('a client of 2026-07-28 that disconnects cancels its turn', async () => {
  const client = await connect(world.key, { pin: '2026-07-28' })
  const rest = gate()
  world.upstream.enqueue([{ text: 'One' }, { waitFor: rest.opened }, { text: ' two' }])
  const asked = world.upstream.requests.length
  const cancel = new AbortController()
  const asking = client.callTool(
    { name: 'ask', arguments: { question: 'Left alone' } },
    { signal: cancel.signal },
  )
  const { ended } = await world.upstream.request(asked)
  cancel.abort()
  await expect(asking).rejects.toThrow()
  expect(await ended).toBe('cut')
  rest.open()
  await client.close()
})

test('a key that may only read the sources uses the library, and cannot ask', async () => {
  const { key } = await makeKeyWithId(world.db, world.accountId, { kind: 'owner' }, ['sources:read'])
  await using client = closing(await connect(key))
  const found = await client.callTool({ name: 'search', arguments: { query: 'joy' } })
  expect(found.isError).toBeUndefined()
  const before = await charges()
  const asked = await client.callTool({ name: 'ask', arguments: { question: 'What is joy?' } })
  expect(asked.isError).toBe(true)
  expect(textOf(asked)).toContain('lacks the scope "chat:write"')
  expect(await charges()).toBe(before)
})

test('a request without a key gets the address of the metadata of the resource', async () => {
  const refused = await call(world.service, undefined, 'POST', '/mcp', {})
  expect(refused.status).toBe(401)
  const named = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
  const metadata = (await (await fetch(named)).json()) as { resource: string }
  expect(metadata).toMatchObject({
    resource: `${world.service.url}/mcp`,
    bearer_methods_supported: ['header'],
  })
  expect(metadata, 'a client would ask a server that no token comes from').not.toHaveProperty(
    'authorization_servers',
  )
})

test.each([
  [{}, 'No API key was sent. Send the header `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.'],
  [{ authorization: 'Bearer ' }, 'The header `Authorization` has another form than `Bearer <API_KEY>`.'],
  [{ authorization: 'Bearer of.a.provider' }, 'The API key is not valid'],
])('a client without a key reads which header takes it: %j', async (headers, message) => {
  const { url } = world.service
  const client = new Client({ name: 'forgetful', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  await expect(client.connect(transport)).rejects.toThrow(message)
})

test('a session belongs to the answer, and another account cannot continue it', async () => {
  await using client = closing(await connect())
  const first = await client.callTool({ name: 'ask', arguments: { question: 'First of two' } })
  const { session_id } = first.structuredContent as { session_id: string }
  const next = await client.callTool({ name: 'ask', arguments: { question: 'Second of two', session_id } })
  expect(next.structuredContent).toMatchObject({ session_id })
  const stranger = await makeOwner(world.db)
  await using other = closing(await connect(stranger.key))
  const refused = await other.callTool({ name: 'ask', arguments: { question: 'Third', session_id } })
  expect(refused.isError).toBe(true)
})

async function charges(): Promise<number> {
  const [row] = await world.db.database.system
    .select({ charges: count() })
    .from(ledger)
    .innerJoin(runs, eq(runs.id, ledger.runId))
    .where(eq(ledger.kind, 'charge'))
  return row?.charges ?? 0
}

function closing(client: Client): Client & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

test('a page of a foreign origin is refused, one of a loopback address is not', async () => {
  const from = (origin: string) =>
    call(
      world.service,
      world.key,
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { origin, accept: 'application/json, text/event-stream' },
    )
  expect((await from('https://evil.example')).status).toBe(403)
  expect((await from('http://localhost:6274')).status).toBe(200)
})
