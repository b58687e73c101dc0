import type OpenAI from 'openai'
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, collect, lastResponse, serviceOf } from '../support/responses.ts'
import { callTools, reply, type UpstreamBody } from '../support/upstream-scripts.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld({ script: (body) => reply(answerTo(body)) })
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'
const answerTo = ({ messages }: UpstreamBody) => `Answer to “${messages.at(-1)?.content}”.`
const sessionOf = (response: object) => serviceOf(response).session_id
const user = (content: string): ResponseInputItem => ({ role: 'user', content })

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

test('changed input and `continue: false` start a new session', async () => {
  const first = await openai.responses.create({ model, input: [user('Changed')] })
  const input = [...(first.output as ResponseInputItem[]), user('Next')]
  const changed = await openai.responses.create({ model, input: [user('Changed!'), ...input] })
  const off = { model, input: [user('Changed'), ...input], x_service: { continue: false } }
  const apart = await openai.responses.create(off)
  expect([changed, apart].map(sessionOf)).not.toContain(sessionOf(first))
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
