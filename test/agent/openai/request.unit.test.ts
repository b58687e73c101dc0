import { describe, expect, it } from 'vitest'
import { createOpenAiProvider } from '../../../src/agent/openai/provider.ts'
import type { ModelRequest } from '../../../src/agent/provider.ts'
import { upstreamIdOf } from '../../../src/agent/wire-call-ids.ts'
import { error, reply } from '../../support/scripted-upstream.ts'
import { API_KEY, ask, run, said, start } from './provider-kit.ts'

const REFUSES_MAX_TOKENS =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

const conversation: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read this page' },
        { type: 'image_url', url: 'https://example.org/page.png', detail: 'high' },
        { type: 'image_url', url: 'data:image/png;base64,AAAA' },
      ],
    },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'read', arguments: '{"ref":"Tanya 1"}' }],
    },
    { role: 'tool', callId: 'call_1', content: 'a passage' },
    { role: 'assistant', content: 'Done.', toolCalls: [] },
    { role: 'user', content: 'Thanks' },
  ],
  tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }],
  toolChoice: { name: 'read' },
  sampling: {
    temperature: 0,
    topP: 0.5,
    maxTokens: 100,
    stop: ['END'],
    seed: 7,
    reasoningEffort: 'low',
    user: 'u1',
    responseFormat: { type: 'json_object' },
  },
}

describe('the request that goes upstream', () => {
  it('carries every message, part, tool and sampling value in the official shape', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('ok'))
    await run(provider, conversation)
    const call = {
      id: upstreamIdOf('call_1'),
      type: 'function',
      function: { name: 'read', arguments: '{"ref":"Tanya 1"}' },
    }
    expect(upstream.requests[0]?.body).toEqual({
      model: 'test-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read this page' },
            { type: 'image_url', image_url: { url: 'https://example.org/page.png', detail: 'high' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: upstreamIdOf('call_1'), content: 'a passage' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'read' } },
      temperature: 0,
      top_p: 0.5,
      max_tokens: 100,
      stop: ['END'],
      seed: 7,
      reasoning_effort: 'low',
      user: 'u1',
      response_format: { type: 'json_object' },
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('leaves out what was not asked for, tool choice without tools included', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('ok'))
    await run(provider, { ...ask, toolChoice: 'required', sampling: { stop: [] } })
    expect(Object.keys(upstream.requests[0]?.body ?? {})).toEqual([
      'model',
      'messages',
      'stream',
      'stream_options',
    ])
  })

  it.each(['{"ref": "Tan', '', '[1]', 'null'])(
    'shows malformed arguments %j of an earlier call inside an object',
    async (text) => {
      const { upstream, provider } = await start()
      upstream.enqueue(reply('ok'))
      const call = { id: 'c', name: 'read', arguments: text }
      await run(provider, { ...ask, messages: [{ role: 'assistant', content: '', toolCalls: [call] }] })
      const sent = upstream.requests[0]?.body.messages[0]?.tool_calls?.[0]?.function.arguments ?? ''
      expect(JSON.parse(sent)).toEqual({ malformed_arguments: text })
    },
  )
})

describe('the address and the key', () => {
  it('the key goes as a bearer token, and no such header without a key', async () => {
    const { upstream, provider } = await start()
    upstream.setDefault(reply('ok'))
    await run(provider)
    const keyless = createOpenAiProvider({ baseUrl: upstream.baseUrl, model: 'm' })
    await run(keyless)
    await keyless.close()
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${API_KEY}`,
      undefined,
    ])
  })

  it.each(['/', '//', '?api-version=1'])(
    'finds the endpoint when the base URL ends in %j',
    async (ending) => {
      const { upstream } = await start()
      upstream.enqueue(reply('ok'))
      const provider = createOpenAiProvider({ baseUrl: upstream.baseUrl + ending, model: 'm' })
      expect(await said(provider)).toBe('ok')
      expect(upstream.requests[0]?.path).toBe(`/v1/chat/completions${ending.startsWith('?') ? ending : ''}`)
      await provider.close()
    },
  )

  it.each([
    ['key', { baseUrl: 'http://model.test/v1', apiKey: 'se cret' }],
    ['key', { baseUrl: 'http://model.test/v1', apiKey: 'secr\u00e9t' }],
    ['base URL', { baseUrl: 'ftp://se:cret@model.test/v1' }],
    ['base URL', { baseUrl: 'secret' }],
  ])('an unusable %s is refused at once and not shown', (name, options) => {
    const create = () => createOpenAiProvider({ model: 'm', ...options })
    expect(create).toThrow(name)
    expect(create).not.toThrow(/cret|secr/)
  })
})

describe('an upstream that does not know a field', () => {
  it('gets one try without stream_options, and none with it again', async () => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    upstream.enqueue(
      error(400, 'Unrecognized request argument supplied: stream_options'),
      reply('one'),
      reply('two'),
    )
    const first = await run(provider)
    expect(first).toMatchObject({ text: 'one', last: { type: 'finish', usage: { estimated: true } } })
    expect(await said(provider)).toBe('two')
    const sent = upstream.requests.map(({ body }) => body.stream_options !== undefined)
    expect(sent).toEqual([true, false, false])
  })

  it.each([
    [400, { error: { message: REFUSES_MAX_TOKENS, param: 'max_tokens', code: 'unsupported_parameter' } }],
    [
      422,
      {
        detail: [
          { type: 'extra_forbidden', loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' },
        ],
      },
    ],
  ])(
    'gets max_completion_tokens after refusing max_tokens with %i, and keeps getting it',
    async (status, body) => {
      const { upstream, provider } = await start({ retries: { max: 0 } })
      upstream.enqueue(error(status, body), reply('one'), reply('two'))
      const request = { ...ask, sampling: { maxTokens: 9 } }
      expect(await said(provider, request)).toBe('one')
      expect(await said(provider, request)).toBe('two')
      const sent = upstream.requests.map(({ body: { max_tokens, max_completion_tokens } }) => [
        max_tokens,
        max_completion_tokens,
      ])
      expect(sent).toEqual([
        [9, undefined],
        [undefined, 9],
        [undefined, 9],
      ])
    },
  )
})
