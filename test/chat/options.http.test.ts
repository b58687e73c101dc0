import { beforeAll, expect, test } from 'vitest'
import { sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { importLamps } from '../support/lamps.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

/** What a client can choose for an answer: tools of the agent, functions of the older form, links, and files in headers. */

const world = useWorld(unhurried)
const home = useThings(world)
beforeAll(() => importLamps(world.db.database))

const send = (fields: object, headers: Readonly<Record<string, string>> = {}) =>
  sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key: home.key,
    headers,
    body: { model: 'service', messages: [{ role: 'user', content: 'Who?' }], ...fields },
  })
const ask = async (...args: Parameters<typeof send>) => {
  const answer = await send(...args)
  expect(answer.status, answer.text).toBe(200)
  return answer.text
}
const offered = async (...args: Parameters<typeof send>) => {
  await ask(...args)
  const tools = world.upstream.requests.at(-1)?.body.tools ?? []
  return tools.map((tool) => tool.function.name)
}

const groups = {
  library: ['search_sources', 'read_source', 'list_works', 'resolve_ref', 'work_shape', 'find_parallels'],
  files: ['list_files', 'read_file', 'search_files', 'write_file', 'edit_file', 'rename_file'],
  sheets: ['make_source_sheet'],
}
const sorted = (...names: readonly string[]) => names.toSorted()

test('a turn has all tools of the agent, or those of the groups that the client chose', async () => {
  expect(sorted(...(await offered({})))).toEqual(sorted(...Object.values(groups).flat()))
  const channels: Parameters<typeof send>[] = [
    [{ x_service: { tools: ['library', 'sheets'] } }],
    [{}, { 'x-service-tools': 'library, sheets' }],
    [{ metadata: { 'service.tools': 'library,sheets' } }],
  ]
  for (const channel of channels) {
    expect(sorted(...(await offered(...channel)))).toEqual(sorted(...groups.library, ...groups.sheets))
  }
})

test('a turn can have no tool of the agent, with those of the client', async () => {
  const tools = [{ type: 'function', function: { name: 'clock' } }]
  expect(await offered({ tools, x_service: { tools: [] } })).toEqual(['clock'])
  expect(await offered({ tools }, { 'x-service-tools': 'none' })).toEqual(['clock'])
})

test('a tool of the client replaces only the tool of the same name', async () => {
  const tools = [{ type: 'function', function: { name: 'read_file', description: 'Mine' } }]
  expect(sorted(...(await offered({ tools })))).toEqual(sorted(...Object.values(groups).flat()))
  const body = world.upstream.requests.at(-1)?.body
  expect(body?.tools?.filter((tool) => tool.function.name === 'read_file')).toMatchObject([
    { function: { description: 'Mine' } },
  ])
})

test.each([['shell'], 'library,shell', 5])('the tool groups %j are refused', async (tools) => {
  expectError(
    await send({ x_service: { tools } }),
    { status: 400, code: 'invalid_value', param: 'x_service.tools' },
    /library, files, sheets/,
  )
})

const functions = [
  { name: 'weather', description: 'The weather', parameters: { type: 'object', properties: {} } },
]
const question = { role: 'user', content: 'Weather?' }
const two = () => callTools(['Lod', 'Zefat'].map((city) => ({ name: 'weather', arguments: { city } })))

test('functions of the older form are called, and their results reach the model', async () => {
  world.upstream.enqueue(two())
  const [choice] = JSON.parse(await ask({ functions, messages: [question], function_call: 'auto' })).choices
  expect(choice.finish_reason).toBe('function_call')
  expect(choice.message.function_call).toEqual({ name: 'weather', arguments: '{"city":"Lod"}' })
  expect(choice.message).not.toHaveProperty('tool_calls')
  world.upstream.enqueue(reply('Sunny.'))
  const messages = [question, choice.message, { role: 'function', name: 'weather', content: 'sun' }]
  const [second] = JSON.parse(await ask({ functions, messages })).choices
  expect(second).toMatchObject({ finish_reason: 'stop', message: { content: 'Sunny.' } })
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  const id = told?.[1]?.tool_calls?.[0]?.id
  expect(id).toEqual(expect.any(String))
  expect(told?.slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'sun', tool_call_id: id },
  ])
})

