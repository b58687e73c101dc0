import { expect, test } from 'vitest'
import { send, sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const ask = (path: string) =>
  sendJson(world.service, {
    method: 'POST',
    path,
    key: home.key,
    body: { model: 'service', messages: [{ role: 'user', content: 'Who?' }] },
  })

test('slashes at the end of an API path are ignored', async () => {
  expect((await ask('/v1/chat/completions/')).status).toBe(200)
  for (const path of ['/v1/models/', '/v1/models//', '/v1/models/service/', '/v1/files/?limit=1']) {
    expect({ path, ...(await send(world.service, { method: 'GET', path, key: home.key })) }).toMatchObject({
      path,
      status: 200,
    })
  }
})

test.each([
  '/chat/completions',
  '/chat/completions/',
  '/v1/v1/chat/completions',
  '/v1/v1/chat/completions/',
  '/api/v1/chat/completions',
  '//v1/chat/completions',
])('%s is a 404 that names the right path and the base URL', async (path) => {
  const reply = await ask(path)
  expectError(
    reply,
    { status: 404, code: 'not_found', param: null },
    /Use POST \/v1\/chat\/completions: the base URL of clients is http:\/\/\S+\/v1\.$/,
  )
})

test.each(['/models', '/responses', '/v1/v1/models'])('%s names the path under /v1', async (path) => {
  const method = path === '/responses' ? 'POST' : 'GET'
  const { status, text } = await send(world.service, { method, path, key: home.key })
  expect(status).toBe(404)
  expect(JSON.parse(text).error.message).toContain(`Use ${method} /v1/${path.split('/').at(-1)}:`)
})

test('an unknown path without a likely meaning names the API description', async () => {
  for (const path of ['/nothing', '/v1/nothing', '/v1/', '/v1/v1/']) {
    const { status, text } = await ask(path)
    expect(status).toBe(404)
    expect(JSON.parse(text).error.message).toContain('See the API description at /docs.')
  }
})

test.each([
  ['GET', '/v1/batches', 'See the API description at /docs.'],
  ['GET', '/v1/assistants', 'See the API description at /docs.'],
  ['GET', '/nothing', 'See the API description at /docs.'],
  ['GET', '/v1/chat/completions', 'This path takes POST.'],
  ['PUT', '/v1/models', 'This path takes GET.'],
  ['GET', '/signout', 'This path takes POST.'],
])('%s %s, which is no route, is not advised again', async (method, path, advice) => {
  const { status, text } = await send(world.service, { method, path, key: home.key })
  expect(status).toBe(404)
  expect(JSON.parse(text).error.message).toBe(`There is no route ${method} ${path}. ${advice}`)
})
