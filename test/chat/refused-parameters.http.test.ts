import { expect, test } from 'vitest'
import { error, reply } from '../support/scripted-upstream.ts'
import { call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

const messages = [{ role: 'user', content: 'Be brief.' }]
const ask = async (path: string, body: object) => {
  const response = await call(world.service, world.key, 'POST', path, { model: 'service', ...body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test('a parameter that the model refuses is left out, and the reply and its run say so', async () => {
  world.upstream.enqueue(error(400, "'seed' is not supported with this model"), reply('Done.'))
  const { status, body } = await ask('/v1/chat/completions', { messages, seed: 7 })
  expect(status).toBe(200)
  expect(body.choices[0].message.content).toBe('Done.')
  expect(body.x_service.usage.left_out).toEqual(['seed'])
  const run = await world.get<{ usage: object }>(`/v1/agent/runs/${body.x_service.run_id}`)
  expect(run.usage).toMatchObject({ left_out: ['seed'] })
})

const tooLarge = (name: string) => error(400, `${name} is too large: at most 4096`)

test.each([
  ['/v1/chat/completions', { messages, max_tokens: 99_999 }, 'max_tokens'],
  ['/v1/responses', { input: 'Be brief.', max_output_tokens: 99_999 }, 'max_output_tokens'],
])('%s answers 400 with the name of a parameter that cannot be left out, for nothing', async (...row) => {
  const [path, fields, param] = row
  world.upstream.enqueue(tooLarge('max_tokens'))
  const { status, body } = await ask(path, fields)
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value', param })
  expect(body.error.message).toContain('at most 4096')
})

test('a stream ends with the name of the parameter', async () => {
  world.upstream.enqueue(tooLarge('max_tokens'))
  const body = { model: 'service', messages, max_tokens: 99_999, stream: true }
  const response = await call(world.service, world.key, 'POST', '/v1/chat/completions', body)
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {"error"'))
  expect(frames.map((frame) => JSON.parse(frame.slice('data: '.length)).error)).toMatchObject([
    { param: 'max_tokens', code: 'invalid_value', x_service: { usage: { cost: 0 } } },
  ])
})

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }

test('a session whose client never answered a call goes on', async () => {
  const strict = (messages: readonly { role: string; tool_calls?: readonly unknown[] | undefined }[]) =>
    messages.every(({ tool_calls: calls }, at) => !calls || messages[at + 1]?.role === 'tool')
  world.upstream.enqueue([{ toolCalls: [{ name: 'weather', arguments: {} }] }])
  const first = await ask('/v1/chat/completions', { messages, tools: [weather] })
  expect(first.body.choices[0].finish_reason).toBe('tool_calls')
  world.upstream.setDefault((sent) => (strict(sent.messages) ? reply('Fine.') : error(400, 'no result')))
  const next = await ask('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'Never mind' }],
    x_service: { session_id: first.body.x_service.session_id },
  })
  expect(next.body.choices?.[0].message.content).toBe('Fine.')
})
