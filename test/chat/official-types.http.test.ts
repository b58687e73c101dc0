import { beforeAll, expect, test } from 'vitest'
import { form, type Reply, send, sendJson } from '../support/http-raw.ts'
import { importLamps } from '../support/lamps.ts'
import { type Claim, misfits, type OfficialType } from '../support/official-types.ts'
import { dataOf } from '../support/openapi-reader.ts'
import {
  callTools,
  cut,
  error,
  gate,
  type ScriptSource,
  reply as says,
  toolUsingConversation,
} from '../support/upstream-scripts.ts'
import { question } from '../support/world/requests.ts'
import { makeOwner, useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const claims: Claim[] = []

const world = useWorld(unhurried)
const things = useThings(world)
beforeAll(async () => {
  await importLamps(world.db.database)
})

const claim = (what: string, type: OfficialType, value: unknown) => claims.push({ what, type, value })
const get = (path: string, key: string | undefined = things.key) =>
  send(world.service, { method: 'GET', path, key })
const post = (path: string, body: object) =>
  sendJson(world.service, { method: 'POST', path, key: things.key, body })
const bodyOf = (reply: Reply) => JSON.parse(reply.text)

const weather = { name: 'weather', description: 'Of a city', parameters: { type: 'object' } }
const callWeather = callTools([{ name: 'weather', arguments: { city: 'Haifa' } }], { text: 'Let me ask.' })
const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
const write = { name: 'write_file', arguments: { name: 'notes.md', content: 'Notes' } }
const refusing = [{ sse: [{ choices: [{ index: 0, delta: { refusal: 'No.' } }] }] }, { finish: 'stop' }]
const citing: readonly ScriptSource[] = [callTools([search, write]), toolUsingConversation]

type Turn = { readonly what: string; readonly more?: More; readonly scripts: readonly ScriptSource[] }

/** Turns of every kind, and what the model does in them. */
const turns: readonly Turn[] = [
  { what: 'an answer with sources and a file', scripts: citing },
  { what: 'a plain answer', scripts: [says('Yes.')] },
  { what: 'an answer that was cut off', scripts: [[{ text: 'Ye' }, { finish: 'length' }]] },
  { what: 'a call of the client’s tool', more: { tools: [weather] }, scripts: [callWeather] },
  { what: 'an answer in JSON', more: { json: true }, scripts: [says('{"yes":true}')] },
  { what: 'a refusal', more: { json: true }, scripts: [refusing] },
  {
    what: 'a failure after some text',
    scripts: [callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' }), error(400, 'no')],
  },
  { what: 'a failure in the first text', scripts: [cut('Ye')] },
]

type More = { readonly tools?: readonly object[]; readonly json?: true }
const asChat = ({ tools, json }: More) => ({
  ...question('lamp light, as JSON'),
  ...(tools && { tools: tools.map((one) => ({ type: 'function', function: one })) }),
  ...(json && { response_format: { type: 'json_object' } }),
})
const asResponse = ({ tools, json }: More) => ({
  model: 'service',
  input: 'lamp light, as JSON',
  ...(tools && { tools: tools.map((one) => ({ type: 'function', ...one })) }),
  ...(json && { text: { format: { type: 'json_object' } } }),
})

test.each(turns)('$what is asked for in all four ways', async ({ what, more = {}, scripts }) => {
  world.upstream.enqueue(...scripts)
  const whole = await post('/v1/chat/completions', asChat(more))
  claim(`chat, whole: ${what}`, whole.status === 200 ? 'completion' : 'error', bodyOf(whole))
  world.upstream.enqueue(...scripts)
  const streamed = await post('/v1/chat/completions', {
    ...asChat(more),
    stream: true,
    stream_options: { include_usage: true },
  })
  for (const data of dataOf(streamed.text)) {
    claim(`chat, streamed: ${what}`, 'error' in data ? 'error' : 'chunk', data)
  }
  world.upstream.enqueue(...scripts)
  const response = await post('/v1/responses', asResponse(more))
  claim(`response: ${what}`, response.status === 200 ? 'response' : 'error', bodyOf(response))
  world.upstream.enqueue(...scripts)
  const events = dataOf((await post('/v1/responses', { ...asResponse(more), stream: true })).text)
  expect(events.length).toBeGreaterThan(2)
  for (const event of events) claim(`event of a response: ${what}`, 'responseEvent', event)
})

test('turns in the background, and cancelled ones', async () => {
  const wait = gate()
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: wait.opened }])
  const chat = await post('/v1/chat/completions', { ...question('Later'), x_service: { background: true } })
  claim('chat in the background', 'completion', bodyOf(chat))
  await post(`/v1/agent/runs/${bodyOf(chat).x_service.run_id}/cancel`, {})
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: wait.opened }])
  const response = await post('/v1/responses', { ...asResponse({}), background: true })
  claim('response in the background', 'response', bodyOf(response))
  const path = `/v1/responses/${bodyOf(response).id}`
  claim('a cancelled response', 'response', bodyOf(await post(`${path}/cancel`, {})))
  claim('a response read again', 'response', bodyOf(await get(path)))
  wait.open()
})

