import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, sendJson } from '../support/http-raw.ts'
import { makeOwner, makeThings, type Things } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let things: Things

beforeAll(async () => {
  world = await openWorld(unhurried)
  things = await makeThings(world.db, world.service, await makeOwner(world.db))
})
afterAll(() => world.close())

const get = (path: string, headers = {}) => send(world.service, { method: 'GET', path, headers })

test('the page and all that it needs come from this host, without a key', async () => {
  const page = await get('/docs')
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  const needed = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  expect(needed).toContain('/docs/swagger-ui-bundle.js')
  for (const address of needed.filter((one) => one !== 'data:,')) {
    expect(address).toMatch(/^\/(docs\/|openapi\.json$)/)
    expect({ address, status: (await get(address)).status }).toEqual({ address, status: 200 })
  }
  const script = (await get('/docs/page.js')).text
  expect(script).toContain("url: '/openapi.json'")
  expect(script).not.toMatch(/https?:\/\//)
})

test('nothing that stands in the page, or comes from elsewhere, can run in it', async () => {
  const page = await get('/docs')
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[\w-]{22}';/)
  expect(policy).toMatch(/frame-ancestors 'none'/)
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  const nonce = /nonce-([\w-]+)/.exec(policy)?.[1]
  expect(page.text.match(/<script nonce="([\w-]+)" src="/g)).toEqual(
    Array(2).fill(`<script nonce="${nonce}" src="`),
  )
  expect((await get('/docs')).headers['content-security-policy']).not.toBe(policy)
  expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=| style=/)
  expect(page.headers['x-content-type-options']).toBe('nosniff')
})

test('files are sent compressed to those who take it, and others do not exist', async () => {
  const plain = await get('/docs/swagger-ui.css')
  const small = await get('/docs/swagger-ui.css', { 'accept-encoding': 'br, gzip' })
  expect(small.headers['content-encoding']).toBe('gzip')
  expect(small.bytes.length).toBeLessThan(plain.bytes.length / 4)
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true)
  for (const file of ['package.json', '..%2fpage.html', 'constructor', 'page.html']) {
    expect({ file, status: (await get(`/docs/${file}`)).status }).toEqual({ file, status: 404 })
  }
})

const idIn = (path: string) => (path.startsWith('/v1/projects') ? things.projectId : things.sessionId)

test('every example of a body in the description works as it stands', async () => {
  const { paths } = JSON.parse((await get('/openapi.json')).text) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: object }> } }>>
  }
  const tried: string[] = []
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const body = requestBody?.content['application/json']?.example
      if (!body) continue
      const to = { method: method.toUpperCase(), path: path.replace('{id}', idIn(path)), body }
      const reply = await sendJson(world.service, { ...to, key: things.key })
      expect({ ...to, status: reply.status }).toEqual({ ...to, status: 200 })
      tried.push(path)
    }
  }
  expect(tried).toContain('/v1/chat/completions')
  expect(tried.length).toBeGreaterThan(5)
})
