import { expect, test } from 'vitest'
import type { ApiName } from '../../../src/agent/ai-sdk/apis.ts'
import { upstreamIdOf } from '../../../src/agent/wire-call-ids.ts'
import { run } from '../openai/provider-kit.ts'
import { type Answer, events, openProvider, startNativeServer } from './native-server.ts'
import { afterForeignCalls, afterTools, asking, finished } from './reply-kit.ts'

type Json = Readonly<Record<string, unknown>>

async function start(api: ApiName, model: string, ...answers: readonly Answer[]) {
  const server = await startNativeServer(...answers)
  return { server, provider: await openProvider({ api, baseUrl: `${server.origin}/v1`, model }) }
}

const gemini = (...parts: readonly Json[]): string => {
  const candidate = (more: Json) => ({ candidates: [{ index: 0, ...more }] })
  return events(...parts.map((part) => candidate({ content: { role: 'model', parts: [part] } })), {
    ...candidate({ content: { role: 'model', parts: [] }, finishReason: 'STOP' }),
    usageMetadata: {
      promptTokenCount: 20,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 6,
      totalTokenCount: 30,
      cachedContentTokenCount: 16,
    },
  })
}

test("google: a call's thought signature goes back with it, and thoughts and cached tokens are counted", async () => {
  const call = {
    functionCall: { id: 'g1', name: 'search_sources', args: { query: 'x' } },
    thoughtSignature: 'c2ln',
  }
  const { server, provider } = await start(
    'google',
    'gemini-3-pro-preview',
    { body: gemini(call) },
    { body: gemini({ text: 'ok' }) },
  )
  const end = await finished(provider)
  expect(end).toMatchObject({
    reason: 'tool_calls',
    usage: { promptTokens: 20, completionTokens: 10, cachedTokens: 16, reasoningTokens: 6, estimated: false },
  })
  await finished(provider, afterTools(end))
  expect(server.requests[1]?.body['contents']).toMatchObject([
    { role: 'user' },
    { role: 'model', parts: [call] },
    { role: 'user', parts: [{ functionResponse: { id: 'g1', name: 'search_sources' } }] },
  ])
})

test('google: a call that the model did not make has the placeholder signature', async () => {
  const { server, provider } = await start('google', 'gemini-flash-latest', { body: gemini({ text: 'ok' }) })
  await finished(provider, afterForeignCalls('call_1'))
  expect(server.requests[0]?.body['contents']).toMatchObject([
    { role: 'user' },
    {
      parts: [
        {
          functionCall: { id: upstreamIdOf('call_1') },
          thoughtSignature: 'skip_thought_signature_validator',
        },
      ],
    },
    { role: 'user' },
  ])
})

/** The stream of a response with these items. */
const response = (...items: readonly Json[]): string => {
  const whole = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [],
    created_at: 1,
    model: 'gpt-5',
    service_tier: null,
  }
  const usage = {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 5 },
  }
  return events(
    { type: 'response.created', response: whole },
    ...items.flatMap((item, output_index): readonly Json[] => [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, ...(item['type'] === 'message' && { content: [] }) },
      },
      ...(item['type'] === 'message'
        ? [
            {
              type: 'response.output_text.delta',
              item_id: item['id'],
              output_index,
              content_index: 0,
              delta: 'ok',
            },
          ]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...whole, incomplete_details: null, usage } },
  )
}
const spoken = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'ok', annotations: [] }],
}

test('openai-responses: nothing is stored, and encrypted reasoning goes back before its calls', async () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j' }
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_A',
    name: 'search_sources',
    arguments: '{"query":"x"}',
    status: 'completed',
  }
  const { server, provider } = await start(
    'openai-responses',
    'gpt-5',
    { body: response(thought, call) },
    { body: response(spoken) },
  )
  const end = await finished(provider)
  expect(end).toMatchObject({
    reason: 'tool_calls',
    usage: { promptTokens: 30, completionTokens: 9, cachedTokens: 10, reasoningTokens: 5 },
  })
  const { text } = await run(provider, afterTools(end))
  expect(text).toBe('ok')
  const [first, second] = server.requests.map(({ body }) => body)
  expect(first).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(second?.['input']).toMatchObject([
    { role: 'developer' },
    { role: 'user' },
    { type: 'reasoning', encrypted_content: 'ZW5j' },
    { type: 'function_call', call_id: 'call_A', name: 'search_sources' },
    { type: 'function_call_output', call_id: 'call_A', output: '[]' },
  ])
})

