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
