import OpenAI, { APIError } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import { expect, test } from 'vitest'
import { resultsFollowCalls } from '../support/told.ts'
import { callTools, error, reply } from '../support/upstream-scripts.ts'
import type { ServiceInfo } from '../support/world/replies.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

/** With default settings, as an integrator would have it. */
const client = () => new OpenAI({ apiKey: world.key, baseURL: `${world.service.url}/v1` })
const messages = (text: string): ChatCompletionMessageParam[] => [{ role: 'user', content: text }]
const blockOf = (value: object) => (value as { x_service: ServiceInfo }).x_service

const weather: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}

test('a plain completion', async () => {
  world.upstream.enqueue(reply('שלום.'))
  const completion = await client().chat.completions.create({ model: 'service', messages: messages('Hello') })
  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'שלום.', refusal: null },
  })
  expect(completion.usage).toMatchObject({
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    cost: 0.003,
  })
  expect(blockOf(completion)).toMatchObject({ status: 'completed', usage: { cost: 0.003 } })
})

test('a stream, chunk by chunk, with usage', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }]),
    reply('One two three', { chunks: 3 }),
  )
  const stream = await client().chat.completions.create({
    model: 'service',
    messages: messages('Count'),
    stream: true,
    stream_options: { include_usage: true },
  })
  let text = ''
  const reasons: string[] = []
  const costs: unknown[] = []
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason)
    if (chunk.usage) costs.push(chunk.usage)
  }
  expect(text).toBe('One two three')
  expect(reasons).toEqual(['stop'])
  expect(costs).toEqual([{ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, cost: 0.056 }])
})

test('the stream() helper comes to the same completion', async () => {
  world.upstream.enqueue(reply('Helped along', { chunks: 4 }))
  const stream = client().chat.completions.stream({ model: 'service', messages: messages('Help') })
  const deltas: string[] = []
  stream.on('content', (delta) => deltas.push(delta))
  const final = await stream.finalChatCompletion()
  expect(final.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Helped along' } })
  expect(deltas.join('')).toBe('Helped along')
  expect(blockOf(final)).toMatchObject({ status: 'completed', usage: { model_calls: 1 } })
})

test('a failed stream is an error with its code, after the text that came', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' }),
    error(400, 'bad'),
  )
  const stream = await client().chat.completions.create({
    model: 'service',
    messages: messages('Fail'),
    stream: true,
  })
  let text = ''
  const failure = await (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  })().catch((fault: unknown) => fault)
  expect(text).toBe('Wait.')
  expect(failure).toBeInstanceOf(APIError)
  expect(failure).toMatchObject({ code: 'upstream_failed', type: 'invalid_request_error' })
})

test('response_format reaches the model, and neither numbers nor a list spoil the JSON', async () => {
  const index = world.upstream.requests.length
  world.upstream.enqueue(reply('{"answer": "yes"}'))
  const completion = await client().chat.completions.create({
    model: 'service',
    messages: messages('JSON please'),
    response_format: { type: 'json_object' },
  })
  expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ answer: 'yes' })
  expect(world.upstream.requests[index]?.body['response_format']).toEqual({ type: 'json_object' })
})

test("a client's function call is answered in the session, and the model gets it", async () => {
  const index = world.upstream.requests.length
  world.upstream.enqueue(
    callTools([{ name: 'weather', arguments: { city: 'חיפה' } }], { text: 'Let me ask.' }),
    reply('It is sunny.'),
  )
  const asked = messages('Weather?')
  const first = await client().chat.completions.create({
    model: 'service',
    messages: asked,
    tools: [weather],
  })
  const message = first.choices[0]?.message
  expect(first.choices[0]?.finish_reason).toBe('tool_calls')
  const [toolCall] = message?.tool_calls ?? []
  if (toolCall?.type !== 'function') throw new Error('no function call')
  expect(toolCall.function).toEqual({ name: 'weather', arguments: '{"city":"חיפה"}' })
  expect(toolCall.id).toMatch(/^call_[0-9A-Za-z]{24}$/)
  const { session_id } = blockOf(first)
  const second = await client().chat.completions.create({
    model: 'service',
    tools: [weather],
    messages: [
      ...asked,
      { role: 'assistant', content: message?.content ?? '', tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: toolCall.id, content: 'sunny, 25°' },
    ],
    metadata: { 'service.session_id': session_id },
  })
  expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It is sunny.' } })
  expect(blockOf(second)).toMatchObject({ session_id })
  expect(blockOf(second).run_id).not.toBe(blockOf(first).run_id)
  expect(world.upstream.requests[index + 1]?.body.messages.slice(1)).toEqual([
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: 'Let me ask.',
      tool_calls: [{ id: expect.any(String), type: 'function', function: toolCall.function }],
    },
    { role: 'tool', tool_call_id: expect.any(String), content: 'sunny, 25°' },
  ])
  expect(resultsFollowCalls(world.upstream.requests[index + 1]?.body)).toBe(true)
})

test("a reply that calls client and server tools hands over only the client's call", async () => {
  world.upstream.enqueue(
    callTools([
      { name: 'list_files', arguments: {} },
      { name: 'weather', arguments: { city: 'Haifa' } },
    ]),
  )
  const stream = client().chat.completions.stream({
    model: 'service',
    messages: messages('Both'),
    tools: [weather],
  })
  const final = await stream.finalChatCompletion()
  expect(final.choices[0]?.finish_reason).toBe('tool_calls')
  const names = final.choices[0]?.message.tool_calls?.map((made) => 'function' in made && made.function.name)
  expect(names).toEqual(['weather'])
  expect(blockOf(final).usage).toMatchObject({ model_calls: 1, tool_calls: 1 })
})
