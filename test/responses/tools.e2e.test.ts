import type OpenAI from 'openai'
import type {
  FunctionTool,
  Response,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, collect, lastResponse, serviceOf } from '../support/responses.ts'
import { resultsFollowCalls } from '../support/told.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { makeKey, makeProject } from '../support/world/accounts.ts'
import { call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const weather: FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}
const tools = [weather]

const callsOf = (response: Response) =>
  response.output.filter((item): item is ResponseFunctionToolCall => item.type === 'function_call')
const outputsFor = (response: Response, output = 'sunny'): ResponseInputItem[] =>
  callsOf(response).map(({ call_id }) => ({ type: 'function_call_output', call_id, output }))

/** A response that has asked for the weather of two cities. */
async function askWeather(input = 'Weather?'): Promise<Response> {
  const cities = ['חיפה', 'Zefat'].map((city) => ({ name: 'weather', arguments: { city } }))
  world.upstream.enqueue(callTools(cities, { text: 'Let me ask.' }))
  return openai.responses.create({ model, input, tools })
}

/** What the model was told last, but for the service's own words. */
const lastTold = () => world.upstream.requests.at(-1)?.body.messages.slice(1)

test('a client function call pauses the turn until its output comes, streamed or not', async () => {
  const paused = await askWeather()
  expect(paused.status).toBe('completed')
  expect(paused.output).toMatchObject([
    { type: 'message', content: [{ text: 'Let me ask.' }] },
    { type: 'function_call', name: 'weather', arguments: '{"city":"חיפה"}', status: 'completed' },
    { type: 'function_call', name: 'weather', arguments: '{"city":"Zefat"}', status: 'completed' },
  ])
  world.upstream.enqueue(callTools([{ name: 'weather', arguments: { city: 'Lod' } }]))
  const events = await collect(
    await openai.responses.create({
      model,
      tools,
      stream: true,
      previous_response_id: paused.id,
      input: [...outputsFor(paused), { role: 'user', content: 'And Lod?' }],
    }),
  )
  expect(lastTold()?.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Weather?'],
    ['assistant', 'Let me ask.'],
    ['tool', 'sunny'],
    ['tool', 'sunny'],
    ['user', 'And Lod?'],
  ])
  expect(resultsFollowCalls(world.upstream.requests.at(-1)?.body)).toBe(true)
  expect(events.map((event) => event.type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  const second = lastResponse(events)
  world.upstream.enqueue(reply('All sunny.'))
  const final = await openai.responses.create({
    model,
    tools,
    previous_response_id: second.id,
    input: outputsFor(second),
  })
  expect(final.output_text).toBe('All sunny.')
  expect(new Set([paused, second, final].map((one) => serviceOf(one).session_id)).size).toBe(1)
})

test('a loop that sends its whole history continues the session without its scope', async () => {
  const paused = await askWeather()
  const sent: ResponseInputItem[] = [
    { role: 'user', content: 'Weather?' },
    ...(paused.output as ResponseInputItem[]),
    ...outputsFor(paused),
  ]
  const key = await makeKey(world.db.database, world.accountId, {
    reach: { kind: 'owner' },
    scopes: ['chat:write'],
  })
  world.upstream.enqueue(reply('Sunny.'))
  const response = await call(world.service, key, 'POST', '/v1/responses', { model, tools, input: sent })
  const final = (await response.json()) as Response
  expect(serviceOf(final)).toMatchObject({ session_id: serviceOf(paused).session_id, status: 'completed' })
  const stored = await world.get<{ data: { role: string }[] }>(
    `/v1/agent/sessions/${serviceOf(paused).session_id}/messages`,
  )
  expect(stored.data.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
})

test('items may be sent by their ids, the outputs in any order among them', async () => {
  const paused = await askWeather()
  const [first, second] = outputsFor(paused)
  const [message, one, two] = paused.output.map(({ id }) => ({
    type: 'item_reference' as const,
    id: id ?? '',
  }))
  if (!message || !one || !two || !first || !second) throw new Error('no items')
  world.upstream.enqueue(reply('Sunny.'))
  const question = { role: 'user' as const, content: 'Weather?' }
  const final = await openai.responses.create({
    model,
    tools,
    input: [question, message, two, second, one, first],
  })
  expect(serviceOf(final).session_id).toBe(serviceOf(paused).session_id)
  expect(resultsFollowCalls(world.upstream.requests.at(-1)?.body)).toBe(true)
  // The whole conversation over again, without any session: references are read as what they name.
  const [answer] = final.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }))
  if (!answer) throw new Error('no answer')
  world.upstream.enqueue(reply('Fresh.'))
  const fresh = await openai.responses.create({
    model,
    input: [question, message, one, two, first, second, answer, { role: 'user', content: 'Sure?' }],
  })
  expect(serviceOf(fresh).session_id).not.toBe(serviceOf(paused).session_id)
  expect(lastTold()?.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Weather?'],
    ['assistant', 'Let me ask.'],
    ['tool', 'sunny'],
    ['tool', 'sunny'],
    ['assistant', 'Sunny.'],
    ['user', 'Sure?'],
  ])
})

