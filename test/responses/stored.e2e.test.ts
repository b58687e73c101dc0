import type OpenAI from 'openai'
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { removeExpired } from '../../src/operations/retention.ts'
import { chargeOf, clientOf, costOf, runOf, serviceOf } from '../support/responses.ts'
import { callTools, gate, reply } from '../support/upstream-scripts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld({ script: reply('An answer.') })
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const user = (content: string): ResponseInputItem => ({ role: 'user', content })

test('the input items of a response are those that it added', async () => {
  const input: ResponseInputItem[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'One' }] },
    { role: 'assistant', content: 'Earlier.' },
    user('Two'),
  ]
  const first = await openai.responses.create({ model, input })
  const next = await openai.responses.create({ model, input: 'Three', previous_response_id: first.id })
  const listed: ResponseInputItem[] = []
  for await (const item of openai.responses.inputItems.list(first.id, { order: 'asc', limit: 3 }))
    listed.push(item as ResponseInputItem)
  expect(listed).toMatchObject([
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Earlier.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Two' }] },
  ])
  const { data } = await openai.responses.inputItems.list(next.id)
  expect(data).toMatchObject([{ role: 'user', content: [{ text: 'Three' }] }])
})

test('a deleted response is gone, and its charge stays', async () => {
  const response = await openai.responses.create({ model, input: 'Delete me' })
  const charged = await chargeOf(world, runOf(response.id))
  expect(charged).toBe(costOf(response))
  await openai.responses.delete(response.id)
  await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
  await expect(openai.responses.delete(response.id)).rejects.toMatchObject({ status: 404 })
  expect(await chargeOf(world, runOf(response.id))).toBe(charged)
  const run = runOf(response.id)
  for (const table of ['messages', 'run_log'])
    expect(await world.rows(`select 1 from ${table} where run_id = $1`, run)).toEqual([])
  // The session had no other turn.
  const { session_id } = serviceOf(response)
  expect(await world.rows('select 1 from sessions where id = $1', session_id)).toEqual([])
})

test('a session goes on without its deleted response', async () => {
  const first = await openai.responses.create({ model, input: 'One' })
  const previous_response_id = first.id
  const second = await openai.responses.create({ model, input: 'Two', previous_response_id })
  await openai.responses.delete(second.id)
  const third = await openai.responses.create({ model, input: 'Three', previous_response_id })
  expect(serviceOf(third).session_id).toBe(serviceOf(first).session_id)
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  expect(told?.map(({ content }) => content)).toEqual(['One', 'An answer.', 'Three'])
})

test('a response that has not ended is not deleted', async () => {
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, { text: 'Done.' }])
  const { id } = await openai.responses.create({ model, input: 'Wait', background: true })
  await expect(openai.responses.delete(id)).rejects.toMatchObject({ status: 409, code: 'session_busy' })
  held.open()
  await expect.poll(async () => (await openai.responses.retrieve(id)).status).toBe('completed')
  await openai.responses.delete(id)
})

const count = async (body: OpenAI.Responses.InputTokenCountParams) => {
  const counted = await openai.responses.inputTokens.count(body)
  expect(counted.object).toBe('response.input_tokens')
  return counted.input_tokens
}

test('input tokens grow with input, instructions, tools and conversation', async () => {
  const runs = await world.rows('select 1 from runs')
  const none = await count({})
  const text = 'What is bittul? '.repeat(100)
  const input = await count({ model, input: text })
  // About 400 tokens of four Latin characters.
  expect(input - none).toBeGreaterThan(390)
  expect(input - none).toBeLessThan(420)
  expect(await count({ model, input: text, instructions: text })).toBeGreaterThan(input + 390)
  const tools = [{ type: 'function' as const, name: 'f', description: text, parameters: {}, strict: false }]
  expect(await count({ model, input: text, tools })).toBeGreaterThan(input + 390)
  expect(await world.rows('select 1 from runs')).toHaveLength(runs.length)
  const { id } = await openai.conversations.create({ items: [user(text)] })
  expect(await count({ model, input: text, conversation: id })).toBeGreaterThan(input + 390)
  const first = await openai.responses.create({ model, input: text })
  expect(await count({ model, input: text, previous_response_id: first.id })).toBeGreaterThan(input + 390)
})