test('a streamed call of a function has the older form', async () => {
  world.upstream.enqueue(two())
  const text = await ask({ functions, messages: [question], stream: true })
  expect(text).toContain('"delta":{"function_call":{"name":"weather","arguments":"{\\"city\\":\\"Lod\\"}"}}')
  expect(text).toContain('"finish_reason":"function_call"')
  expect(text).not.toContain('"tool_calls":[')
})

/** Each question differs: an equal one on a new connection would be a retry of the one before. */
let asked = 0
const askLamps = (fields: object) => {
  asked += 1
  const search = { name: 'search_sources', arguments: { query: 'lamp light' } }
  world.upstream.enqueue(callTools([search]), reply('A lamp gives light [S1]. More [S1].'))
  return ask({ messages: [{ role: 'user', content: `lamp light ${asked}` }], ...fields })
}
const link = '[1](https://example.org/lamps/1)'
const linked = `A lamp gives light ${link}. More ${link}.`
const x_service = { citation_style: 'links' }

test('links replace numbers in a whole and in a streamed answer, and annotations cover them', async () => {
  const [choice] = JSON.parse(await askLamps({ x_service })).choices
  const { content, annotations } = choice.message
  expect(content.startsWith(linked)).toBe(true)
  for (const { url_citation: at } of annotations)
    expect(content.slice(at.start_index, at.end_index)).toBe(link)
  expect(annotations).toHaveLength(2)
  const text = await askLamps({ x_service, stream: true })
  const deltas = text.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")\}/g)
  const streamed = [...deltas].map(([, json]) => JSON.parse(json ?? '""')).join('')
  expect(streamed.startsWith(linked)).toBe(true)
})

test('the next turn tells the model an earlier answer without its links', async () => {
  const first = JSON.parse(await askLamps({ x_service }))
  world.upstream.enqueue(reply('Yes.'))
  await ask({
    messages: [{ role: 'user', content: 'And?' }],
    x_service: { session_id: first.x_service.session_id },
  })
  const told = JSON.stringify(world.upstream.requests.at(-1)?.body.messages)
  expect(told).toContain('A lamp gives light')
  expect(told).not.toContain('](https://example.org')
})

test('`block` has neither numbers nor links', async () => {
  const answer = JSON.parse(await askLamps({ x_service: { ...x_service, sources: 'block' } }))
  expect(answer.choices[0].message.content).toBe('A lamp gives light. More.')
})

/** A turn that writes a file. */
function scriptFile(): void {
  const write = { name: 'write_file', arguments: { name: `notes-${Math.random()}.md`, content: 'Notes' } }
  world.upstream.enqueue(callTools([write]), reply('Written.'))
}

const write = (fields: object, key = `${Math.random()}`) =>
  world.chat(
    { model: 'service', messages: [{ role: 'user', content: 'Write notes' }], ...fields },
    { headers: { 'idempotency-key': key } },
  )

const filesIn = ({ headers }: Response) => headers.get('x-service-files')

/** The last `x_service` of a stream. */
async function blockOf(stream: Response) {
  const frames = (await stream.text()).match(/(?<=^data: )\{.*$/gm) ?? []
  return frames.map((frame) => JSON.parse(frame).x_service).findLast((block) => block?.files)
}

test('every whole reply has x-service-files, empty when the turn wrote none', async () => {
  scriptFile()
  const written = await write({})
  const { x_service } = await bodyOf(written)
  expect(filesIn(written)).toBe(x_service.files[0].id)
  expect(filesIn(await write({}))).toBe('')
})

test('the last chunk of a stream has the files, and a replay of it has the header too', async () => {
  scriptFile()
  const streamed = await write({ stream: true }, 'streamed')
  expect(filesIn(streamed)).toBeNull()
  const { files } = await blockOf(streamed)
  expect(files).toMatchObject([{ id: expect.stringMatching(/^file/), action: 'created' }])
  const again = await write({ stream: true }, 'streamed')
  expect(filesIn(again)).toBe(files[0].id)
  expect((await blockOf(again)).files).toEqual(files)
})

test('a client that reads only headers finds the files of a stream in its run', async () => {
  scriptFile()
  const streamed = await write({ stream: true })
  const { files } = await blockOf(streamed)
  const id = streamed.headers.get('x-service-run-id')
  const run = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${id}`))
  expect(run.output.filter(({ type }: { type: string }) => type === 'file')).toMatchObject(files)
})
