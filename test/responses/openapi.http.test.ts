import { beforeAll, expect, test } from 'vitest'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { type Reply, send, sendJson } from '../support/http-raw.ts'
import { type ApiReader, dataOf, readApi } from '../support/openapi-reader.ts'
import {
  callTools,
  cut,
  error,
  gate,
  reply as says,
  toolUsingConversation,
} from '../support/upstream-scripts.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let api: ApiReader

const world = useWorld(unhurried)
const things = useThings(world)
beforeAll(async () => {
  await importJsonl(world.db.database, passages(), { allowLicenses: [] })
  api = readApi((await send(world.service, { method: 'GET', path: '/openapi.json' })).text)
})

async function* passages(): AsyncGenerator<string> {
  const en = 'A lamp gives light to the room.'
  const source_url = 'https://example.org/lamps/1'
  yield JSON.stringify({ work: 'Book of Lamps', ref: 'Book of Lamps 1', en, license: 'CC0', source_url })
}

const create = 'POST /v1/responses'
const retrieve = 'GET /v1/responses/:id'
const ask = (fields: object, headers = {}) =>
  sendJson(world.service, {
    method: 'POST',
    path: '/v1/responses',
    key: things.key,
    body: { model: 'service', input: 'lamp light', ...fields },
    headers,
  })
const read = (id: string, query = '') =>
  send(world.service, { method: 'GET', path: `/v1/responses/${id}${query}`, key: things.key })
const idOf = ({ headers }: Reply) => String(headers['x-service-run-id']).replace('run_', 'resp_')

/** A turn that searches, writes a file, and answers with a quotation. */
function scriptTurn(): void {
  const write = { name: 'write_file', arguments: { name: `notes-${Math.random()}.md`, content: 'Notes' } }
  const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
  world.upstream.enqueue(callTools([search, write], { text: 'Let me look.' }), toolUsingConversation)
}

test('the document describes a response with sources and files, whole and streamed', async () => {
  scriptTurn()
  const whole = await ask({ metadata: { a: 'b' }, instructions: 'Be brief.' })
  const body = JSON.parse(whole.text)
  const [{ content }] = body.output
  expect(body.x_service.files).toHaveLength(1)
  expect(content[0].annotations).toMatchObject([{ type: 'url_citation', url: 'https://example.org/lamps/1' }])
  const { start_index, end_index } = content[0].annotations[0]
  expect(content[0].text.slice(start_index, end_index)).toBe('[1]')
  expect(content[0].text).toContain('Sources:')
  expect(whole.headers['x-service-files']).toBe(body.x_service.files[0].id)
  expect(api.replyFaults(create, whole)).toEqual([])
  expect(JSON.parse((await read(idOf(whole))).text)).toEqual(body)
  scriptTurn()
  const streamed = await ask({ stream: true })
  expect(api.replyFaults(create, streamed)).toEqual([])
  const events = dataOf(streamed.text)
  const said = events.map((event) => event['delta'] ?? '').join('')
  const last = events.at(-1) as { response: typeof body }
  expect(said).toBe(last.response.output[0].content[0].text)
  expect(events.filter((event) => event['type'] === 'response.output_text.annotation.added')).toHaveLength(1)
  const again = await read(idOf(streamed), '?stream=true')
  expect(again.text).toBe(streamed.text)
  expect(api.replyFaults(retrieve, again)).toEqual([])
})

test('sources are in the block only where the text is JSON or the client wants them so', async () => {
  const quoted = '“A lamp gives light to the room.” [S1]'
  for (const [fields, answer] of [
    [{ text: { format: { type: 'json_object' } } }, JSON.stringify({ answer: quoted })],
    [{ x_service: { sources: 'block' } }, quoted],
  ] as const) {
    const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
    world.upstream.enqueue(callTools([search]), says(answer))
    const { output, x_service } = JSON.parse((await ask(fields)).text)
    expect(output[0].content[0].text).not.toMatch(/\[1\]|Sources:/)
    expect(x_service.sources).toHaveLength(1)
  }
})

test('calls of the client’s tools, formats and choices are described', async () => {
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }]
  for (const stream of [false, true]) {
    world.upstream.enqueue(callTools([{ name: 'weather', arguments: {} }]))
    const body = { tools, stream, tool_choice: { type: 'function', name: 'weather' } }
    const paused = await ask(body)
    expect(paused.text).toContain('"function_call"')
    expect(api.replyFaults(create, paused)).toEqual([])
    expect(api.replyFaults(retrieve, await read(idOf(paused)))).toEqual([])
    expect(api.requestFaults(create, { model: 'service', input: 'x', ...body })).toEqual([])
  }
  const format = { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }
  world.upstream.enqueue(says('{}'))
  const formatted = await ask({ text: { format } })
  expect(JSON.parse(formatted.text).text).toEqual({ format })
  expect(api.replyFaults(create, formatted)).toEqual([])
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
  expect(api.requestFaults(create, { model: 'service', input: [{ type: 'x' }] })).not.toEqual([])
})

test('failures, whole and streamed, replays and cut-off answers are described', async () => {
  world.upstream.enqueue(cut('Half of a'), error(400, 'no'), [{ text: 'Half a' }, { finish: 'length' }])
  const failed = await ask({ input: 'Fail midway', stream: true })
  expect(failed.text).toContain('event: response.failed')
  const refused = await ask({ input: 'Fail' })
  expect(refused.status).toBe(502)
  const incomplete = await ask({ input: 'Long' })
  expect(incomplete.text).toContain('"incomplete"')
  const again = { 'idempotency-key': 'one' }
  await ask({ input: 'Twice' }, again)
  const replayed = await ask({ input: 'Twice' }, again)
  expect(replayed.headers['idempotency-replayed']).toBe('true')
  for (const reply of [failed, refused, incomplete, replayed])
    expect(api.replyFaults(create, reply)).toEqual([])
})

test('a background response, one that waits, and one that was cancelled are described', async () => {
  const wait = gate()
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: wait.opened }])
  const begun = await ask({ input: 'Begin', background: true })
  expect(begun.headers['location']).toBe(`/v1/responses/${idOf(begun)}`)
  expect(api.replyFaults(create, begun)).toEqual([])
  const waiting = await ask({ background: true, previous_response_id: idOf(begun) })
  expect(JSON.parse(waiting.text)).toMatchObject({ status: 'queued' })
  expect(api.replyFaults(create, waiting)).toEqual([])
  const path = `/v1/responses/${idOf(begun)}/cancel`
  const cancelled = await send(world.service, { method: 'POST', path, key: things.key })
  expect(JSON.parse(cancelled.text)).toMatchObject({ status: 'cancelled' })
  expect(api.replyFaults('POST /v1/responses/:id/cancel', cancelled)).toEqual([])
  const events = await read(idOf(begun), '?stream=true')
  expect(api.replyFaults(retrieve, events)).toEqual([])
  wait.open()
  expect((await read(idOf(waiting), '?stream=true&starting_after=0')).text).toContain('response.completed')
})

test('a run of the chat route can be read as a response', async () => {
  const response = await read(things.runId.replace('run_', 'resp_'))
  expect(JSON.parse(response.text)).toMatchObject({ status: 'completed', metadata: {}, instructions: null })
  expect(api.replyFaults(retrieve, response)).toEqual([])
})
