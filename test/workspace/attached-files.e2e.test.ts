import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePdf } from '../support/documents.ts'
import { clientOf, serviceOf } from '../support/responses.ts'
import {
  callTools,
  reply,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../support/scripted-upstream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let folder: string
/** A model that reads images, in the catalogue as `sees`. */
let eyes: ScriptedUpstream
let world: World
let openai: OpenAI

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'models-'))
  const catalogueFile = path.join(folder, 'models.json')
  eyes = await startScriptedUpstream()
  const models = [{ id: 'sees', base_url: eyes.baseUrl, images: true }]
  await writeFile(catalogueFile, JSON.stringify({ models }))
  world = await openWorld({ model: { catalogueFile } })
  openai = clientOf(world)
})
afterAll(async () => {
  await world.close()
  await eyes.close()
  await rm(folder, { recursive: true })
})

const sentence = 'Whoever counts his deeds on the road arrives late.'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pdf = makePdf([[sentence]])
const dataOf = (content: Buffer, type: string) => `data:${type};base64,${content.toString('base64')}`

const upload = async (content: Buffer, name: string) =>
  (await openai.files.create({ file: new File([new Uint8Array(content)], name), purpose: 'user_data' })).id
const byId = (id: string) => ({ type: 'file' as const, file: { file_id: id } })
const inline = (content: Buffer, filename: string, type = 'application/pdf') => ({
  type: 'file' as const,
  file: { filename, file_data: dataOf(content, type) },
})
const filesOf = async (sessionId: string) =>
  (
    await world.get<{ data: { id: string; filename: string; bytes: number }[] }>(
      `/v1/files?session_id=${sessionId}`,
    )
  ).data

const create = (parts: readonly object[], more: object = {}) =>
  openai.chat.completions.create({
    model: 'service',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'What does it say?' }, ...parts] as never }],
    ...more,
  }) as unknown as Promise<
    Completion & { x_service: { sources: { ref: string; url: string; verification: object[] }[] } }
  >

/** What the model was last told. */
const told = (upstream: ScriptedUpstream = world.upstream) => upstream.requests.at(-1)?.body.messages ?? []

test('a file named in a message is in the first model call and can be cited', async () => {
  const id = await upload(pdf, 'road.pdf')
  const calls = world.upstream.requests.length
  world.upstream.enqueue(reply(`It says “${sentence}” [S1].`))
  const { choices, x_service: service } = await create([byId(id)])
  expect(world.upstream.requests).toHaveLength(calls + 1)
  expect(told().slice(-3)).toMatchObject([
    { role: 'user', content: [{ text: 'What does it say?' }, { text: expect.stringContaining(id) }] },
    { role: 'assistant', tool_calls: [{ function: { name: 'read_file' } }] },
    { role: 'tool', content: expect.stringContaining(`[S1]`) },
  ])
  expect(told().at(-1)?.content).toContain(sentence)
  expect(choices[0]?.message.content).toContain('[1]')
  expect(service.sources).toMatchObject([
    {
      kind: 'file',
      ref: 'road.pdf, page 1',
      url: `${world.service.url}/v1/files/${id}/content?version=1`,
      verification: [{ result: 'verbatim', source_kind: 'file' }],
    },
  ])
  expect(service.usage).toMatchObject({ model_calls: 1, tool_calls: 1 })
})

test('of two files of one name the very one is read that is named', async () => {
  const older = await upload(Buffer.from('The older wording.'), 'same.txt')
  await upload(Buffer.from('The newer wording.'), 'same.txt')
  world.upstream.enqueue(reply('Read.'))
  await create([byId(older)])
  expect(told().at(-1)?.content).toContain('The older wording.')
})

test('later turns of the session know of the file and read it when they need it', async () => {
  const id = await upload(pdf, 'later.pdf')
  world.upstream.enqueue(
    reply('Read.'),
    callTools([{ name: 'read_file', arguments: { name: id } }]),
    reply('Again.'),
  )
  const { x_service: first } = await create([byId(id)])
  await world.chat(ask('And now?', { x_service: { session_id: first.session_id } }))
  expect(JSON.stringify(told().slice(0, 3))).toContain(id)
  expect(told().at(-1)?.content).toContain(sentence)
})

test('a file inside a request becomes one project file across retries', async () => {
  world.upstream.enqueue(reply('Read.'))
  const idempotent = { headers: { 'idempotency-key': 'attach-1' } }
  const body = {
    model: 'service',
    messages: [{ role: 'user', content: [inline(pdf, '../דרך.pdf')] }],
  } as never
  const first = await openai.chat.completions.create(body, idempotent)
  const again = await openai.chat.completions.create(body, idempotent)
  expect(serviceOf(again).run_id).toBe(serviceOf(first).run_id)
  const files = await filesOf(serviceOf(first).session_id)
  expect(files).toMatchObject([{ filename: 'דרך.pdf', bytes: pdf.length }])
  expect(told().at(-1)?.content).toContain(sentence)
})