const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): Json => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const chat = (delta: Json, reason = 'stop'): string =>
  `${events(chunk({ role: 'assistant', content: '' }), chunk(delta), chunk({ content: '' }, reason, { usage }))}data: [DONE]\n\n`
const chatCall = (id: string): Json => ({
  tool_calls: [
    { index: 0, id, type: 'function', function: { name: 'search_sources', arguments: '{"query":"x"}' } },
  ],
})

test('mistral: calls keep the ids of the server, and others have nine letters or digits', async () => {
  const { server, provider } = await start(
    'mistral',
    'mistral-large-latest',
    { body: chat(chatCall('D681PevKs'), 'tool_calls') },
    { body: chat({ content: 'ok' }) },
  )
  await finished(provider, afterTools(await finished(provider)))
  await finished(provider, afterForeignCalls('call_1', 'call_2'))
  const idsOf = (body: Json | undefined) =>
    ((body?.['messages'] ?? []) as readonly { readonly tool_call_id?: string }[]).flatMap(
      ({ tool_call_id }) => tool_call_id ?? [],
    )
  expect(idsOf(server.requests[1]?.body)).toEqual(['D681PevKs'])
  expect(idsOf(server.requests[2]?.body)).toEqual([upstreamIdOf('call_1'), upstreamIdOf('call_2')])
})

test('deepseek: the reasoning of a tool step goes back', async () => {
  const thoughtful = `${events(chunk({ role: 'assistant', reasoning_content: 'Look it up.' }), chunk(chatCall('call_00')), chunk({ content: '' }, 'tool_calls', { usage }))}data: [DONE]\n\n`
  const { server, provider } = await start(
    'deepseek',
    'deepseek-reasoner',
    { body: thoughtful },
    { body: chat({ content: 'ok' }) },
  )
  await finished(provider, afterTools(await finished(provider)))
  expect(server.requests[1]?.body['messages']).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant', reasoning_content: 'Look it up.', tool_calls: [{ id: 'call_00' }] },
    { role: 'tool', tool_call_id: 'call_00' },
  ])
})

test.each([
  ['groq', 'llama-3.3-70b-versatile', '/v1/chat/completions', chat({ content: 'ok' })],
  ['deepseek', 'deepseek-chat', '/v1/chat/completions', chat({ content: 'ok' })],
  ['mistral', 'mistral-small-latest', '/v1/chat/completions', chat({ content: 'ok' })],
  ['xai', 'grok-4', '/v1/responses', response(spoken)],
  ['azure', 'gpt-5', '/v1/responses', response(spoken)],
] as const)('%s: a call reaches its path and is read', async (api, model, path, body) => {
  const { server, provider } = await start(api, model, { body })
  expect(await run(provider, asking)).toMatchObject({ text: 'ok', last: { type: 'finish', reason: 'stop' } })
  expect(server.requests[0]?.path).toBe(path)
})

test('cohere: a call reaches its path and is read', async () => {
  const body = events(
    { type: 'message-start', id: 'm1', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'ok' } } } },
    { type: 'content-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 9, output_tokens: 2 } } },
    },
  )
  const { server, provider } = await start('cohere', 'command-a-03-2025', { body })
  const { text, last } = await run(provider, asking)
  expect(text).toBe('ok')
  expect(last).toMatchObject({ usage: { promptTokens: 9, completionTokens: 2 } })
  expect(server.requests[0]?.path).toBe('/v1/chat')
})

