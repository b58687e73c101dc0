import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Moderation, openModeration } from '../../src/moderation/moderation.ts'
import { checkInvariants } from '../support/invariants.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld, type World } from '../support/world/world.ts'

/** Flags texts with this word. */
const bad = 'forbidden'

let world: World
let lenient: TestService
let strict: TestService
const opened: Moderation[] = []
const asked: {
  readonly input: string
  readonly model: string
  readonly authorization: string | undefined
}[] = []
let respond: (input: string, reply: ServerResponse) => void
const lines: string[] = []

const server = createServer(async (request, reply) => {
  const { input, model } = JSON.parse(await text(request))
  asked.push({ input, model, authorization: request.headers.authorization })
  respond(input, reply)
})

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const moderation = (onFailure: 'allow' | 'refuse') => {
    const one = openModeration({ url, apiKey: 'sk-secret', model: 'm', onFailure }, log, 300)
    opened.push(one)
    return one
  }
  world = await openWorld()
  lenient = await world.start({ moderation: moderation('allow') })
  strict = await world.start({ moderation: moderation('refuse') })
})
beforeEach(() => {
  asked.length = 0
  lines.length = 0
  respond = (input, reply) => {
    const flagged = input.includes(bad)
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify({ results: [{ flagged, categories: { violence: flagged, hate: false } }] }))
  }
})
afterAll(async () => {
  await world.close()
  for (const one of opened) await one.close()
  server.closeAllConnections()
  server.close()
})

const chat = (at: TestService, body: object) => call(at, world.key, 'POST', '/v1/chat/completions', body)
const runs = async () => {
  const { rows } = await world.db.database.systemPool.query('select count(*)::int as n from runs')
  return rows[0].n as number
}
const says = (answer: string) => world.upstream.enqueue([{ text: answer }])

test('a question and an answer that pass are asked about once each, with key and model', async () => {
  says('All is well.')
  const reply = await bodyOf(chat(strict, question('What is joy?')))
  expect(reply.choices[0].finish_reason).toBe('stop')
  expect(asked).toEqual(
    ['What is joy?', 'All is well.'].map((input) => ({
      input,
      model: 'm',
      authorization: 'Bearer sk-secret',
    })),
  )
})

test.each([
  ['an Idempotency-Key', { 'idempotency-key': 'once' }],
  ['a mark of the client', { 'x-stainless-retry-count': '1' }],
])('a request that repeats a run by %s is asked about once', async (_, headers) => {
  says('Once.')
  const body = question(`What repeats by ${_}?`)
  const first = { ...headers, 'x-stainless-retry-count': '0' }
  await bodyOf(call(strict, world.key, 'POST', '/v1/chat/completions', body, first))
  const again = await call(strict, world.key, 'POST', '/v1/chat/completions', body, headers)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await bodyOf(again)).choices[0].message.content).toBe('Once.')
  expect(asked.map(({ input }) => input)).toEqual([body.messages[0]?.content, 'Once.'])
})

test('a flagged question gets 400, without a run and without a charge', async () => {
  const before = await runs()
  const reply = await chat(strict, question(`A ${bad} question`))
  expect([reply.status, (await bodyOf(reply)).error.code]).toEqual([400, 'content_filter'])
  const responses = await call(strict, world.key, 'POST', '/v1/responses', { model: 'service', input: bad })
  expect([responses.status, (await bodyOf(responses)).error.code]).toEqual([400, 'content_filter'])
  expect(await runs()).toBe(before)
  await checkInvariants(world.db.database)
  expect(lines.join('')).toContain('violence')
  expect(lines.join('')).not.toMatch(/forbidden|hate|sk-secret/)
})

test('a flagged answer keeps its text and ends with content_filter, whole and in a stream', async () => {
  says(`This is ${bad}.`)
  const whole = await bodyOf(chat(strict, question('One?')))
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'content_filter',
    message: { content: `This is ${bad}.` },
  })
  says(`This is ${bad}.`)
  const stream = await (await chat(strict, { ...question('Two?'), stream: true })).text()
  expect(stream).toContain('"finish_reason":"content_filter"')
  expect(stream).not.toContain('"finish_reason":"stop"')
  expect(stream.trimEnd().endsWith('data: [DONE]')).toBe(true)
  says(`This is ${bad}.`)
  const response = await bodyOf(
    call(strict, world.key, 'POST', '/v1/responses', { model: 'service', input: 'Three?' }),
  )
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
})

test.each<[string, (reply: ServerResponse) => void]>([
  ['refuses', (reply) => reply.writeHead(500).end()],
  ['answers with another JSON', (reply) => reply.end('{"ok": true}')],
  ['cuts the connection', (reply) => reply.destroy()],
  ['never answers', () => undefined],
])('a server that %s lets texts through or stops them, as the settings say', async (_, failure) => {
  respond = (_input, reply) => failure(reply)
  says('Let through.')
  const passed = await bodyOf(chat(lenient, question(`Allowed ${_}?`)))
  expect(passed.choices[0].finish_reason).toBe('stop')
  const before = await runs()
  const refused = await chat(strict, question(`Refused ${_}?`))
  expect([refused.status, (await bodyOf(refused)).error.code]).toEqual([503, 'overloaded'])
  expect(await runs()).toBe(before)
  expect(lines.filter((line) => line.includes('gave no verdict'))).toHaveLength(3)
})

test('an answer without a verdict ends with content_filter where the settings refuse', async () => {
  const allow = respond
  respond = (input, reply) => (input === 'Half?' ? allow(input, reply) : reply.destroy())
  says('Unseen.')
  const reply = await bodyOf(chat(strict, question('Half?')))
  expect(reply.choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: 'Unseen.' } })
})