test('calls answered before are answered again in a new session', async () => {
  const paused = await askWeather()
  const answer = (output: string) =>
    openai.responses.create({
      model,
      tools,
      previous_response_id: paused.id,
      input: outputsFor(paused, output),
    })
  world.upstream.enqueue(reply('One.'), reply('Two.'))
  const one = await answer('sunny')
  const two = await answer('rainy')
  expect(serviceOf(one).session_id).toBe(serviceOf(paused).session_id)
  expect(serviceOf(two).session_id).not.toBe(serviceOf(paused).session_id)
  expect(lastTold()?.map(({ content }) => content)).toEqual(['Weather?', 'Let me ask.', 'rainy', 'rainy'])
})

test('a history with calls that others made is a conversation of its own', async () => {
  world.upstream.enqueue(reply('I see.'))
  const foreign = { call_id: 'call_of_another_service', name: 'weather', arguments: '{}' }
  const response = await openai.responses.create({
    model,
    input: [
      { role: 'user', content: 'Weather?' },
      { type: 'function_call', ...foreign },
      { type: 'function_call_output', call_id: foreign.call_id, output: 'rain' },
    ],
  })
  expect(response.output_text).toBe('I see.')
  expect(lastTold()).toEqual([
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: expect.any(String), type: 'function', function: { name: 'weather', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: expect.any(String), content: 'rain' },
  ])
  expect(resultsFollowCalls(world.upstream.requests.at(-1)?.body)).toBe(true)
})

test('calls and outputs that do not match are refused before anything runs', async () => {
  const paused = await askWeather()
  const [output] = outputsFor(paused)
  const stray: ResponseInputItem = { type: 'function_call_output', call_id: 'call_x', output: '' }
  const user: ResponseInputItem = { role: 'user', content: 'Go on' }
  const asked = world.upstream.requests.length
  const cases: readonly (readonly [ResponseInputItem[], string | undefined, RegExp])[] = [
    [[user], paused.id, /No output for the function call/],
    [output ? [output] : [], paused.id, /No output for the function call/],
    [[...outputsFor(paused), stray], paused.id, /no open function call "call_x"/],
    [[stray], undefined, /no open function call "call_x"/],
    [[{ type: 'function_call', call_id: 'call_y', name: 'f', arguments: '' }, user], undefined, /call_y/],
  ]
  for (const [input, previous_response_id, says] of cases) {
    const body = { model, tools, input, ...(previous_response_id && { previous_response_id }) }
    const refusal = await openai.responses.create(body).catch((fault: unknown) => fault)
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_value', param: 'input' })
    expect((refusal as Error).message).toMatch(says)
  }
  const reference = { type: 'item_reference' as const, id: `${paused.output[1]?.id}9` }
  await expect(openai.responses.create({ model, input: [reference, user] })).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
  })
  expect(world.upstream.requests.length).toBe(asked)
})

test('outputs for calls of another session or project than the named one are refused', async () => {
  const [paused, other] = [await askWeather(), await askWeather()]
  const project = await makeProject(world.db.database, world.accountId)
  const named = [
    { previous_response_id: other.id },
    { x_service: { session_id: serviceOf(other).session_id } },
    { x_service: { project_id: project } },
  ]
  for (const fields of named) {
    const body = { model, tools, input: outputsFor(paused), ...fields }
    const response = await call(world.service, world.key, 'POST', '/v1/responses', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_value', param: 'input' } })
  }
})

test('a key cannot refer to items, nor answer calls, of what it does not see', async () => {
  const paused = await askWeather()
  const key = await makeKey(world.db.database, world.accountId)
  const post = async (input: unknown) => {
    const response = await call(world.service, key, 'POST', '/v1/responses', { model, input })
    return { status: response.status, body: (await response.json()) as { error: { code: string } } }
  }
  const references = paused.output.map(({ id }) => ({ type: 'item_reference', id }))
  for (const reference of references) {
    const { status, body } = await post([reference, { role: 'user', content: 'Tell me' }])
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  }
  const { status, body } = await post(outputsFor(paused))
  expect([status, body.error.code]).toEqual([400, 'invalid_value'])
})
