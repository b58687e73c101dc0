import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { send, sendJson } from '../support/http-raw.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

type ApiDocument = {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Record<
    string,
    Record<string, { operationId: string; summary: string; parameters: readonly { name: string }[] }>
  >
  readonly components: { readonly schemas: object }
}

const world = useWorld(unhurried)
const things = useThings(world)

const get = (path: string, headers = {}) => send(world.service, { method: 'GET', path, headers })

test('the API reference and all that it needs come from this host, without a key', async () => {
  const page = await get('/docs')
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  const needed = [...page.text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(needed.join(' ')).toContain('/reference.js')
  for (const address of needed) {
    expect(address).toMatch(/^\/assets\//)
    expect({ address, status: (await get(address)).status }).toEqual({ address, status: 200 })
  }
  expect(page.text.indexOf('Get a key')).toBeLessThan(page.text.indexOf('id="api"'))
  const script = needed.find((address) => address.endsWith('/reference.js')) ?? ''
  const source = (await get(script)).text
  const modules = [...source.matchAll(/from '\.(\/[\w-]+\.js)'/g)].map(([, name = '']) => name)
  const sources = await Promise.all(
    ['/reference.js', ...modules].map((name) => get(script.replace('/reference.js', name))),
  )
  expect(sources.length).toBeGreaterThan(2)
  for (const { status, text } of sources) {
    expect(status).toBe(200)
    expect(text).not.toMatch(/https?:\/\/|localStorage|sessionStorage|cookie/)
  }
})

test.each(['en', 'he'])(
  'the API reference in %s lists all operations and objects, and the page of each has its fields and codes',
  async (language) => {
    const list = await get('/docs', { 'accept-language': language })
    const { paths, components } = JSON.parse((await get('/openapi.json')).text) as ApiDocument
    const links = new Set<string>()
    const pageOf = async (name: string) => {
      const { status, text } = await get(`/docs/${name}`, { 'accept-language': language })
      expect({ name, status }).toEqual({ name, status: 200 })
      for (const [, id = ''] of text.matchAll(/href="\/docs#([^"]+)"/g)) links.add(id)
      return text.replaceAll('&quot;', '"')
    }
    for (const [path, operations] of Object.entries(paths)) {
      for (const { operationId, summary, parameters } of Object.values(operations)) {
        const title = `<code>${path}</code> <span class="title">${summary}</span>`
        expect(list.text).toContain(title)
        expect(list.text).toContain(`id="${operationId}"`)
        const operation = await pageOf(operationId)
        expect(operation).toContain(title)
        for (const { name } of parameters) expect(operation).toContain(`<code class="member">${name}</code>`)
        expect(operation).toMatch(/<code>internal_error<\/code>/)
      }
    }
    for (const name of Object.keys(components.schemas)) {
      expect(list.text).toContain(`id="object-${name}"`)
      expect(await pageOf(name)).toContain(`id="object-${name}"`)
    }
    expect(links.size).toBeGreaterThan(20)
    for (const id of links) expect(list.text).toContain(`id="${id}"`)
  },
)

test('an operation or object that the API does not have is not found', async () => {
  for (const name of ['none', 'constructor', '__proto__'])
    expect((await get(`/docs/${name}`)).status).toBe(404)
})

test('the API reference names each group of operations in Hebrew', async () => {
  const { tags } = JSON.parse((await get('/openapi.json')).text) as ApiDocument
  const page = await get('/docs', { 'accept-language': 'he' })
  for (const { name } of tags)
    expect(page.text).toMatch(new RegExp(`id="group-${name.toLowerCase()}">[^<a-z]*[א-ת]`))
})

test('the list of operations is smaller than 50 KB, scripts included', async () => {
  const small = { 'accept-encoding': 'gzip' }
  const page = await get('/docs', small)
  const scripts = [
    ...gunzipSync(page.bytes)
      .toString()
      .matchAll(/<script[^>]* src="([^"]+)"/g),
  ]
  const sizes = await Promise.all(scripts.map(async ([, path = '']) => (await get(path, small)).bytes.length))
  expect(page.bytes.length + sizes.reduce((a, b) => a + b, 0)).toBeLessThan(50_000)
})

test('nothing that stands in the API reference, or comes from elsewhere, can run in it', async () => {
  const page = await get('/docs')
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[\w-]{22}';/)
  expect(policy).toMatch(/frame-ancestors 'none'/)
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  const nonce = /nonce-([\w-]+)/.exec(policy)?.[1]
  const scripts = page.text.match(/<script[^>]*>/g) ?? []
  expect(scripts.length).toBeGreaterThan(2)
  for (const script of scripts) expect(script).toContain(`nonce="${nonce}" src="`)
  expect(page.text.match(/<style[^>]*>/g)).toEqual([`<style nonce="${nonce}">`])
  expect((await get('/docs')).headers['content-security-policy']).not.toBe(policy)
  expect(page.text).not.toMatch(/ on\w+=| style=/)
})

test('assets are sent compressed, are kept for good under their digest, and others do not exist', async () => {
  const [, folder = ''] = /src="(\/assets\/[0-9a-f]{12})\/frame\.js"/.exec((await get('/docs')).text) ?? []
  const plain = await get(`${folder}/frame.css`)
  const small = await get(`${folder}/frame.css`, { 'accept-encoding': 'br, gzip' })
  expect(small.headers['content-encoding']).toBe('gzip')
  expect(small.bytes.length).toBeLessThan(plain.bytes.length / 3)
  expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  // A page of another version of the service, during an update.
  const other = await get('/assets/0123456789ab/base.css')
  expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-store, max-age=0, private'])
  for (const file of ['package.json', '..%2fplugin.ts', 'constructor', '__proto__', 'fonts/none.woff2']) {
    expect({ file, status: (await get(`${folder}/${file}`)).status }).toEqual({ file, status: 404 })
  }
})

const idIn = (path: string) => {
  if (path.startsWith('/v1/projects')) return things.projectId
  return path.startsWith('/v1/conversations') ? things.sessionId.replace('sess_', 'conv_') : things.sessionId
}

test('every example of a body in the description works as it stands', async () => {
  const { paths } = JSON.parse((await get('/openapi.json')).text) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: object }> } }>>
  }
  const tried: string[] = []
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const body = requestBody?.content['application/json']?.example
      // Without a provider of vectors there is no model for them.
      if (!body || path === '/v1/embeddings') continue
      const to = { method: method.toUpperCase(), path: path.replace('{id}', idIn(path)), body }
      const reply = await sendJson(world.service, { ...to, key: things.key })
      expect({ ...to, status: reply.status }).toEqual({ ...to, status: 200 })
      tried.push(path)
    }
  }
  expect(tried).toContain('/v1/chat/completions')
  expect(tried.length).toBeGreaterThan(5)
})
