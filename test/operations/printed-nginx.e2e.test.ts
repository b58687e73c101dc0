import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isShort } from '../support/full.ts'
import { form, type Reply, send } from '../support/http-raw.ts'
import { hasNginx, type Nginx, startPrintedNginx } from '../support/nginx.ts'
import { goodPassword, openVisitor } from '../support/visitor.ts'
import { question } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld, type World } from '../support/world/world.ts'

const mebibyte = 1024 * 1024

// `apt-get install nginx-light`, or the like, runs these.
describe.skipIf(!hasNginx)('behind ops/nginx.conf (skipped where there is no nginx)', () => {
  let world: World
  let { service, upstream, key } = {} as World
  let nginx: Nginx
  let proxied: TestService

  beforeAll(async () => {
    world = await openWorld({
      plan: 'basic',
      trustProxy: ['127.0.0.1'],
      invalidKeysPerMinute: 20,
    })
    ;({ service, upstream, key } = world)
    nginx = await startPrintedNginx([service.url])
    proxied = { ...service, url: nginx.url }
  })
  afterAll(async () => {
    await nginx?.close()
    await world?.close()
  })

  const signIn = (n: number, headers: Readonly<Record<string, string>>) =>
    openVisitor(proxied).post(
      '/signin',
      { email: `person-${n}@example.org`, password: 'a wrong password' },
      { 'sec-fetch-site': 'same-origin', ...headers },
    )

  const countOf = (statuses: readonly number[], status: number) =>
    statuses.filter((one) => one === status).length

  test('forged X-Forwarded-For headers pass no limit of sign-ins', async () => {
    const attempt = async (n: number) => {
      const forged = {
        'x-forwarded-for': `203.0.113.${n}, 198.51.100.${n}`,
        'x-real-ip': `203.0.113.${n}`,
        forwarded: `for=203.0.113.${n}`,
      }
      return (await signIn(n, { 'x-test-address': '192.0.2.1', ...forged })).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 120; n += 10)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => attempt(n + i)))))
    expect(countOf(statuses, 400)).toBe(100)
    expect(countOf(statuses, 429)).toBe(20)
    expect((await signIn(0, { 'x-test-address': '192.0.2.2' })).status).toBe(400)
  })

  test('forged X-Forwarded-For headers pass no limit of wrong API keys', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 40; n += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-test-address': '192.0.2.1' }
      statuses.push((await fetch(`${nginx.url}/v1/key`, { headers })).status)
    }
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([20, 20])
  })

  test('a browser without Sec-Fetch-Site signs up and in, though APP_URL is not set', async () => {
    const visitor = openVisitor(proxied)
    const fields = { email: 'origin@example.org', password: goodPassword }
    const own = { origin: nginx.url }
    expect((await visitor.post('/signup', fields, own)).status).toBe(303)
    expect((await visitor.post('/signout', {}, own)).status).toBe(303)
    expect((await visitor.post('/signin', fields, own)).headers.get('location')).toBe('/ask')
    for (const origin of ['http://evil.example', nginx.url.replace('http:', 'https:'), 'http://127.0.0.1']) {
      const forged = { origin, 'x-forwarded-host': new URL(origin).host }
      expect((await visitor.post('/signin', fields, forged)).status).toBe(403)
    }
  })

  test.skipIf(isShort)(
    'an upload of 40 MB arrives whole, and one that is too large gets a JSON error',
    async () => {
      const upload = (bytes: number): Promise<Reply> => {
        const { headers, body } = form([{ name: 'file', filename: 'a.bin', content: Buffer.alloc(bytes, 7) }])
        return send(proxied, { method: 'POST', path: '/v1/files', key, headers, body })
      }
      const kept = await upload(40 * mebibyte)
      expect(JSON.parse(kept.text)).toMatchObject({ bytes: 40 * mebibyte })
      const refused = await upload(65 * mebibyte)
      expect(refused.status).toBe(413)
      expect(JSON.parse(refused.text).error).toMatchObject({ code: 'file_too_large' })
    },
  )

  test('a chat body beyond its bound gets a JSON error', async () => {
    const body = JSON.stringify(question('x'.repeat(40 * mebibyte)))
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const reply = await send(proxied, { method: 'POST', path: '/v1/chat/completions', key, headers, body })
    expect(reply.status).toBe(413)
    expect(JSON.parse(reply.text).error).toMatchObject({ code: 'request_too_large' })
  })

  test('each piece of a stream passes through before the next is there', async () => {
    const { promise: seen, resolve } = Promise.withResolvers<void>()
    upstream.enqueue([{ text: 'First. ' }, { waitFor: seen }, { text: 'Second.' }])
    const client = new OpenAI({ apiKey: key, baseURL: `${nginx.url}/v1` })
    const stream = await client.chat.completions.create({
      ...question('In pieces'),
      stream: true,
    } as OpenAI.ChatCompletionCreateParamsStreaming)
    let text = ''
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (text.includes('First.')) resolve()
    }
    expect(text).toBe('First. Second.')
  })

  test('the access log has no path of a password reset link', async () => {
    const token = 'a'.repeat(43)
    expect((await fetch(`${nginx.url}/reset-password/${token}`)).status).toBe(404)
    expect((await fetch(`${nginx.url}/signin`)).status).toBe(200)
    const log = await nginx.accessLog()
    expect(log).toContain('/signin')
    expect(log).not.toContain(token)
  })

  test('while no replica answers, clients get a JSON error', async () => {
    const alone = await startPrintedNginx(['http://127.0.0.1:1'])
    const reply = await fetch(`${alone.url}/v1/models`)
    await alone.close()
    expect(reply.status).toBe(503)
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(reply.headers.get('content-type')).toContain('application/json')
    expect((await reply.json()) as object).toMatchObject({ error: { code: 'overloaded' } })
  })
})
