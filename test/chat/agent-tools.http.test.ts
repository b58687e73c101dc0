import { expect, test } from 'vitest'
import { sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const send = (fields: object, headers: Readonly<Record<string, string>> = {}) =>
  sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key: home.key,
    headers,
    body: { model: 'service', messages: [{ role: 'user', content: 'Who?' }], ...fields },
  })
const offered = async (...args: Parameters<typeof send>) => {
  const answer = await send(...args)
  expect(answer.status, answer.text).toBe(200)
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
