import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { callTools, reply, type ScriptedCall } from '../support/upstream-scripts.ts'
import type { ServiceInfo } from '../support/world/replies.ts'
import { question } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ library: 'concepts' })

const bittul: ScriptedCall = { name: 'search_sources', arguments: { query: 'bittul' } }

const lines = [
  'Searching for "bittul"\n',
  expect.stringMatching(/^Reading .*Concepts of Chassidut, Bitul 1.*\n$/),
]

type Seen = {
  content: string
  reasoning_content: unknown[]
  reasoning: unknown[]
  events: number
  session: string
}

/** What a stream shows, after a search, a reading and an answer. */
async function streamed(more: object, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  world.upstream.enqueue(
    callTools([bittul]),
    callTools([{ name: 'read_source', arguments: { ref: 'Concepts of Chassidut, Bitul 1' } }]),
    reply('An answer.'),
  )
  const client = new OpenAI({
    apiKey: world.key,
    baseURL: `${world.service.url}/v1`,
    defaultHeaders: headers,
  })
  const body = { ...question('What is bittul?'), ...more, stream: true } as unknown
  const stream = await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsStreaming)
  const seen: Seen = { content: '', reasoning_content: [], reasoning: [], events: 0, session: '' }
  for await (const chunk of stream) {
    const { content, reasoning_content, reasoning } = (chunk.choices[0]?.delta ?? {}) as Record<
      string,
      string
    >
    const block = (chunk as { x_service?: ServiceInfo & { event?: object } }).x_service
    seen.content += content ?? ''
    if (reasoning_content !== undefined) seen.reasoning_content.push(reasoning_content)
    if (reasoning !== undefined) seen.reasoning.push(reasoning)
    if (block?.event) seen.events += 1
    seen.session ||= block?.session_id ?? ''
  }
  return seen
}

type Whole = { choices: { message: { content: string; reasoning_content?: string; reasoning?: string } }[] }

/** The message of a whole reply to a turn with these tool calls. */
async function whole(more: object, calls: readonly ScriptedCall[] = [bittul]) {
  world.upstream.enqueue(...calls.map((one) => callTools([one])), reply('An answer.'))
  const response = await world.chat({ ...question('What is bittul?'), ...more })
  return ((await response.json()) as Whole).choices[0]?.message
}

test('a whole reply has in its message what the deltas of a stream say', async () => {
  const [searched] = lines
  const own = await whole({ x_service: { reasoning: true } })
  expect(own).toMatchObject({ content: 'An answer.', reasoning_content: searched })
  expect(own).not.toHaveProperty('reasoning')
  expect(await whole({ include_reasoning: true })).toMatchObject({ reasoning: searched })
  for (const [more, calls] of [
    [{}, [bittul]],
    [{ x_service: { reasoning: true } }, []],
  ] as const) {
    const plain = await whole(more, calls)
    expect(plain).toMatchObject({ content: 'An answer.' })
    expect(Object.keys(plain ?? {}).filter((name) => name.startsWith('reasoning'))).toEqual([])
  }
})

test('a stream has no reasoning unless the request wants it', async () => {
  for (const more of [
    {},
    { reasoning_effort: 'high' },
    { include_reasoning: false, reasoning: { effort: 'low' } },
    { reasoning: { effort: 'high', exclude: true } },
    { reasoning: { enabled: false } },
    { include_reasoning: true, x_service: { reasoning: false } },
  ])
    expect(await streamed(more)).toMatchObject({
      reasoning_content: [],
      reasoning: [],
      content: 'An answer.',
    })
})

test.each([
  ['`x_service.reasoning`', { x_service: { reasoning: true } }, {}],
  ['the header', {}, { 'x-service-reasoning': 'true' }],
])('%s reports searches and readings in reasoning_content', async (_, more, headers) => {
  const seen = await streamed(more, headers)
  expect(seen).toMatchObject({ reasoning_content: lines, reasoning: [], content: 'An answer.' })
  expect(seen.events).toBeGreaterThan(2)
})