test('models and files', async () => {
  claim('models', 'modelList', bodyOf(await get('/v1/models')))
  claim('a model', 'model', bodyOf(await get('/v1/models/service')))
  for (const purpose of [undefined, 'assistants', 'batch', 'fine-tune', 'vision', 'user_data']) {
    const parts = form([
      ...(purpose ? [{ name: 'purpose', value: purpose }] : []),
      { name: 'file', filename: 'א.txt', content: 'text' },
    ])
    const file = bodyOf(
      await send(world.service, { method: 'POST', path: '/v1/files', key: things.key, ...parts }),
    )
    claim('an uploaded file', 'file', file)
    claim('a file', 'file', bodyOf(await get(`/v1/files/${file.id}`)))
    if (purpose) continue
    const gone = await send(world.service, {
      method: 'DELETE',
      path: `/v1/files/${file.id}`,
      key: things.key,
    })
    claim('a deleted file', 'deletedFile', bodyOf(gone))
  }
  const list = bodyOf(await get('/v1/files'))
  expect(list.data.some((file: { filename: string }) => file.filename === 'notes.md')).toBe(true)
  claim('files', 'fileList', list)
})

test('errors of each kind', async () => {
  const free = (await makeOwner(world.db, 'free')).key
  const replies = [
    await send(world.service, { method: 'GET', path: '/v1/models' }),
    await get('/v1/models', 'svc_no'),
    await get('/v1/models', free),
    await get('/v1/models/none'),
    await get('/v1/nowhere'),
    await get('/v1/files?limit=0'),
    await post('/v1/chat/completions', {}),
    await post('/v1/chat/completions', { ...question('Two?'), n: 2 }),
    await post('/v1/projects', { name: 'x'.repeat(2 ** 21) }),
    await send(world.service, { method: 'POST', path: '/v1/projects', key: things.key, body: 'x' }),
  ]
  for (const reply of replies) {
    expect(reply.status).toBeGreaterThanOrEqual(400)
    claim(`the error ${reply.status}`, 'error', bodyOf(reply))
  }
})

test('all of these replies have the types that OpenAI’s client declares', async () => {
  const kinds = new Set(claims.map(({ type }) => type))
  expect(kinds.size).toBe(10)
  expect(claims.length).toBeGreaterThan(120)
  expect(await misfits(claims)).toEqual([])
})

test('a reply that lacks a member, or has one of another type or value, would be seen', {
  timeout: 300_000,
}, async () => {
  const whole = claims.find(({ type }) => type === 'completion')?.value as Record<string, unknown>
  const [choice] = whole['choices'] as [{ message: { refusal: unknown } }]
  const { refusal: _, ...unrefused } = choice.message
  const wrong = [
    { ...whole, object: 'completion' },
    { ...whole, created: '1' },
    { ...whole, choices: [{ ...choice, finish_reason: 'end' }] },
    { ...whole, choices: [{ ...choice, message: unrefused }] },
    { ...whole, choices: undefined },
  ]
  const found = await misfits([
    { what: 'right', type: 'completion', value: whole },
    ...wrong.map((value, i) => ({ what: `wrong ${i}`, type: 'completion' as const, value })),
  ])
  expect(found.map((fault) => fault.split(' as ')[0])).toEqual(wrong.map((_, i) => `wrong ${i}`))
})
