import { beforeAll, expect, test } from 'vitest'
import { form, type Reply, send, sendJson } from '../support/http-raw.ts'
import { importLamps } from '../support/lamps.ts'
import { type Claim, misfits, type OfficialType } from '../support/official-types.ts'
import { type ApiReader, dataOf, readApi } from '../support/openapi-reader.ts'
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
let api: ApiReader

const world = useWorld(unhurried)
const things = useThings(world)
beforeAll(async () => {
  await importLamps(world.db.database)
  api = readApi((await send(world.service, { method: 'GET', path: '/openapi.json' })).text)
})

const claim = (what: string, type: OfficialType, value: unknown) => claims.push({ what, type, value })
const get = (path: string, key: string | undefined = things.key) =>
  send(world.service, { method: 'GET', path, key })
const post = (path: string, body: object) =>
  sendJson(world.service, { method: 'POST', path, key: things.key, body })
const bodyOf = (reply: Reply) => JSON.parse(reply.text)
/** The document describes the reply. */
const expectDescribed = (route: string, reply: Reply) =>
  expect(api.replyFaults(route, reply), route).toEqual([])
const [chat, create, retrieve] = ['POST /v1/chat/completions', 'POST /v1/responses', 'GET /v1/responses/:id']

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
  ...(tools && {
    tools: tools.map((one) => ({ type: 'function', ...one })),
    tool_choice: { type: 'function', name: 'weather' },
  }),
  ...(json && { text: { format: { type: 'json_object' } } }),
})

test.each(turns)('$what is asked for in all four ways', async ({ what, more = {}, scripts }) => {
  world.upstream.enqueue(...scripts)
  const whole = await post('/v1/chat/completions', asChat(more))
  expectDescribed(chat, whole)
  claim(`chat, whole: ${what}`, whole.status === 200 ? 'completion' : 'error', bodyOf(whole))
  world.upstream.enqueue(...scripts)
  const streamed = await post('/v1/chat/completions', {
    ...asChat(more),
    stream: true,
    stream_options: { include_usage: true },
  })
  expectDescribed(chat, streamed)
  for (const data of dataOf(streamed.text)) {
    claim(`chat, streamed: ${what}`, 'error' in data ? 'error' : 'chunk', data)
  }
  world.upstream.enqueue(...scripts)
  const response = await post('/v1/responses', asResponse(more))
  expectDescribed(create, response)
  claim(`response: ${what}`, response.status === 200 ? 'response' : 'error', bodyOf(response))
  world.upstream.enqueue(...scripts)
  const stream = await post('/v1/responses', { ...asResponse(more), stream: true })
  expectDescribed(create, stream)
  const events = dataOf(stream.text)
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
  expectDescribed(create, response)
  const { id } = bodyOf(response)
  const waiting = await post('/v1/responses', {
    ...asResponse({}),
    background: true,
    previous_response_id: id,
  })
  expect(bodyOf(waiting).status).toBe('queued')
  expectDescribed(create, waiting)
  // It begins when the one before it is cancelled.
  world.upstream.enqueue(says('Then'))
  const path = `/v1/responses/${id}`
  const cancelled = await send(world.service, { method: 'POST', path: `${path}/cancel`, key: things.key })
  claim('a cancelled response', 'response', bodyOf(cancelled))
  expectDescribed('POST /v1/responses/:id/cancel', cancelled)
  claim('a response read again', 'response', bodyOf(await get(path)))
  for (const query of ['', '?stream=true']) expectDescribed(retrieve, await get(path + query))
  const statusNow = async () => bodyOf(await get(`/v1/responses/${bodyOf(waiting).id}`)).status
  await expect.poll(statusNow).toBe('completed')
  wait.open()
})

test('a response with sources and files is the same whole, read again, and in its events', async () => {
  const ask = (fields: object) => post('/v1/responses', { ...asResponse({}), ...fields })
  const pathOf = ({ headers }: Reply) =>
    `/v1/responses/${String(headers['x-service-run-id']).replace('run_', 'resp_')}`
  world.upstream.enqueue(...citing)
  const whole = await ask({ metadata: { a: 'b' }, instructions: 'Be brief.' })
  const body = bodyOf(whole)
  const [{ content }] = body.output
  expect(body.x_service.files).toHaveLength(1)
  const [annotation] = content[0].annotations
  expect(annotation).toMatchObject({ type: 'url_citation', url: 'https://example.org/lamps/1' })
  expect(content[0].text.slice(annotation.start_index, annotation.end_index)).toBe('[1]')
  expect(content[0].text).toContain('Sources:')
  expect(whole.headers['x-service-files']).toBe(body.x_service.files[0].id)
  const read = await get(pathOf(whole))
  expect(bodyOf(read)).toEqual(body)
  expectDescribed(retrieve, read)
  world.upstream.enqueue(...citing)
  const streamed = await ask({ stream: true })
  const events = dataOf(streamed.text)
  const said = events.map((event) => event['delta'] ?? '').join('')
  const last = events.at(-1) as { response: typeof body }
  expect(said).toBe(last.response.output[0].content[0].text)
  expect(events.filter((event) => event['type'] === 'response.output_text.annotation.added')).toHaveLength(1)
  const again = await get(`${pathOf(streamed)}?stream=true`)
  expect(again.text).toBe(streamed.text)
  expectDescribed(retrieve, again)
})

test('sources are in the block only where the text is JSON or the client wants them so', async () => {
  const quoted = '“A lamp gives light to the room.” [S1]'
  for (const [fields, answer] of [
    [{ text: { format: { type: 'json_object' } } }, JSON.stringify({ answer: quoted })],
    [{ x_service: { sources: 'block' } }, quoted],
  ] as const) {
    world.upstream.enqueue(callTools([search]), says(answer))
    const { output, x_service } = bodyOf(await post('/v1/responses', { ...asResponse({}), ...fields }))
    expect(output[0].content[0].text).not.toMatch(/\[1\]|Sources:/)
    expect(x_service.sources).toHaveLength(1)
  }
})

test('every form of input is described', () => {
  const input = [
    { role: 'user', content: 'x' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
    { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.org/a.png' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
    { type: 'item_reference', id: 'msg_1' },
    { id: 'msg_1' },
    { type: 'reasoning', summary: [] },
  ]
  for (const one of ['x', input]) {
    expect(api.requestFaults(create, { model: 'service', input: one })).toEqual([])
  }
  const choice = {
    tools: [{ type: 'function', ...weather }],
    tool_choice: { type: 'function', name: 'weather' },
  }
  expect(api.requestFaults(create, { model: 'service', input: 'x', ...choice })).toEqual([])
  expect(api.requestFaults(create, { model: 'service', input: [{ type: 'x' }] })).not.toEqual([])
})

test('a run of the chat route can be read as a response', async () => {
  const response = await get(`/v1/responses/${things.runId.replace('run_', 'resp_')}`)
  expect(JSON.parse(response.text)).toMatchObject({ status: 'completed', metadata: {}, instructions: null })
  expectDescribed(retrieve, response)
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
