import { expect, test } from 'vitest'
import { send } from '../support/http-raw.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ model: 'built-in' })

test.each([
  [
    'Bearer dummy',
    { authorization: 'Bearer dummy', 'x-api-key': 'KEY' },
    /`Authorization` counted and `x-api-key` did not/,
  ],
  [
    'Bearer null',
    { authorization: 'Bearer null', 'api-key': 'KEY' },
    /`Authorization` counted and `api-key` did not/,
  ],
  [
    'two other headers',
    { 'x-api-key': 'dummy', 'api-key': 'KEY' },
    /`x-api-key` counted and `api-key` did not/,
  ],
  ['another scheme', { authorization: 'Token KEY' }, /another form than `Bearer <API_KEY>`\. Send/],
  ['a bare key', { authorization: 'KEY' }, /another form than `Bearer <API_KEY>`\. Send/],
  ['Bearer twice', { authorization: 'Bearer Bearer KEY' }, /it has `Bearer` twice/],
  ['Bearer in x-api-key', { 'x-api-key': 'Bearer KEY' }, /`x-api-key` takes the key alone/],
  ['nothing', {}, /No API key was sent/],
])('a 401 for %s says which header counted and what is wrong with it', async (_, headers, message) => {
  const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', world.key)])
  const response = await fetch(`${world.service.url}/v1/key`, { headers: Object.fromEntries(sent) })
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect([response.status, error.code]).toEqual([401, 'invalid_api_key'])
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain(world.key)
})

test('a good key and a wrong one of the same form are told apart by nothing but the status', async () => {
  const message = async (key: string) => {
    const response = await fetch(`${world.service.url}/v1/key`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return ((await response.json()) as { error: { message: string } }).error.message
  }
  expect(await message('dummy')).toBe(await message(`${world.key.slice(0, -1)}!`))
})

test.each(['/v1/responses', '/v1/chat/completions', '/v1/realtime'])(
  'a WebSocket upgrade of %s gets 426 at once',
  async (path) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const reply = await send(world.service, { method: 'GET', path, key: world.key, headers })
    expect(reply.status).toBe(426)
    expect(JSON.parse(reply.text).error.code).toBe('upgrade_unsupported')
  },
)