test.each([
  { include_reasoning: true },
  { reasoning: { enabled: true } },
  { reasoning: { effort: 'medium' } },
  { reasoning: { max_tokens: 2_000 } },
])('%j reports them in reasoning', async (more) => {
  expect(await streamed(more)).toMatchObject({
    reasoning: lines,
    reasoning_content: [],
    content: 'An answer.',
  })
})

test('reasoning is shown without progress events too, and is not stored', async () => {
  const seen = await streamed({ x_service: { reasoning: true, progress: false } })
  expect(seen).toMatchObject({ reasoning_content: lines, events: 0 })
  const { data } = await world.get<{ data: object[] }>(`/v1/agent/sessions/${seen.session}/messages`)
  expect(data).toMatchObject([{ content: 'What is bittul?' }, { content: 'An answer.' }])
})

/** With the official client's default settings. */
const client = () => new OpenAI({ apiKey: world.key, baseURL: `${world.service.url}/v1` })

const line = 'Searching for "bittul"\n'
const summary = [{ type: 'summary_text', text: line }]
const asked = { model: 'service', input: 'What is bittul?', reasoning: { summary: 'auto' } } as const
const typesOf = ({ output }: OpenAI.Responses.Response) => output.map(({ type }) => type)

test.each([
  ['`reasoning.summary`', { reasoning: { summary: 'detailed' as const } }],
  ['`x_service.reasoning`', { x_service: { reasoning: true } }],
])('%s puts the tool calls in an item before the message', async (_, more) => {
  world.upstream.enqueue(callTools([bittul]), reply('An answer.'))
  const response = await client().responses.create({ model: 'service', input: 'What is bittul?', ...more })
  expect(response.output).toMatchObject([
    { type: 'reasoning', id: expect.stringMatching(/^rs_/), summary },
    { type: 'message' },
  ])
  expect(response.output_text).toBe('An answer.')
  expect((await client().responses.retrieve(response.id)).output).toEqual(response.output)
})

test('a response has no reasoning unless the request wants it', async () => {
  for (const more of [
    {},
    { reasoning: { effort: 'high' } },
    { reasoning: { summary: 'none' } },
    { reasoning: { summary: 'auto' }, x_service: { reasoning: false } },
  ]) {
    world.upstream.enqueue(callTools([bittul]), reply('An answer.'))
    const body = { model: 'service', input: 'What is bittul?', ...more } as typeof asked
    expect(typesOf(await client().responses.create(body))).toEqual(['message'])
  }
})

test('a stream completes the item before the message begins, and its end has the same output', async () => {
  world.upstream.enqueue(callTools([bittul]), reply('An answer.'))
  const stream = client().responses.stream(asked)
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
  world.upstream.enqueue(callTools([bittul]), callTools([{ name: 'weekday', arguments: {} }]))
  const stream = client().responses.stream({ ...asked, tools: [...tools] })
  const places: number[] = []
  for await (const event of stream)
    if (event.type === 'response.function_call_arguments.done') places.push(event.output_index)
  expect(places).toEqual([1])
  expect(typesOf(await stream.finalResponse())).toEqual(['reasoning', 'function_call'])
})

test('a history with the item goes on in the same session', async () => {
  world.upstream.enqueue(callTools([bittul]), reply('An answer.'), reply('Another.'))
  const first = await client().responses.create(asked)
  const input = [
    { role: 'user', content: asked.input },
    ...first.output,
    { role: 'user', content: 'And more?' },
  ] as OpenAI.Responses.ResponseInput
  const second = await client().responses.create({ ...asked, input })
  const sessionOf = (response: object) => (response as { x_service: { session_id: string } }).x_service
  expect(sessionOf(second).session_id).toBe(sessionOf(first).session_id)
  expect(typesOf(second)).toEqual(['message'])
})
