import { expect, test } from 'vitest'
import { sendJson } from '../../support/http-raw.ts'
import { reply as says } from '../../support/upstream-scripts.ts'
import { useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

async function call(method: string, path: string, body: unknown) {
  const reply = await sendJson(world.service, { method, path, key: home.key, body })
  return { status: reply.status, body: JSON.parse(reply.text) }
}

test('a session is created from fields that are null as from absent ones', async () => {
  const body = { name: null, model: null, projectId: null }
  expect(await call('POST', '/v1/agent/sessions', body)).toMatchObject({
    status: 200,
    body: { name: '', model: 'service', projectId: expect.stringMatching(/^proj_/) },
  })
})

test('the name null takes the name of a session away; a missing or empty one changes nothing', async () => {
  const path = `/v1/agent/sessions/${home.sessionId}`
  const named = { status: 200, body: { name: 'On joy' } }
  expect(await call('PATCH', path, { name: 'On joy' })).toMatchObject(named)
  for (const body of [{}, { name: '' }, { name: '\u200f' }]) {
    expect(await call('PATCH', path, body)).toMatchObject({ status: 400, body: { error: { param: 'name' } } })
  }
  expect(await call('PATCH', path, { name: null })).toMatchObject({ status: 200, body: { name: '' } })
})

test('a project keeps its name when the new one is null', async () => {
  const path = `/v1/projects/${home.projectId}`
  const refused = { status: 400, body: { error: { code: 'invalid_value', param: 'name' } } }
  expect(await call('PATCH', path, { name: null })).toMatchObject(refused)
})

test('a chat with null in every optional field of its messages and tools runs', async () => {
  const called = { id: 'call_1', type: null, function: { name: 'weather', arguments: '{}' } }
  const weather = { name: 'weather', description: null, parameters: null }
  world.upstream.setDefault(says('{}'))
  const reply = await call('POST', '/v1/chat/completions', {
    model: 'service',
    x_service: null,
    messages: [
      { role: 'user', content: 'The weather?', name: null, tool_calls: null, tool_call_id: null },
      { role: 'assistant', content: null, name: null, tool_calls: [called], function_call: null },
      { role: 'tool', content: 'Rain', tool_call_id: 'call_1' },
    ],
    tools: [{ type: 'function', function: weather }],
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ function: null }] } },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', description: null, schema: null },
    },
  })
  expect(reply).toMatchObject({ status: 200, body: { object: 'chat.completion' } })
  expect(world.upstream.requests.at(-1)?.body['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer' },
  })
})

test('refs that are null are none', async () => {
  const text = '“The Psalmist asks to serve God in joy”'
  const absent = await call('POST', '/v1/sources/verify', { text })
  expect(await call('POST', '/v1/sources/verify', { text, refs: null })).toEqual(absent)
})