test('bedrock: a call reaches its path with its key, and the error of the server is read', async () => {
  const body = JSON.stringify({ message: 'Input is too long for requested model.' })
  const { server, provider } = await start('bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0', {
    status: 400,
    body,
  })
  expect((await run(provider, asking)).last).toMatchObject({ type: 'error', kind: 'context', status: 400 })
  expect(server.requests[0]?.path).toMatch(/^\/v1\/model\/.+\/converse-stream$/)
  expect(server.requests[0]?.headers.authorization).toMatch(/^Bearer /)
  expect(server.requests[0]?.body).toMatchObject({
    system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
  })
})

test.each(['mistral', 'groq', 'deepseek'] as const)(
  '%s: an image of a tool result follows in a message of the user',
  async (api) => {
    const { server, provider } = await start(api, 'm', { body: chat({ content: 'ok' }) })
    const image = { type: 'image_url', url: 'data:image/png;base64,iVBORw0KGgo=' } as const
    const request = afterForeignCalls('call_1')
    const messages = request.messages.map((message) =>
      message.role === 'tool' ? { ...message, images: [image] } : message,
    )
    await finished(provider, { ...request, messages })
    const sent = server.requests[0]?.body['messages'] as readonly Json[]
    expect(sent.findLast(({ role }) => role === 'tool')).toMatchObject({ content: '[]' })
    expect(sent.at(-2)?.['role']).toBe(api === 'mistral' ? 'assistant' : 'tool')
    expect(JSON.stringify(sent.at(-1))).toContain('data:image/png;base64,iVBORw0KGgo=')
  },
)

test('a request for JSON by a schema reaches the server as its own form', async () => {
  const { server, provider } = await start('openai-responses', 'gpt-5', { body: response(spoken) })
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  await finished(provider, { ...asking, sampling: { responseFormat, reasoningEffort: 'low' } })
  expect(server.requests[0]?.body).toMatchObject({
    text: { format: { type: 'json_schema', name: 'answer', strict: false } },
    reasoning: { effort: 'low' },
  })
})

test('a server that cannot be reached is a retryable failure without its address', async () => {
  const provider = await openProvider({ api: 'mistral', baseUrl: 'http://127.0.0.1:1/v1', model: 'm' })
  const { last } = await run(provider, asking)
  expect(last).toMatchObject({
    type: 'error',
    kind: 'upstream',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  expect(JSON.stringify(last)).not.toContain('127.0.0.1')
})

test('google: a busy server is asked again after the time that its error names', async () => {
  const error = {
    ...{ code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' },
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.2s' }],
  }
  const { server, provider } = await start(
    'google',
    'gemini-3-pro-preview',
    { status: 429, body: JSON.stringify({ error }) },
    { body: gemini({ text: 'ok' }) },
  )
  const from = performance.now()
  await finished(provider)
  expect(performance.now() - from).toBeGreaterThanOrEqual(190)
  expect(server.requests).toHaveLength(2)
})

test('deepseek: a step that the model did not make has an empty reasoning', async () => {
  const { server, provider } = await start('deepseek', 'm', { body: chat({ content: 'ok' }) })
  await finished(provider, afterForeignCalls('call_1'))
  const sent = server.requests[0]?.body['messages'] as readonly Json[]
  expect(sent.at(-2)).toMatchObject({ role: 'assistant', reasoning_content: '' })
})

test('a call without a result and a second system message have the form that every server accepts', async () => {
  const { server, provider } = await start('google', 'gemini-3-pro-preview', { body: gemini({ text: 'ok' }) })
  const [system, question, reply] = afterForeignCalls('call_1').messages
  if (!system || !question || !reply) throw new Error('no conversation')
  await finished(provider, { ...asking, messages: [system, question, reply, system, question] })
  expect(server.requests[0]?.body['contents']).toMatchObject([
    { role: 'user' },
    { role: 'model', parts: [{ functionCall: { name: 'search_sources' } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'search_sources' } }] },
    { role: 'user', parts: [{ text: 'What is a beinoni?' }] },
  ])
})

test('mistral: an error object in a stream is told in the words of the server', async () => {
  const { provider } = await start('mistral', 'm', {
    body: events({ error: { message: 'The engine stopped.', code: 500 } }),
  })
  const { last } = await run(provider, asking)
  expect(last).toMatchObject({ kind: 'upstream', message: expect.stringContaining('The engine stopped.') })
})
