import { expect, test } from 'vitest'
import { sendJson } from '../support/http-raw.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const functions = [
  { name: 'weather', description: 'The weather', parameters: { type: 'object', properties: {} } },
]
const question = { role: 'user', content: 'Weather?' }
const ask = async (fields: object) => {
  const answer = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key: home.key,
    body: { model: 'service', messages: [question], ...fields },
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.text
}
const two = () => callTools(['Lod', 'Zefat'].map((city) => ({ name: 'weather', arguments: { city } })))

test('functions of the older form are called, and their results reach the model', async () => {
  world.upstream.enqueue(two())
  const [choice] = JSON.parse(await ask({ functions, function_call: 'auto' })).choices
  expect(choice.finish_reason).toBe('function_call')
  expect(choice.message.function_call).toEqual({ name: 'weather', arguments: '{"city":"Lod"}' })
  expect(choice.message).not.toHaveProperty('tool_calls')
  world.upstream.enqueue(reply('Sunny.'))
  const messages = [question, choice.message, { role: 'function', name: 'weather', content: 'sun' }]
  const [second] = JSON.parse(await ask({ functions, messages })).choices
  expect(second).toMatchObject({ finish_reason: 'stop', message: { content: 'Sunny.' } })
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  const id = told?.[1]?.tool_calls?.[0]?.id
  expect(id).toEqual(expect.any(String))
  expect(told?.slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'sun', tool_call_id: id },
  ])
})

test('a streamed call of a function has the older form', async () => {
  world.upstream.enqueue(two())
  const text = await ask({ functions, stream: true })
  expect(text).toContain('"delta":{"function_call":{"name":"weather","arguments":"{\\"city\\":\\"Lod\\"}"}}')
  expect(text).toContain('"finish_reason":"function_call"')
  expect(text).not.toContain('"tool_calls":[')
})
