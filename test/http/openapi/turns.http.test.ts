import { beforeAll, expect, test } from 'vitest'
import { type Reply, send, sendJson } from '../../support/http-raw.ts'
import { importLamps } from '../../support/lamps.ts'
import { type ApiReader, dataOf, type Json, readApi } from '../../support/openapi-reader.ts'
import { callTools, cut, gate, toolUsingConversation } from '../../support/upstream-scripts.ts'
import { question } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { makeOwner, makeThings, type Things } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let service: TestService
let things: Things
let api: ApiReader

const world = useWorld(unhurried)
beforeAll(async () => {
  service = world.service
  await importLamps(world.db.database)
  things = await makeThings(world.db, service, await makeOwner(world.db))
  api = readApi((await get('/openapi.json')).text)
})

const get = (path: string, key?: string) => send(service, { method: 'GET', path, key })
const chat = (body: object, headers = {}) =>
  sendJson(service, { method: 'POST', path: '/v1/chat/completions', key: things.key, body, headers })
const chatRoute = 'POST /v1/chat/completions'

test('replies about the library are described with all that they can hold', async () => {
  const { key } = things
  const verify = (body: object) =>
    sendJson(service, { method: 'POST', path: '/v1/sources/verify', key, body })
  const missing = await get('/v1/sources/search?q=Book%20of%20Lamps%2099', key)
  expect(JSON.parse(missing.text).unknown_ref).toEqual({
    ref: 'Book of Lamps 99',
    nearest: 'Book of Lamps 2',
  })
  const replies: readonly (readonly [string, Reply])[] = [
    ['GET /v1/sources/search', missing],
    ['GET /v1/sources/works', await get('/v1/sources/works', key)],
    ['GET /v1/sources/search', await get('/v1/sources/search?q=lamp%20light', key)],
    ['GET /v1/sources/:ref', await get('/v1/sources/Book%20of%20Lamps%201?after=1', key)],
    [
      'POST /v1/sources/verify',
      await verify({
        text: 'It says “A lamp gives light to the room” (Book of Lamps 1), “Nobody ever wrote these words” (Book of Lamps 2).',
        refs: ['Book of Lamps 9'],
      }),
    ],
    [
      'POST /v1/sources/verify',
      await verify({
        text: 'It says “A lamp gives … to the room” (Book of Lamps 2), and “a lamp” is *small and bright*.',
        explain: true,
      }),
    ],
  ]
  for (const [route, answer] of replies) {
    const { data, passages, quotes } = JSON.parse(answer.text)
    expect((data ?? passages ?? quotes).length).toBeGreaterThan(0)
    expect({ route, faults: api.replyFaults(route, answer) }).toEqual({ route, faults: [] })
  }
})

/** A turn that searches, writes a file, and answers with a quotation. */
function scriptTurn(): void {
  const write = { name: 'write_file', arguments: { name: `notes-${Math.random()}.md`, content: 'Notes' } }
  const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
  world.upstream.enqueue(callTools([search, write], { text: 'Let me look.' }), toolUsingConversation)
}

test('the document describes a whole reply with sources and files, session and run', async () => {
  scriptTurn()
  const answer = await chat(question('lamp light'))
  const body = JSON.parse(answer.text)
  expect(body.x_service.files).toHaveLength(1)
  expect(body.x_service.sources[0].verification[0].result).toBe('verbatim')
  expect(body.choices[0].message.annotations).toHaveLength(1)
  expect(api.replyFaults(chatRoute, answer)).toEqual([])
  const { session_id: session, run_id: run } = body.x_service
  const item = await get(`/v1/agent/runs/${run}`, things.key)
  expect(JSON.parse(item.text).output.map((one: Json) => one['type'])).toEqual(['message', 'source', 'file'])
  const below: Record<string, string> = {
    'GET /v1/agent/runs/:id': `runs/${run}`,
    'GET /v1/agent/runs/:id/events': `runs/${run}/events`,
    'GET /v1/agent/sessions/:id/runs': `sessions/${session}/runs`,
    'GET /v1/agent/sessions/:id/messages': `sessions/${session}/messages`,
  }
  for (const [route, path] of Object.entries(below)) {
    const answer = await get(`/v1/agent/${path}`, things.key)
    expect({ route, faults: api.replyFaults(route, answer) }).toEqual({ route, faults: [] })
  }
})