test('a resent history with its file adds no file and does not read it again', async () => {
  world.upstream.enqueue(reply('Read.'), reply('More.'))
  const question = {
    role: 'user',
    content: [inline(Buffer.from('A small note.'), 'history.txt', 'text/plain')],
  }
  const messages = [question, { role: 'assistant', content: 'Read.' }, { role: 'user', content: 'And?' }]
  const first = await openai.chat.completions.create({ model: 'service', messages: [question] } as never)
  const second = await openai.chat.completions.create({ model: 'service', messages } as never)
  expect(serviceOf(second).session_id).toBe(serviceOf(first).session_id)
  expect(await filesOf(serviceOf(first).session_id)).toHaveLength(1)
  expect(told().at(-1)).toMatchObject({ role: 'user', content: 'And?' })
})

test('an image is passed on as an image, to a model that reads them', async () => {
  const id = await upload(png, 'scan.bin')
  eyes.enqueue(reply('A dot.'))
  await create([byId(id), inline(png, 'other.png', 'image/png')], { model: 'sees' })
  const image = { type: 'image_url', image_url: { url: dataOf(png, 'image/png') } }
  expect(told(eyes).at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text' }, image, image] })
})

test('a tool of the client that is called read_file is not called for it', async () => {
  const id = await upload(pdf, 'theirs.pdf')
  world.upstream.enqueue(reply('As you like.'))
  const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }]
  const { choices } = await create([byId(id)], { tools })
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'As you like.' } })
  expect(told().at(-1)).toMatchObject({ role: 'user' })
})

test('the Responses API takes files in the same way', async () => {
  const id = await upload(pdf, 'response.pdf')
  world.upstream.enqueue(reply('Read both.'))
  const data = dataOf(Buffer.from('A second note.'), 'text/plain')
  const response = await openai.responses.create({
    model: 'service',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What do they say?' },
          { type: 'input_file', file_id: id },
          { type: 'input_file', filename: 'second.txt', file_data: data },
        ],
      },
    ],
  })
  expect(response.output_text).toBe('Read both.')
  const results = told().filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining(sentence),
    expect.stringContaining('A second note.'),
  ])
  expect(await filesOf(serviceOf(response).session_id)).toMatchObject([{ filename: 'second.txt' }])
  world.upstream.enqueue(reply('Goes on.'))
  await openai.files.delete(id)
  const next = { model: 'service', input: 'And?', previous_response_id: response.id }
  expect((await openai.responses.create(next)).output_text).toBe('Goes on.')
})

test('an image of the Responses API is named by its file, in a message and in the output of a function', async () => {
  const id = await upload(png, 'dot.png')
  const image = { type: 'input_image' as const, file_id: id, detail: 'auto' as const }
  const shown = { type: 'image_url', image_url: { url: dataOf(png, 'image/png') } }
  eyes.enqueue(reply('A dot.'))
  await openai.responses.create({ model: 'sees', input: [{ role: 'user', content: [image] }] })
  expect(told(eyes).at(-1)).toMatchObject({ role: 'user', content: [shown] })
  eyes.enqueue(reply('A dot again.'))
  const called = { type: 'function_call' as const, call_id: 'c1', name: 'view_image', arguments: '{}' }
  const output = [{ type: 'input_text' as const, text: 'Here' }, image]
  await openai.responses.create({
    model: 'sees',
    input: [
      { role: 'user', content: 'Look' },
      called,
      { type: 'function_call_output', call_id: 'c1', output },
    ],
  })
  expect(told(eyes).slice(-3)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'view_image' } }] },
    { role: 'tool', content: 'Here\n[file]' },
    { role: 'user', content: [{ text: 'Files of the tool results:' }, shown] },
  ])
})

test('a file in the output of a function is read like one in a message, after all outputs', async () => {
  const file = {
    type: 'input_file' as const,
    filename: 'output.pdf',
    file_data: dataOf(pdf, 'application/pdf'),
  }
  const call = (call_id: string) => ({
    type: 'function_call' as const,
    call_id,
    name: 'fetch',
    arguments: '{}',
  })
  const result = (call_id: string, output: string | (typeof file)[]) => ({
    ...{ type: 'function_call_output' as const, call_id, output },
  })
  world.upstream.enqueue(reply(`It says “${sentence}” [S1].`))
  const { output_text: text } = await openai.responses.create({
    model: 'service',
    input: [
      { role: 'user', content: 'Fetch both' },
      ...[call('c1'), call('c2'), result('c1', [file]), result('c2', 'Nothing')],
    ],
  })
  expect(
    told()
      .map(({ role }) => role)
      .slice(-6),
  ).toEqual(['assistant', 'tool', 'tool', 'user', 'assistant', 'tool'])
  expect(told().at(-1)?.content).toContain(sentence)
  expect(text).toContain('[1]')
})
