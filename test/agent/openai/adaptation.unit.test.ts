import { expect, test } from 'vitest'
import type { Attached, ModelMessage, ModelRequest } from '../../../src/agent/provider.ts'
import { error, reply } from '../../support/scripted-upstream.ts'
import { ask, run, said, start } from './provider-kit.ts'

const json = { responseFormat: { type: 'json_object' } }
/** The members of a request that our names for them stand for. */
const wireNames: Readonly<Record<string, string>> = {
  topP: 'top_p',
  responseFormat: 'response_format',
  reasoningEffort: 'reasoning_effort',
}

/** Refusals of parameters in the forms that servers are known to send: the body, or the message in OpenAI's form. */
const refusals: readonly (readonly [server: string, refused: ModelRequest['sampling'], object | string])[] = [
  [
    'OpenAI',
    { temperature: 0.2 },
    {
      error: {
        message: "Unsupported value: 'temperature' does not support 0.2 with this model.",
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
  ],
  ['Moonshot', { temperature: 0.2 }, 'invalid temperature: only 1 is allowed for this model'],
  ['Anthropic', { topP: 0.5 }, '`top_p` is not supported by this model'],
  [
    'xAI',
    { stop: ['x'] },
    { code: 'Client', error: 'Argument not supported on this model: temperature, stop' },
  ],
  [
    'LiteLLM',
    { seed: 7 },
    {
      error: {
        message:
          "litellm.UnsupportedParamsError: vertex_ai does not support parameters: ['seed'], for model=m",
        param: 'None',
      },
    },
  ],
  ['Groq', json, 'json mode cannot be combined with tool/function calling'],
  ['llama.cpp', json, 'Cannot use custom grammar constraints with tools.'],
  ['Qwen', json, 'Json mode response is not supported when enable_thinking is true'],
  ['LM Studio', json, { error: "'response_format.type' must be 'json_schema' or 'text'" }],
  [
    'Gemini',
    json,
    [{ error: { message: "Function calling with a response mime type: 'application/json' is unsupported" } }],
  ],
  ['Gemini', { seed: 7 }, [{ error: { message: 'Unknown name "seed": Cannot find field.' } }]],
  ['FastAPI', { seed: 7 }, { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] }],
  [
    'Mistral',
    { user: 'u1' },
    { message: { detail: [{ loc: ['body', 'user'], msg: 'Extra inputs are not permitted' }] } },
  ],
  ['older OpenAI', { user: 'u1' }, 'Unrecognized request argument supplied: user'],
  [
    'older OpenAI',
    { reasoningEffort: 'minimal' },
    'Unrecognized request argument supplied: reasoning_effort',
  ],
  [
    'Ollama',
    { reasoningEffort: 'minimal' },
    'invalid reasoning value: \'minimal\' (must be "high", "medium" or "low")',
  ],
  [
    'DeepSeek',
    { responseFormat: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } },
    'This response_format type is unavailable now',
  ],
]

test.each(refusals)(
  'what %s refuses of %j is left out, told, and never sent again',
  async (_server, sampling, body) => {
    const [given = ''] = Object.keys(sampling)
    const name = wireNames[given] ?? given
    const { upstream, provider } = await start({ retries: { max: 0 } })
    // Servers that are built with FastAPI answer 422.
    const status = JSON.stringify(body).includes('"detail"') ? 422 : 400
    upstream.enqueue(error(status, body), reply('one'), reply('two'))
    const request = { ...ask, sampling: { ...sampling, maxTokens: 9 } }
    for (let calls = 0; calls < 2; calls += 1)
      expect((await run(provider, request)).last).toMatchObject({ type: 'finish', leftOut: [name] })
    expect(upstream.requests.map(({ body: sent }) => name in sent)).toEqual([true, false, false])
    expect(upstream.requests.every(({ body: sent }) => sent.max_tokens === 9)).toBe(true)
  },
)