test('the document describes every chunk of a stream', async () => {
  scriptTurn()
  const body = { ...question('lamp light'), stream: true, stream_options: { include_usage: true } }
  const answer = await chat(body)
  const chunks = JSON.stringify(dataOf(answer.text))
  for (const part of [
    '"annotations"',
    '"tool.finished"',
    '"file"',
    '"finish_reason":"stop"',
    '"choices":[]',
  ]) {
    expect(chunks).toContain(part)
  }
  expect(api.replyFaults(chatRoute, answer)).toEqual([])
})

test('a turn that waits for the client’s tools, and the answers to them, are described', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  const body = { ...question('Weather?'), tools }
  for (const stream of [false, true]) {
    world.upstream.enqueue(callTools([{ name: 'weather', arguments: {} }]))
    const answer = await chat({ ...body, stream })
    expect(answer.text).toContain('"finish_reason":"tool_calls"')
    expect(api.replyFaults(chatRoute, answer)).toEqual([])
    if (stream) continue
    const { message } = JSON.parse(answer.text).choices[0]
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Rain' }
    const request = { ...body, messages: [...body.messages, message, result] }
    expect(api.requestFaults(chatRoute, request)).toEqual([])
    const next = await chat(request)
    const session = JSON.parse(next.text).x_service.session_id
    const messages = await get(`/v1/agent/sessions/${session}/messages`, things.key)
    expect(messages.text).toContain('"tool_call_id"')
    expect(api.replyFaults('GET /v1/agent/sessions/:id/messages', messages)).toEqual([])
  }
})

test('a stream that fails, a run that failed, and a replayed reply are described', async () => {
  world.upstream.enqueue(cut('Half of a'))
  const failed = await chat({ ...question('Fail'), stream: true })
  expect(failed.text).toContain('"error":{')
  expect(api.replyFaults(chatRoute, failed)).toEqual([])
  const run = failed.headers['x-service-run-id']
  const route = 'GET /v1/agent/runs/:id'
  expect(api.replyFaults(route, await get(`/v1/agent/runs/${run}`, things.key))).toEqual([])
  const events = await get(`/v1/agent/runs/${run}/events`, things.key)
  expect(events.text).toContain('event: run.failed')
  expect(api.replyFaults(`${route}/events`, events)).toEqual([])
  const again = { 'idempotency-key': 'one' }
  await chat(question('Twice'), again)
  const replayed = await chat(question('Twice'), again)
  expect(replayed.headers['idempotency-replayed']).toBe('true')
  expect(api.replyFaults(chatRoute, replayed)).toEqual([])
})

test('a background reply, a run that waits, and one that was cancelled are described', async () => {
  const wait = gate()
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: wait.opened }])
  const answer = await chat({ ...question('Later'), x_service: { background: true } })
  expect(answer.headers['location']).toBeDefined()
  expect(api.replyFaults(chatRoute, answer)).toEqual([])
  const { run_id: run, session_id: session } = JSON.parse(answer.text).x_service
  const busy = await send(service, {
    method: 'DELETE',
    path: `/v1/agent/sessions/${session}`,
    key: things.key,
  })
  expect(busy.status).toBe(409)
  expect(api.replyFaults('DELETE /v1/agent/sessions/:id', busy)).toEqual([])
  const next = await chat({ ...question('Next'), x_service: { session_id: session, background: true } })
  const waiting = await get(`/v1/agent/runs/${JSON.parse(next.text).x_service.run_id}`, things.key)
  expect(JSON.parse(waiting.text)).toMatchObject({ status: 'queued', started_at: null })
  expect(api.replyFaults('GET /v1/agent/runs/:id', waiting)).toEqual([])
  const path = `/v1/agent/runs/${run}/cancel`
  const cancelled = await send(service, { method: 'POST', path, key: things.key })
  expect(api.replyFaults('POST /v1/agent/runs/:id/cancel', cancelled)).toEqual([])
  const events = await get(`/v1/agent/runs/${run}/events`, things.key)
  wait.open()
  expect(events.text).toContain('event: run.cancelled')
  expect(api.replyFaults('GET /v1/agent/runs/:id/events', events)).toEqual([])
})
