import type OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, collect, serviceOf } from '../support/responses.ts'
import { toldIn } from '../support/told.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const patch = '*** Begin Patch\n+ "שלום"\n*** End Patch'
const grammar = { syntax: 'lark' as const, definition: 'start: "*** Begin Patch" /.+/' }
const tool = { name: 'apply_patch', description: 'Edits files' }
const chatTool = {
  type: 'custom' as const,
  custom: { ...tool, format: { type: 'grammar' as const, grammar } },
}
const responsesTool = { type: 'custom' as const, ...tool, format: { type: 'grammar' as const, ...grammar } }
const calling = callTools([{ name: 'apply_patch', arguments: { input: patch } }])

const offered = () =>
  (world.upstream.requests.at(-1)?.body.tools ?? []).find(({ function: one }) => one.name === 'apply_patch')
const asFunction = {
  type: 'function',
  function: {
    name: 'apply_patch',
    description: expect.stringMatching(/^Edits files\n\n.*lark.*\nstart:/),
    parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
  },
}
const toldLast = () => JSON.stringify(toldIn(world.upstream.requests.at(-1)?.body))

test('a custom tool of a chat is called with its input as text, and answered', async () => {
  const question: ChatCompletionMessageParam = { role: 'user', content: 'Edit it' }
  const tool_choice = { type: 'custom' as const, custom: { name: 'apply_patch' } }
  world.upstream.enqueue(calling)
  const first = await openai.chat.completions.create({
    ...{ model, messages: [question], tools: [chatTool], tool_choice },
  })
  expect(offered()).toMatchObject(asFunction)
  expect(world.upstream.requests.at(-1)?.body).toMatchObject({
    tool_choice: { type: 'function', function: { name: 'apply_patch' } },
  })
  const [choice] = first.choices
  const called = choice?.message.tool_calls?.[0]
  expect(choice?.finish_reason).toBe('tool_calls')
  expect(called).toMatchObject({ type: 'custom', custom: { name: 'apply_patch', input: patch } })
  if (!choice || !called) return
  world.upstream.enqueue(reply('Edited.'))
  const second = await openai.chat.completions.create({
    model,
    tools: [chatTool],
    messages: [question, choice.message, { role: 'tool', tool_call_id: called.id, content: 'Applied' }],
  })
  expect(second.choices[0]?.message.content).toBe('Edited.')
  expect(serviceOf(second).session_id).toBe(serviceOf(first).session_id)
  expect(toldLast()).toContain('Applied')
})

test('a stream of a chat has the whole call of a custom tool in one delta', async () => {
  world.upstream.enqueue(calling)
  const messages = [{ role: 'user' as const, content: 'Edit it, streamed' }]
  const deltas = []
  for await (const { choices } of await openai.chat.completions.create({
    ...{ model, messages, tools: [chatTool], stream: true as const },
  }))
    deltas.push(...(choices[0]?.delta.tool_calls ?? []))
  expect(deltas).toMatchObject([{ index: 0, type: 'custom', custom: { name: 'apply_patch', input: patch } }])
})

test('a custom tool of a response is called and answered by items of its own types', async () => {
  const question: ResponseInputItem = { role: 'user', content: 'Edit it' }
  const tools = [responsesTool]
  world.upstream.enqueue(calling)
  const first = await openai.responses.create({ model, input: [question], tools })
  expect(offered()).toMatchObject(asFunction)
  expect(first.tools).toEqual([responsesTool])
  const [called] = first.output
  expect(called).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input: patch })
  if (called?.type !== 'custom_tool_call') return
  const output = { type: 'custom_tool_call_output' as const, call_id: called.call_id, output: 'Applied' }
  for (const [input, previous_response_id] of [
    [[output], first.id],
    [[question, called, output], undefined],
  ] as const) {
    world.upstream.enqueue(reply('Edited.'))
    const ids = previous_response_id === undefined ? {} : { previous_response_id }
    const next = await openai.responses.create({ model, input: [...input], tools, ...ids })
    expect(next.output_text).toBe('Edited.')
    expect(toldLast()).toContain('Applied')
    expect(toldLast()).not.toContain('Result of')
  }
})

test('a stream of a response has the events of a custom call', async () => {
  world.upstream.enqueue(calling)
  const tool_choice = { type: 'custom' as const, name: 'apply_patch' }
  const asked = { model, input: 'Edit it', tools: [responsesTool], tool_choice, stream: true as const }
  const events = await collect(await openai.responses.create(asked))
  expect(events.map(({ type }) => type).slice(2)).toEqual([
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.at(-1)).toMatchObject({ response: { tool_choice } })
})

test('the input of a custom tool is the arguments if the model wrote no JSON of them', async () => {
  for (const written of [patch, '{"other":1}', '[]']) {
    world.upstream.enqueue([{ toolCalls: [{ name: 'apply_patch', arguments: written }] }])
    const { output } = await openai.responses.create({ model, input: 'Edit', tools: [responsesTool] })
    expect(output).toMatchObject([{ type: 'custom_tool_call', input: written }])
  }
})
