import type OpenAI from 'openai'
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, collect, lastResponse, serviceOf } from '../support/responses.ts'
import { toldIn } from '../support/told.ts'
import { callTools, gate, reply, type UpstreamBody } from '../support/upstream-scripts.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld({ script: (body) => reply(answerTo(body)) })
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const answerTo = ({ messages }: UpstreamBody) => `Answer to “${messages.at(-1)?.content}”.`
const user = (content: string): ResponseInputItem => ({ role: 'user', content })

/** What the model got last, without the instructions of the service. */
const lastTold = () => toldIn(world.upstream.requests.at(-1)?.body)

/** Roles and texts of the items, oldest first. */
async function itemsIn(conversation: string) {
  const items: unknown[] = []
  for await (const item of openai.conversations.items.list(conversation, { order: 'asc', limit: 2 })) {
    const [part] = item.type === 'message' ? item.content : []
    items.push(item.type === 'message' ? [item.role, part && 'text' in part ? part.text : part] : item.type)
  }
  return items
}

test('a conversation keeps its metadata until it is deleted', async () => {
  const metadata = { subject: 'joy' }
  const made = await openai.conversations.create({ metadata })
  expect(made).toMatchObject({ object: 'conversation', metadata })
  expect(made.id).toMatch(/^conv_/)
  expect(await openai.conversations.retrieve(made.id)).toEqual(made)
  const changed = { subject: 'bittul', by: 'me' }
  expect(await openai.conversations.update(made.id, { metadata: changed })).toMatchObject({
    metadata: changed,
  })
  expect(await openai.conversations.retrieve(made.id)).toMatchObject({ metadata: changed })
  expect(await openai.conversations.delete(made.id)).toEqual({
    id: made.id,
    object: 'conversation.deleted',
    deleted: true,
  })
  await expect(openai.conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
})

test('a conversation may be created without a body', async () => {
  expect(await openai.conversations.create()).toMatchObject({ metadata: {} })
})

test('responses of a conversation have its items, whole or streamed', async () => {
  const { id } = await openai.conversations.create({
    items: [{ role: 'developer', content: 'Be brief.' }, user('I am Chaim.')],
  })
  const first = await openai.responses.create({ model, input: 'One', conversation: id })
  expect(first.conversation).toEqual({ id })
  expect(lastTold()).toEqual([
    ['system', 'Be brief.'],
    ['user', 'I am Chaim.\n\nOne'],
  ])
  const events = await collect(
    await openai.responses.create({ model, input: 'Two', conversation: { id }, stream: true }),
  )
  const second = lastResponse(events)
  expect(second.conversation).toEqual({ id })
  expect([first, second].map((one) => serviceOf(one).session_id)).toEqual(
    Array(2).fill(id.replace('conv_', 'sess_')),
  )
  expect(await itemsIn(id)).toEqual([
    ['system', 'Be brief.'],
    ['user', 'I am Chaim.'],
    ['user', 'One'],
    ['assistant', first.output_text],
    ['user', 'Two'],
    ['assistant', 'Answer to “Two”.'],
  ])
})

test('items that are added between two responses are in the second one', async () => {
  const { id } = await openai.conversations.create()
  const first = await openai.responses.create({ model, input: 'One', conversation: id })
  const added = await openai.conversations.items.create(id, {
    items: [user('By the way'), { role: 'assistant', content: 'Noted.' }],
  })
  expect(added.data.map((item) => item.type)).toEqual(['message', 'message'])
  await openai.responses.create({ model, input: 'Two', conversation: id })
  expect(lastTold()).toEqual([
    ['user', 'One'],
    ['assistant', first.output_text],
    ['user', 'By the way'],
    ['assistant', 'Noted.'],
    ['user', 'Two'],
  ])
})

test('calls and their outputs are items, each with an id that finds it', async () => {
  const { id } = await openai.conversations.create({
    items: [
      user('Weather?'),
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    ],
  })
  const { data } = await openai.conversations.items.list(id)
  expect(data.map(({ type }) => type)).toEqual(['function_call_output', 'function_call', 'message'])
  for (const item of data) {
    const found = await openai.conversations.items.retrieve(item.id ?? '', { conversation_id: id })
    expect(found).toEqual(item)
  }
})

test('a deleted item is in no later response', async () => {
  const { id } = await openai.conversations.create({ items: [user('Keep'), user('Forget')] })
  const [item] = (await openai.conversations.items.list(id)).data
  const shown = await openai.conversations.items.delete(item?.id ?? '', { conversation_id: id })
  expect(shown).toMatchObject({ id, object: 'conversation' })
  await openai.responses.create({ model, input: 'One', conversation: id })
  expect(lastTold()).toEqual([['user', 'Keep\n\nOne']])
})

test('an item of a turn that has not ended cannot be deleted', async () => {
  const { id } = await openai.conversations.create()
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, { text: 'Done.' }])
  const { id: response } = await openai.responses.create({
    model,
    input: 'One',
    conversation: id,
    background: true,
  })
  const [item] = (await openai.conversations.items.list(id)).data
  const remove = () => openai.conversations.items.delete(item?.id ?? '', { conversation_id: id })
  await expect(remove()).rejects.toMatchObject({ status: 409, code: 'session_busy' })
  held.open()
  await expect.poll(async () => (await openai.responses.retrieve(response)).status).toBe('completed')
  await remove()
})