test('a forced tool choice that is refused leaves `auto` and `none` as they are', async () => {
  const { upstream, provider } = await start({ retries: { max: 0 } })
  const refusal = 'deepseek-reasoner does not support this tool_choice'
  upstream.enqueue(error(400, refusal), reply('one'), reply('two'), reply('three'))
  const tools = [{ name: 'a', description: '', parameters: { type: 'object' } }]
  const forced = { ...ask, tools, toolChoice: { name: 'a' } } as const
  expect((await run(provider, forced)).last).toMatchObject({ leftOut: ['tool_choice'] })
  expect((await run(provider, { ...forced, toolChoice: 'required' })).last).toMatchObject({
    leftOut: ['tool_choice'],
  })
  expect((await run(provider, { ...forced, toolChoice: 'none' })).last).not.toHaveProperty('leftOut')
  expect(upstream.requests.at(-1)?.body).toMatchObject({ tool_choice: 'none' })
})

test.each([
  ['max_tokens', { maxTokens: 9_999 }, 'max_tokens must be at most 4096'],
  ['temperature', { temperature: 1.9 }, 'temperature: Input should be less than or equal to 1'],
])(
  'a value of %s that is out of range is a refusal that names it, and nothing is remembered',
  async (...row) => {
    const [param, sampling, message] = row
    const { upstream, provider } = await start()
    upstream.enqueue(error(400, message), reply('fine'))
    expect((await run(provider, { ...ask, sampling })).last).toMatchObject({ kind: 'rejected', param })
    const fitting = { maxTokens: 9, temperature: 0.5 }
    expect((await run(provider, { ...ask, sampling: fitting })).last).not.toHaveProperty('leftOut')
  },
)

test('a parameter that is still refused without itself ends the call after one more try', async () => {
  const { upstream, provider } = await start()
  upstream.enqueue(error(400, "'temperature' is bad"), error(400, "'temperature' is bad"), reply('fine'))
  const request = { ...ask, sampling: { temperature: 0.2 } }
  expect((await run(provider, request)).last).toMatchObject({ type: 'error', kind: 'rejected' })
  expect(await said(provider, request)).toBe('fine')
  expect(upstream.requests.at(-1)?.body).toMatchObject({ temperature: 0.2 })
})

test('a refusal that names no parameter is a fault of the upstream, without one', async () => {
  const { upstream, provider } = await start()
  upstream.enqueue(error(400, 'The user of this model must stop asking'))
  const request = { ...ask, sampling: { user: 'u1', stop: ['x'] } }
  const { last } = await run(provider, request)
  expect(last).toMatchObject({ kind: 'rejected' })
  expect(last).not.toHaveProperty('param')
  expect(upstream.requests).toHaveLength(1)
})

test('members that the operator adds are sent; one that is refused is left out and told', async () => {
  const body = { chat_template_kwargs: { enable_thinking: false }, temperature: 0.3 }
  const { upstream, provider } = await start({ body, headers: { 'x-title': 'Study' } })
  upstream.enqueue(error(400, 'chat_template_kwargs: unknown field'), reply('one'))
  const { last } = await run(provider, { ...ask, sampling: { temperature: 0.9 } })
  expect(last).toMatchObject({ leftOut: ['chat_template_kwargs'] })
  expect(upstream.requests[0]?.body).toMatchObject({ ...body, temperature: 0.9 })
  expect(upstream.requests.map(({ headers }) => headers['x-title'])).toEqual(['Study', 'Study'])
})

const question: ModelMessage = { role: 'user', content: 'What is bittul?' }

function conversation(upstream: string, json: object, more: readonly ModelMessage[] = []): ModelRequest {
  const attached: Attached = { upstream, json: JSON.stringify(json), callIds: ['call_ours'] }
  const toolCalls = [{ id: 'call_ours', name: 'search', arguments: '{}' }]
  const answered: ModelMessage = { role: 'tool', callId: 'call_ours', content: 'found' }
  return {
    ...ask,
    messages: [question, ...more, { role: 'assistant', content: '', toolCalls, attached }, answered],
  }
}

const thoughts = {
  message: { reasoning_content: 'Let me think\u0000.', reasoning_details: [{ type: 'x', data: 'ab' }] },
  calls: [
    {
      id: 'D681PevKs',
      members: { extra_content: { google: { thought_signature: 'sig' } } },
      function: { strict: true },
    },
  ],
}

