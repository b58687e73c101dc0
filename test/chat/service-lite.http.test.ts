import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, useWorld, type World } from '../support/world/world.ts'

let builtIn: World

const world = useWorld({
  ...unhurried,
  library: 'concepts',
  script: [{ text: 'Joy, as [1] “says” [S1]' }],
})
beforeAll(async () => {
  builtIn = await openWorld({ model: 'built-in', library: 'concepts' })
})
afterAll(() => builtIn.close())

async function ask(where: World, fields: object, key = where.key) {
  const body = { model: 'service-lite', ...fields }
  return bodyOf(call(where.service, key, 'POST', '/v1/chat/completions', body))
}

const user = (content: string) => [{ role: 'user', content }]

test('a turn of service-lite is one call with a small prompt and no tools', async () => {
  const before = world.upstream.requests.length
  const tools = [{ type: 'function', function: { name: 'of_the_client', parameters: {} } }]
  const { x_service, choices } = await ask(world, { messages: user('Title for: what is joy?'), tools })
  const sent = world.upstream.requests.slice(before).map(({ body }) => body)
  expect(sent).toHaveLength(1)
  expect(sent[0]?.tools).toBeUndefined()
  const [system] = sent[0]?.messages ?? []
  expect(String(system?.content).length).toBeLessThan(400)
  expect(x_service.usage).toMatchObject({ model_calls: 1, tool_calls: 0 })
  expect(choices[0].finish_reason).toBe('stop')
})

test('an answer of service-lite has no sources, and nothing in it was checked or listed', async () => {
  const { x_service, choices } = await ask(world, { messages: user('What is joy?') })
  expect(choices[0].message.content).toContain('Joy, as [1] “says”')
  expect(choices[0].message.content).not.toContain('Sources')
  expect(x_service).toMatchObject({ sources: [], quotations: [], unknown_refs: [] })
})

test('service-lite is listed with its name, its window, its own price, and without citations', async () => {
  const { data } = await bodyOf(call(world.service, world.key, 'GET', '/v1/models'))
  const [service, lite] = data
  expect(service).toMatchObject({ id: 'service', citations: true, pricing: { tool_call: 0.05 } })
  expect(lite).toMatchObject({
    ...{ id: 'service-lite', name: 'service-lite', citations: false, context_length: 128_000 },
    pricing: { input: 100, output: 400, tool_call: 0 },
  })
})

test('the built-in models are listed with the few parameters that they obey', async () => {
  const { data } = await bodyOf(call(builtIn.service, builtIn.key, 'GET', '/v1/models'))
  const obeyed = ['max_completion_tokens', 'max_tokens', 'response_format', 'stop', 'structured_outputs']
  expect(data[1].supported_parameters).toEqual(obeyed)
  expect(data[0].supported_parameters).toEqual([...obeyed, 'include_reasoning', 'reasoning'].toSorted())
})

test('a title holds and costs less than a turn of the agent', async () => {
  const cap = { settings: { totalCapMicros: 100_000n } }
  const key = await makeKey(world.db.database, world.accountId, cap)
  const { usage } = await ask(world, { messages: user('What is joy?'), max_tokens: 20 }, key)
  expect(usage.cost).toBeGreaterThan(0)
  expect(usage.cost).toBeLessThan(0.1)
})

test('the built-in service-lite makes a title of the first question, within the limit of tokens', async () => {
  const prompt = `### Task:\nGenerate a concise, 3-5 word title.\n### Output:\nJSON format: { "title": "your title" }
### Chat History:\n<chat_history>\nUSER: What does the Tanya mean by a beinoni?\nASSISTANT: He who …\n</chat_history>`
  const titled = await ask(builtIn, { messages: user(prompt), max_tokens: 1_000 })
  expect(JSON.parse(titled.choices[0].message.content)).toEqual({
    title: 'What does the Tanya mean by a beinoni',
  })
  const messages = [
    ...user('What does the Tanya mean by a beinoni?'),
    { role: 'assistant', content: 'He who …' },
    ...user('Write a title of at most five words for this conversation.'),
  ]
  const plain = await ask(builtIn, { messages })
  expect(plain.choices[0].message.content).toBe('What does the Tanya mean by a beinoni')
  const cut = await ask(builtIn, { messages, max_tokens: 4 })
  expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'What does the' } })
})

test.each([
  ['tags', '{ "tags": ["tag1", "tag2"] }', { tags: ['General'] }],
  ['follow-ups', '{ "follow_ups": ["Question 1?"] }', { follow_ups: [] }],
  ['search queries', '{ "queries": ["query1"] }', { queries: [] }],
])('the built-in service-lite answers a request for %s in its form', async (_, form, expected) => {
  const { choices } = await ask(builtIn, { messages: user(`### Output:\nJSON format: ${form}\nUSER: Hi`) })
  expect(JSON.parse(choices[0].message.content)).toEqual(expected)
})

test('the built-in service-lite fills a JSON Schema with its title', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const response_format = { type: 'json_schema', json_schema: { name: 'title', schema } }
  const { choices } = await ask(builtIn, { messages: user('What is joy?'), response_format })
  expect(JSON.parse(choices[0].message.content)).toEqual({ name: 'What is joy' })
})