test('input tokens of an unknown model, conversation or response are refused', async () => {
  await expect(count({ model: 'other', input: 'x' })).rejects.toMatchObject({ code: 'model_not_found' })
  await expect(count({ model, input: 'x', conversation: 'conv_x' })).rejects.toMatchObject({ status: 404 })
  await expect(count({ model, previous_response_id: 'resp_x' })).rejects.toMatchObject({ status: 404 })
})

test('a response shows the parameters that change nothing as they were sent', async () => {
  const sent = {
    truncation: 'auto',
    service_tier: 'flex',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    max_tool_calls: 3,
    temperature: 0.2,
    top_p: 0.5,
    store: false,
  } satisfies Partial<ResponseCreateParamsNonStreaming>
  const penalties = { presence_penalty: 0.25, frequency_penalty: -1 }
  const body = { model, input: 'Echo', ...sent, ...penalties }
  expect(await openai.responses.create(body)).toMatchObject({ ...sent, ...penalties, top_logprobs: 0 })
  expect(await openai.responses.create({ model, input: 'Plain' })).toMatchObject({
    truncation: 'disabled',
    service_tier: 'default',
    prompt_cache_key: null,
    safety_identifier: null,
    max_tool_calls: null,
    presence_penalty: 0,
    frequency_penalty: 0,
    store: true,
  })
})

test('a response with `store: false` is read and continued by nobody', async () => {
  const { id, output } = await openai.responses.create({ model, input: 'A secret', store: false })
  const item = output[0]?.id ?? ''
  const gone = { status: 404, code: 'not_found' }
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject(gone)
  await expect(openai.responses.inputItems.list(id)).rejects.toMatchObject(gone)
  await expect(openai.responses.delete(id)).rejects.toMatchObject(gone)
  await expect(
    openai.responses.create({ model, input: 'More', previous_response_id: id }),
  ).rejects.toMatchObject({ ...gone, param: 'previous_response_id' })
  const input = [
    { type: 'item_reference' as const, id: item },
    { role: 'user' as const, content: 'More' },
  ]
  await expect(openai.responses.create({ model, input })).rejects.toMatchObject(gone)
})

test('a response in the background cannot be one with `store: false`', async () => {
  const asked = openai.responses.create({ model, input: 'Later', store: false, background: true })
  await expect(asked).rejects.toMatchObject({ status: 400, param: 'store' })
})

/** The content of these responses has had its time. */
const rest = (...sessions: readonly string[]) =>
  world.rows(
    `update runs set finished_at = finished_at - interval '16 minutes' where session_id = any($1) returning id`,
    sessions,
  )

test('the content of a response with `store: false` goes, and its run and charge stay', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'search_sources', arguments: { query: 'secret' } }]),
    reply('A secret answer.'),
  )
  const response = await openai.responses.create({
    model,
    input: 'A secret question',
    instructions: 'A secret instruction',
    text: { format: { type: 'text' } },
    store: false,
  })
  const { session_id, run_id } = serviceOf(response)
  expect(await removeExpired(world.db.database)).toBe(0)
  await rest(session_id)
  expect(await removeExpired(world.db.database)).toBe(1)
  expect(await removeExpired(world.db.database)).toBe(0)
  for (const table of ['runs', 'run_log', 'messages', 'sessions']) {
    const of = table === 'sessions' ? 'id = $2' : table === 'runs' ? 'id = $1' : 'run_id = $1'
    const found = await world.rows(
      `select 1 from ${table} t where ${of} and t::text ilike '%secret%' and $1 <> $2`,
      run_id,
      session_id,
    )
    expect([table, found]).toEqual([table, []])
  }
  expect(await chargeOf(world, runOf(response.id))).toBe(costOf(response))
  const run = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${run_id}?explain=true`))
  expect(run).toMatchObject({ status: 'completed', usage: { cost: costOf(response) } })
  await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
})

test('a session keeps its stored turns when the content of another one goes', async () => {
  const first = await openai.responses.create({ model, input: 'One' })
  const { session_id } = serviceOf(first)
  const previous_response_id = first.id
  await openai.responses.create({ model, input: 'Two', previous_response_id, store: false })
  await rest(session_id)
  expect(await removeExpired(world.db.database)).toBe(1)
  await openai.responses.create({ model, input: 'Three', conversation: session_id.replace('sess_', 'conv_') })
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  expect(told?.map(({ content }) => content)).toEqual(['One', 'An answer.', 'Three'])
})
