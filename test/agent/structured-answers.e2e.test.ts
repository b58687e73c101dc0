import { beforeAll, expect, test } from 'vitest'
import { schemaFault } from '../../src/agent/schema/json-schema.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import type { Completion, ErrorReply } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

/** A service without a language model. */
let extractive: TestService

const world = useWorld({ library: 'concepts' })
beforeAll(async () => {
  extractive = await world.start({ model: 'built-in' })
})

const schema = {
  type: 'object',
  properties: { answer: { type: 'string' }, sure: { type: 'boolean' } },
  required: ['answer', 'sure'],
  additionalProperties: false,
}
const response_format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } }
const listing = [{ name: 'list_files', arguments: {} }]
const contentOf = async (response: Response) =>
  ((await response.json()) as Completion).choices[0]?.message.content ?? ''

test.each([false, true])(
  'an answer that does not fit is made to fit, and paid for (streamed: %s)',
  async (stream) => {
    const index = world.upstream.requests.length
    world.upstream.enqueue(
      callTools(listing, { text: 'Let me look.' }),
      reply('It is so [S9].'),
      reply('{"answer":"It is so [S9].","sure":true}'),
    )
    const response = await world.chat(ask('Is it?', { response_format, stream }))
    expect(response.status).toBe(200)
    const text = stream ? textOf(await response.text()) : await contentOf(response)
    expect(JSON.parse(text)).toEqual({ answer: 'It is so.', sure: true })
    const [first, , third] = world.upstream.requests.slice(index)
    expect(first?.body['response_format']).toEqual(response_format)
    expect(third?.body['response_format']).toEqual(response_format)
    expect(JSON.stringify(first?.body.messages[0])).toContain('JSON')
  },
)

const textOf = (sse: string) =>
  [...sse.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('')

test('a model that never fits is a 502 that says so and what its replies cost', async () => {
  world.upstream.enqueue(reply('No.'), reply('Never.'))
  const response = await world.chat(ask('Is it?', { response_format }))
  expect(response.status).toBe(502)
  const { error, x_service } = (await response.json()) as ErrorReply & {
    x_service: { run_id: string; usage: { model_calls: number; cost: number } }
  }
  expect(error).toMatchObject({ code: 'upstream_error', message: expect.stringMatching(/not valid JSON/) })
  const run = String(response.headers.get('x-service-run-id'))
  expect(x_service.run_id).toBe(run)
  expect(x_service.usage.model_calls).toBe(1)
  const { cost } = x_service.usage
  expect(cost).toBeGreaterThan(0)
  expect(await world.get(`/v1/agent/runs/${run}`)).toMatchObject({ status: 'failed', usage: { cost } })
})

test('without a language model JSON and JSON that fits a schema come back too', async () => {
  for (const format of [{ type: 'json_object' }, response_format]) {
    const body = ask('What is a beinoni?', { response_format: format })
    const answer = JSON.parse(await contentOf(await world.chat(body, { at: extractive })))
    expect(answer.answer).toContain('beinoni')
    if (format === response_format) expect(schemaFault(schema, answer)).toBeNull()
  }
})

test('a schema that no answer can fit is refused before a turn starts', async () => {
  const asked = world.upstream.requests.length
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema: { not: {} } } }
  const response = await world.chat(ask('Is it?', { response_format: format }))
  expect(response.status).toBe(400)
  expect(response.headers.get('x-service-run-id')).toBeNull()
  expect(((await response.json()) as ErrorReply).error).toMatchObject({
    code: 'invalid_value',
    param: 'response_format.json_schema.schema',
    message: expect.stringContaining('must allow a value, but the schema excludes every value'),
  })
  expect(world.upstream.requests.length).toBe(asked)
})

test('the built-in model answers 400 to a schema that demands a text longer than the answer', async () => {
  const schema = { type: 'string', minLength: 100_000 }
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  const body = ask('What is a beinoni?', { response_format: format })
  const response = await call(extractive, world.key, 'POST', '/v1/chat/completions', body)
  expect(response.status).toBe(400)
  expect(((await response.json()) as ErrorReply).error).toMatchObject({ code: 'invalid_value' })
})
