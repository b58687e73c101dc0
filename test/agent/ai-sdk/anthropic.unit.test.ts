import { expect, test } from 'vitest'
import type { Finish, ModelMessage } from '../../../src/agent/provider.ts'
import { upstreamIdOf } from '../../../src/agent/wire-call-ids.ts'
import { run } from '../openai/provider-kit.ts'
import { type Answer, apiKey, errorBody, events, openProvider, startNativeServer } from './native-server.ts'
import { afterForeignCalls, afterTools, asking, finished } from './reply-kit.ts'

const model = 'claude-sonnet-4-5'

type Block = Readonly<Record<string, unknown>>

/** The stream of a message with these blocks and deltas. */
function message(
  blocks: readonly { readonly start: Block; readonly deltas: readonly Block[] }[],
  stop: string,
  usage: Block = { input_tokens: 12, output_tokens: 1 },
): string {
  const started = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  return events(
    { type: 'message_start', message: started },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  )
}

const text = (...pieces: readonly string[]) => ({
  start: { type: 'text', text: '' },
  deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
})
const thinking = {
  start: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: 'Look it ' },
    { type: 'thinking_delta', thinking: 'up.' },
    { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
  ],
}
const toolUse = (id: string, name: string, ...pieces: readonly string[]) => ({
  start: { type: 'tool_use', id, name, input: {} },
  deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
})

const hello = message([text('Shalom')], 'end_turn')

async function start(...answers: readonly Answer[]) {
  const server = await startNativeServer(...answers)
  const provider = await openProvider({ api: 'anthropic', baseUrl: `${server.origin}/v1`, model })
  return { server, provider }
}

test('text streams as it arrives, and cached tokens are counted apart', async () => {
  const usage = {
    input_tokens: 2,
    cache_read_input_tokens: 8,
    cache_creation_input_tokens: 5,
    output_tokens: 1,
  }
  const { provider } = await start({ body: message([text('Sha', 'lom')], 'end_turn', usage) })
  const { texts, last } = await run(provider, asking)
  expect(texts).toEqual(['Sha', 'lom'])
  expect(last).toEqual({
    type: 'finish',
    reason: 'stop',
    toolCalls: [],
    usage: { promptTokens: 15, completionTokens: 7, cachedTokens: 8, cacheWriteTokens: 5, estimated: false },
  })
})

test('thinking goes back unchanged with the tool calls of its reply, in their order and with their own ids', async () => {
  const calls = [
    toolUse('toolu_A', 'search_sources', '{"query":', '"bittul"}'),
    toolUse('toolu_B', 'search_sources'),
  ]
  const first = message([thinking, text('Let me look.'), ...calls], 'tool_use')
  const { server, provider } = await start({ body: first }, { body: hello })
  const end = await finished(provider, asking)
  expect(end).toMatchObject({
    reason: 'tool_calls',
    toolCalls: [
      { name: 'search_sources', arguments: '{"query":"bittul"}' },
      { name: 'search_sources', arguments: '{}' },
    ],
  })
  await finished(provider, afterTools(end, 'Let me look.'))
  expect(server.requests[1]?.body['messages']).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look it up.', signature: 'c2lnbmF0dXJl' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_A', input: { query: 'bittul' } },
        { type: 'tool_use', id: 'toolu_B', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_A' },
        { type: 'tool_result', tool_use_id: 'toolu_B' },
      ],
    },
  ])
})

test('what another upstream attached is not sent, and its calls get ids of nine letters or digits', async () => {
  const { server, provider } = await start({ body: hello })
  const end: Finish = {
    type: 'finish',
    reason: 'tool_calls',
    toolCalls: [{ id: 'call_1', name: 'search_sources', arguments: '{"query":"x"}' }],
    usage: { promptTokens: 1, completionTokens: 1, estimated: false },
    attached: { upstream: 'other', json: '[{"type":"reasoning","text":"secret"}]' },
  }
  await finished(provider, afterTools(end))
  const id = upstreamIdOf('our-0')
  expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  expect(server.requests[0]?.body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', id }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
  ])
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('secret')
})

test('the system prompt and the newest messages are marked for the cache', async () => {
  const { server, provider } = await start({ body: hello })
  await finished(provider, asking)
  const mark = { cache_control: { type: 'ephemeral' } }
  expect(server.requests[0]?.body).toMatchObject({
    system: [{ text: 'Be brief.', ...mark }],
    messages: [{ role: 'user', content: [mark] }],
  })
})

test('images of the user and of tool results reach the model', async () => {
  const { server, provider } = await start({ body: hello })
  const image = { type: 'image_url', url: 'data:image/png;base64,iVBORw0KGgo=' } as const
  const reply: ModelMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c1', name: 'search_sources', arguments: '{}' }],
  }
  const messages: readonly ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'See.' }, image] },
    reply,
    { role: 'tool', callId: 'c1', content: 'shot', images: [image] },
  ]
  await finished(provider, { ...asking, messages })
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  expect(server.requests[0]?.body['messages']).toMatchObject([
    { content: [{ type: 'text' }, { type: 'image', source }] },
    { role: 'assistant' },
    {
      content: [
        {
          type: 'tool_result',
          content: [
            { type: 'text', text: 'shot' },
            { type: 'image', source },
          ],
        },
      ],
    },
  ])
})