test('a history that continued a session does not after its items were changed', async () => {
  const ask = (input: ResponseInputItem[]) => openai.responses.create({ model, input })
  const first = await ask([user('Known?')])
  const conversation = serviceOf(first).session_id.replace('sess_', 'conv_')
  await openai.conversations.items.create(conversation, { items: [user('Something more')] })
  const next = await ask([user('Known?'), ...(first.output as ResponseInputItem[]), user('Next')])
  expect(serviceOf(next).session_id).not.toBe(serviceOf(first).session_id)
})

test('requests that name two places, or a conversation of others, are refused', async () => {
  const [one, two] = [await openai.conversations.create(), await openai.conversations.create()]
  const first = await openai.responses.create({ model, input: 'One', conversation: one.id })
  const both = { model, input: 'Two', conversation: one.id, previous_response_id: first.id }
  await expect(openai.responses.create(both)).rejects.toMatchObject({ status: 400, param: 'conversation' })
  const x_service = { session_id: two.id.replace('conv_', 'sess_') }
  const named = { model, input: 'Two', conversation: one.id, x_service }
  await expect(openai.responses.create(named)).rejects.toMatchObject({ status: 400, param: 'conversation' })
  for (const conversation of ['conv_unknown', one.id.replace('conv_', 'sess_'), { id: 'conv_x' }])
    await expect(openai.responses.create({ model, input: 'Two', conversation })).rejects.toMatchObject({
      status: 404,
    })
})

test('a reference is no item that a conversation takes', async () => {
  const items = [{ type: 'item_reference' as const, id: 'msg_x' }]
  await expect(openai.conversations.create({ items })).rejects.toMatchObject({ status: 400, param: 'items' })
})

const sessionOf = (response: object) => serviceOf(response).session_id

test.each([false, true])('input that resends its history is one session (stream: %s)', async (stream) => {
  const input: ResponseInputItem[] = [user(`One, ${stream}`)]
  const sessions: string[] = []
  for (const next of ['Two', 'Three', 'Four']) {
    // Instructions are for one turn, so they may change.
    const body = { model, input, instructions: `Before ${next}` }
    const response = stream
      ? lastResponse(await collect(await openai.responses.create({ ...body, stream: true })))
      : await openai.responses.create(body)
    sessions.push(sessionOf(response))
    input.push(...(response.output as ResponseInputItem[]), user(next))
  }
  expect(new Set(sessions).size).toBe(1)
})

test('input with references to earlier answers is one session', async () => {
  const first = await openai.responses.create({ model, input: [user('By reference')] })
  const [message] = first.output
  const input: ResponseInputItem[] = [user('By reference')]
  input.push({ type: 'item_reference', id: message?.id ?? '' }, user('Next'))
  expect(sessionOf(await openai.responses.create({ model, input }))).toBe(sessionOf(first))
})

test('an agent loop that resends its calls and their outputs is one session', async () => {
  const weather: FunctionTool = {
    type: 'function',
    name: 'weather',
    parameters: { type: 'object', properties: {} },
    strict: false,
  }
  world.upstream.enqueue(callTools([{ name: 'weather', arguments: {} }]))
  const input: ResponseInputItem[] = [user('Weather?')]
  const paused = await openai.responses.create({ model, input, tools: [weather] })
  input.push(...(paused.output as ResponseInputItem[]))
  for (const item of paused.output)
    if (item.type === 'function_call')
      input.push({ type: 'function_call_output', call_id: item.call_id, output: 'sunny' })
  const second = await openai.responses.create({ model, input, tools: [weather] })
  input.push(...(second.output as ResponseInputItem[]), user('Thanks'))
  const third = await openai.responses.create({ model, input, tools: [weather] })
  expect([second, third].map(sessionOf)).toEqual([sessionOf(paused), sessionOf(paused)])
})
