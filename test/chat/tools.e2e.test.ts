import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { expect, test } from 'vitest'
import { resultsFollowCalls } from '../support/told.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { makeKey, makeProject } from '../support/world/accounts.ts'
import type { Completion, ErrorReply } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
const question = { role: 'user' as const, content: 'Weather?' }

/** A turn that has asked for the weather of two cities. */
async function askWeather(): Promise<Completion> {
  const cities = ['חיפה', 'Zefat'].map((city) => ({ name: 'weather', arguments: { city } }))
  world.upstream.enqueue(callTools(cities, { text: 'Let me ask.' }))
  return (await (await world.chat(ask('Weather?', { tools }))).json()) as Completion
}

const callIds = (paused: Completion) => paused.choices[0]?.message.tool_calls?.map(({ id }) => id) ?? []
const result = (id: string, content = 'sunny') => ({ role: 'tool' as const, tool_call_id: id, content })

/** The whole history, as a stock agent loop sends it: no session is named. */
const history = (paused: Completion, results: readonly ChatCompletionMessageParam[]) => [
  question,
  { role: 'assistant', ...paused.choices[0]?.message },
  ...results,
]

const post = (messages: readonly object[], more: object = {}, key = world.key) =>
  world.chat({ model: 'service', tools, messages, ...more }, { key })
const answered = async (...args: Parameters<typeof post>) =>
  (await (await post(...args)).json()) as Completion

/** What the model was told last, but for the service's own words. */
const lastTold = () => world.upstream.requests.at(-1)?.body.messages.slice(1)

test('a loop that sends its whole history continues the session without its scope', async () => {
  const paused = await askWeather()
  const key = await makeKey(world.db.database, world.accountId, {
    reach: { kind: 'owner' },
    scopes: ['chat:write'],
  })
  world.upstream.enqueue(reply('Sunny in both.'))
  const [haifa = '', zefat = ''] = callIds(paused)
  const final = await answered(history(paused, [result(zefat), result(haifa)]), {}, key)
  expect(final.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'Sunny in both.' },
  })
  expect(final.x_service.session_id).toBe(paused.x_service.session_id)
  expect(final.x_service.run_id).not.toBe(paused.x_service.run_id)
  const { data } = await world.get<{ data: { role: string }[] }>(
    `/v1/agent/sessions/${paused.x_service.session_id}/messages`,
  )
  expect(data.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
})

test('a quotation of a result is from the tool, also in a later turn', async () => {
  const said = 'Sunny in the valleys and cold on the hills'
  const paused = await askWeather()
  const [haifa = '', zefat = ''] = callIds(paused)
  world.upstream.enqueue(reply(`It says “${said}”.`), reply(`As I said, “${said}”.`))
  const first = await answered(history(paused, [result(haifa, said), result(zefat)]))
  const session_id = first.x_service.session_id
  const later = await answered([question], { x_service: { session_id } })
  for (const { choices, x_service } of [first, later]) {
    expect((x_service as { quotations?: unknown }).quotations).toMatchObject([
      { quote: said, result: 'from_tool', source_kind: 'tool' },
    ])
    expect(choices[0]?.message.content).not.toContain('not found')
  }
})

test('the results alone are enough, streamed too', async () => {
  const paused = await askWeather()
  world.upstream.enqueue(reply('Sunny.'))
  const response = await post(
    callIds(paused).map((id) => result(id)),
    { stream: true },
  )
  expect(response.headers.get('x-service-session-id')).toBe(paused.x_service.session_id)
  expect(await response.text()).toContain('Sunny.')
  expect(lastTold()?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
})

test('calls answered before get a new session with the conversation up to them', async () => {
  const paused = await askWeather()
  world.upstream.enqueue(reply('One.'), reply('Two.'))
  const results = (content: string) => callIds(paused).map((id) => result(id, content))
  const one = await answered(history(paused, results('sunny')))
  const two = await answered(history(paused, results('rainy')))
  expect(one.x_service.session_id).toBe(paused.x_service.session_id)
  expect(two.x_service.session_id).not.toBe(paused.x_service.session_id)
  expect(lastTold()?.map(({ content }) => content)).toEqual(['Weather?', 'Let me ask.', 'rainy', 'rainy'])
})

test('a history with calls that others made is a conversation of its own', async () => {
  world.upstream.enqueue(reply('I see.'))
  const made = { id: 'call_other', type: 'function', function: { name: 'weather', arguments: '{}' } }
  const final = await answered([
    question,
    { role: 'assistant', content: null, tool_calls: [made] },
    result('call_other', 'rain'),
  ])
  expect(final.choices[0]?.message.content).toBe('I see.')
  expect(lastTold()?.at(-1)).toMatchObject({ role: 'tool', content: 'rain' })
  expect(resultsFollowCalls(world.upstream.requests.at(-1)?.body)).toBe(true)
})

test('calls and results that do not match are refused before anything runs', async () => {
  const paused = await askWeather()
  const [first = '', second = ''] = callIds(paused)
  const asked = world.upstream.requests.length
  const cases: readonly (readonly [readonly object[], RegExp])[] = [
    [history(paused, [result(first)]), new RegExp(`No result for the tool call "${second}"`)],
    [history(paused, [result(first), result(second), result('call_x')]), /no open tool call "call_x"/],
    [history(paused, [result(first), result(first), result(second)]), /no open tool call/],
    [[question, result('call_x')], /no open tool call "call_x"/],
  ]
  for (const [messages, says] of cases) {
    const response = await post(messages)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as ErrorReply
    expect(error).toMatchObject({ code: 'invalid_value', param: 'messages' })
    expect(error.message).toMatch(says)
  }
  expect(world.upstream.requests.length).toBe(asked)
})

test('results for calls of another session or project than the named one are refused', async () => {
  const [paused, other] = [await askWeather(), await askWeather()]
  const project = await makeProject(world.db.database, world.accountId)
  const messages = callIds(paused).map((id) => result(id))
  for (const x_service of [{ session_id: other.x_service.session_id }, { project_id: project }]) {
    const response = await post(messages, { x_service })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_value', param: 'messages' } })
  }
})

test('a key cannot answer calls of what it does not see', async () => {
  const paused = await askWeather()
  const stranger = await makeKey(world.db.database, world.accountId)
  const response = await post(
    callIds(paused).map((id) => result(id)),
    {},
    stranger,
  )
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_value' } })
})

test("a reply that calls client and server tools hands over only the client's call", async () => {
  world.upstream.enqueue(callTools(['list_files', 'weather'].map((name) => ({ name, arguments: {} }))))
  const { choices, x_service } = await answered([{ role: 'user', content: 'Both' }])
  expect(choices[0]?.finish_reason).toBe('tool_calls')
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'weather' } }])
  expect(x_service.usage).toMatchObject({ model_calls: 1, tool_calls: 1 })
})