const anthropicError = (type: string, message: string): string =>
  JSON.stringify({ type: 'error', error: { type, message } })

test.each([
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', { kind: 'context' }],
  [401, 'authentication_error', `invalid x-api-key ${apiKey}`, { kind: 'rejected', status: 401 }],
  [404, 'not_found_error', 'model: claude-none', { kind: 'rejected', status: 404 }],
  [529, 'overloaded_error', 'Overloaded', { kind: 'upstream', status: 529 }],
])('a %i %s is a failure of its kind, without the key', async (status, type, said, expected) => {
  const { provider } = await start({ status, body: anthropicError(type, said) })
  const { last } = await run(provider, asking)
  expect(last).toMatchObject({ type: 'error', ...expected })
  expect(JSON.stringify(last)).not.toContain(apiKey)
})

test('an error in the stream after text ends the call, and the request is not repeated', async () => {
  const [begun] = hello.split('event: content_block_stop')
  const { server, provider } = await start({
    body: `${begun}${events({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}`,
  })
  const { text: said, last } = await run(provider, asking)
  expect(said).toBe('Shalom')
  expect(last).toMatchObject({ type: 'error', kind: 'upstream' })
  expect(server.requests).toHaveLength(1)
})

test('a reply that ends early is a failure', async () => {
  const { provider } = await start({ body: hello.split('event: message_delta')[0] ?? '' })
  expect((await run(provider, asking)).last).toMatchObject({ type: 'error', kind: 'upstream' })
})

test('a parameter that the model refuses is left out at once, reported, and remembered', async () => {
  const refusal = anthropicError('invalid_request_error', '`temperature` is deprecated for this model.')
  const { server, provider } = await start({ status: 400, body: refusal }, { body: hello })
  const request = { ...asking, sampling: { temperature: 0.2, maxTokens: 50 } }
  expect(await finished(provider, request)).toMatchObject({ leftOut: ['temperature'] })
  expect(await finished(provider, request)).toMatchObject({ leftOut: ['temperature'] })
  expect(server.requests.map(({ body }) => body['temperature'])).toEqual([0.2, undefined, undefined])
})

test('a refusal that cannot be mended names the parameter of the client', async () => {
  const refusal = anthropicError('invalid_request_error', 'max_tokens: 999999 > 64000, which is the maximum')
  const { server, provider } = await start({ status: 400, body: refusal })
  const { last } = await run(provider, { ...asking, sampling: { maxTokens: 50_000 } })
  expect(last).toMatchObject({ type: 'error', kind: 'rejected', param: 'max_tokens', status: 400 })
  expect(server.requests).toHaveLength(1)
})

test('an abort ends the call and closes the connection', async () => {
  const [begun = ''] = hello.split('event: content_block_stop')
  const { server, provider } = await start({ body: begun, stalls: true })
  const caller = new AbortController()
  const { last } = await run(provider, asking, caller.signal, () => caller.abort())
  expect(last).toMatchObject({ type: 'error', kind: 'aborted' })
  await server.cut
})

test('a listener that wants no more ends the call and closes the connection', async () => {
  const [begun = ''] = hello.split('event: content_block_stop')
  const { server, provider } = await start({ body: begun, stalls: true })
  expect(await provider.ask(asking, new AbortController().signal, () => false)).toEqual({ type: 'enough' })
  await server.cut
})

test('a stalled reply is ended by the idle timer', async () => {
  const [begun = ''] = hello.split('event: content_block_stop')
  const server = await startNativeServer({ body: begun, stalls: true })
  const timers = { idleMs: 100 }
  const provider = await openProvider({ api: 'anthropic', baseUrl: `${server.origin}/v1`, model, timers })
  expect((await run(provider, asking)).last).toMatchObject({ kind: 'timeout' })
  await server.cut
})

test('a redirect is not followed', async () => {
  const { server, provider } = await start({
    status: 307,
    headers: { location: '/other' },
    body: errorBody({}),
  })
  expect((await run(provider, asking)).last).toMatchObject({ type: 'error', kind: 'upstream', status: 307 })
  expect(server.requests).toHaveLength(1)
})

test('a budget of reasoning, extra options and headers reach the server', async () => {
  const server = await startNativeServer({ body: hello })
  const provider = await openProvider({
    api: 'anthropic',
    baseUrl: `${server.origin}/v1`,
    model,
    budgetTokens: 2_000,
    body: { disableParallelToolUse: true },
    headers: { 'x-team': 'study' },
  })
  await finished(provider, { ...asking, sampling: { maxTokens: 4_000 }, headers: { traceparent: '00-1' } })
  expect(server.requests[0]?.headers).toMatchObject({
    'x-team': 'study',
    traceparent: '00-1',
    'x-api-key': apiKey,
  })
  expect(server.requests[0]?.body).toMatchObject({
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    tool_choice: { disable_parallel_tool_use: true },
  })
})

test('a step without thoughts, such as a first one of the service, is continued without thinking', async () => {
  const server = await startNativeServer({ body: hello })
  const baseUrl = `${server.origin}/v1`
  const provider = await openProvider({ api: 'anthropic', baseUrl, model, budgetTokens: 2_000 })
  await finished(provider, afterForeignCalls('call_1'))
  expect(server.requests[0]?.body['thinking']).toEqual({ type: 'disabled' })
})