test('what an upstream attached to a reply goes back to it unchanged, with its own ids', async () => {
  const { upstream, provider } = await start()
  upstream.enqueue(reply('ok'))
  const self = `openai ${upstream.baseUrl}/chat/completions test-model`
  await run(provider, conversation(self, thoughts))
  expect(upstream.requests[0]?.body.messages).toEqual([
    question,
    {
      ...thoughts.message,
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          extra_content: { google: { thought_signature: 'sig' } },
          id: 'D681PevKs',
          type: 'function',
          function: { name: 'search', arguments: '{}', strict: true },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'D681PevKs', content: 'found' },
  ])
})

test('another upstream gets nothing of it, and ids that every server accepts', async () => {
  const { upstream, provider } = await start()
  upstream.enqueue(reply('ok'))
  await run(provider, conversation('openai http://other/v1/chat/completions test-model', thoughts))
  const sent = JSON.stringify(upstream.requests[0]?.body)
  expect(sent).not.toMatch(/think|sig|D681PevKs|strict|call_ours/)
  expect(upstream.requests[0]?.body.messages[1]?.tool_calls?.[0]?.id).toMatch(/^[A-Za-z0-9]{9}$/)
})

test('a server that wants reasoning with each call gets an empty one where the reply had none', async () => {
  const { upstream, provider } = await start({ retries: { max: 0 } })
  const refusal = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
  upstream.enqueue(error(400, refusal), reply('ok'))
  const own: ModelMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'preset', name: 'read_file', arguments: '{}' }],
  }
  const result: ModelMessage = { role: 'tool', callId: 'preset', content: 'a file' }
  const self = `openai ${upstream.baseUrl}/chat/completions test-model`
  await run(provider, conversation(self, thoughts, [own, result]))
  const reasoning = upstream.requests.map(({ body }) =>
    body.messages.flatMap((message) =>
      'tool_calls' in message ? [Reflect.get(message, 'reasoning_content')] : [],
    ),
  )
  expect(reasoning).toEqual([
    [undefined, thoughts.message.reasoning_content],
    [' ', thoughts.message.reasoning_content],
  ])
})

test('a server that wants a signature with each call gets the documented placeholder', async () => {
  const { upstream, provider } = await start({ retries: { max: 0 } })
  upstream.enqueue(
    error(400, 'Function call is missing a thought_signature in functionCall parts.'),
    reply('ok'),
  )
  await run(provider, conversation('another', thoughts))
  expect(upstream.requests[1]?.body.messages[1]?.tool_calls?.[0]).toMatchObject({
    extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
  })
})

test('a member of messages that a server refuses is left out, and the call goes on', async () => {
  const { upstream, provider } = await start({ retries: { max: 0 } })
  upstream.enqueue(error(400, "property 'reasoning_details' is unsupported"), reply('one'), reply('two'))
  const self = `openai ${upstream.baseUrl}/chat/completions test-model`
  expect(await said(provider, conversation(self, thoughts))).toBe('one')
  expect(await said(provider, conversation(self, thoughts))).toBe('two')
  const sent = upstream.requests.map(({ body }) => 'reasoning_details' in (body.messages[1] ?? {}))
  expect(sent).toEqual([true, false, false])
})

test.each([
  [400, "Unexpected role 'user' after role 'tool'"],
  [
    400,
    'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
  ],
  [500, 'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...'],
])(
  'a server that wants a reply between results and a question gets one: %i %s',
  async (status, complaint) => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    upstream.enqueue(error(status, complaint), reply('ok'))
    const request = conversation('another', thoughts)
    await run(provider, { ...request, messages: [...request.messages, question] })
    const roles = upstream.requests.map(({ body }) => body.messages.map(({ role }) => role))
    expect(roles).toEqual([
      ['user', 'assistant', 'tool', 'user'],
      ['user', 'assistant', 'tool', 'assistant', 'user'],
    ])
  },
)
