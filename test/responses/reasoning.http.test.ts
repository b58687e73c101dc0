import OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { callTools, reply, type ScriptedCall } from '../support/upstream-scripts.ts'
import { useWorld } from '../support/world/world.ts'

let client: OpenAI

const world = useWorld({ library: 'concepts' })
beforeAll(async () => {
  client = new OpenAI({ apiKey: world.key, baseURL: `${world.service.url}/v1`, maxRetries: 0 })
})

const search: ScriptedCall = { name: 'search_sources', arguments: { query: 'bittul' } }
const line = 'Searching for "bittul"\n'
const summary = [{ type: 'summary_text', text: line }]
const asked = { model: 'service', input: 'What is bittul?', reasoning: { summary: 'auto' } } as const
const typesOf = ({ output }: OpenAI.Responses.Response) => output.map(({ type }) => type)

test.each([
  ['`reasoning.summary`', { reasoning: { summary: 'detailed' as const } }],
  ['`x_service.reasoning`', { x_service: { reasoning: true } }],
])('%s puts the tool calls in an item before the message', async (_, more) => {
  world.upstream.enqueue(callTools([search]), reply('An answer.'))
  const response = await client.responses.create({ model: 'service', input: 'What is bittul?', ...more })
  expect(response.output).toMatchObject([
    { type: 'reasoning', id: expect.stringMatching(/^rs_/), summary },
    { type: 'message' },
  ])
  expect(response.output_text).toBe('An answer.')
  expect((await client.responses.retrieve(response.id)).output).toEqual(response.output)
})

test('a response has no reasoning unless the request wants it', async () => {
  for (const more of [
    {},
    { reasoning: { effort: 'high' } },
    { reasoning: { summary: 'none' } },
    { reasoning: { summary: 'auto' }, x_service: { reasoning: false } },
  ]) {
    world.upstream.enqueue(callTools([search]), reply('An answer.'))
    const body = { model: 'service', input: 'What is bittul?', ...more } as typeof asked
    expect(typesOf(await client.responses.create(body))).toEqual(['message'])
  }
})

test('a stream completes the item before the message begins, and its end has the same output', async () => {
  world.upstream.enqueue(callTools([search]), reply('An answer.'))
  const stream = client.responses.stream(asked)
  const seen: string[] = []
  for await (const event of stream) {
    const place = 'output_index' in event ? ` ${event.output_index}` : ''
    seen.push(`${event.type.replace('response.', '')}${place}`)
    if (event.type === 'response.reasoning_summary_text.delta') expect(event.delta).toBe(line)
  }
  expect(seen.filter((type, at) => type !== seen[at - 1])).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'reasoning_summary_part.added 0',
    'reasoning_summary_text.delta 0',
    'reasoning_summary_text.done 0',
    'reasoning_summary_part.done 0',
    'output_item.done 0',
    'output_item.added 1',
    'content_part.added 1',
    'output_text.delta 1',
    'output_text.done 1',
    'content_part.done 1',
    'output_item.done 1',
    'completed',
  ])
  const response = await stream.finalResponse()
  expect(response.output).toMatchObject([{ type: 'reasoning', summary }, { type: 'message' }])
})

test("a call of the client's tool comes after the reasoning", async () => {
  const tools = [{ type: 'function', name: 'weekday', parameters: { type: 'object' }, strict: null }] as const
  world.upstream.enqueue(callTools([search]), callTools([{ name: 'weekday', arguments: {} }]))
  const stream = client.responses.stream({ ...asked, tools: [...tools] })
  const places: number[] = []
  for await (const event of stream)
    if (event.type === 'response.function_call_arguments.done') places.push(event.output_index)
  expect(places).toEqual([1])
  expect(typesOf(await stream.finalResponse())).toEqual(['reasoning', 'function_call'])
})

test('a history with the item goes on in the same session', async () => {
  world.upstream.enqueue(callTools([search]), reply('An answer.'), reply('Another.'))
  const first = await client.responses.create(asked)
  const input = [
    { role: 'user', content: asked.input },
    ...first.output,
    { role: 'user', content: 'And more?' },
  ] as OpenAI.Responses.ResponseInput
  const second = await client.responses.create({ ...asked, input })
  const sessionOf = (response: object) => (response as { x_service: { session_id: string } }).x_service
  expect(sessionOf(second).session_id).toBe(sessionOf(first).session_id)
  expect(typesOf(second)).toEqual(['message'])
})
