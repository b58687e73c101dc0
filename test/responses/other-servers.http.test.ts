import { expect, test } from 'vitest'
import { sendJson } from '../support/http-raw.ts'
import { toldIn } from '../support/told.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const ask = async (fields: object) => {
  const answer = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/responses',
    key: home.key,
    body: { model: 'service', input: 'Who is a beinoni?', ...fields },
  })
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}
const lastBody = () => world.upstream.requests.at(-1)?.body
const offered = () => lastBody()?.tools?.map((tool) => tool.function.name) ?? []
const told = () => toldIn(lastBody())

const shell = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }
const clock = { type: 'function', name: 'clock', parameters: { type: 'object', properties: {} } }
const hosted = [
  { type: 'web_search', external_web_access: false },
  { type: 'web_search_preview' },
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'image_generation' },
  { type: 'mcp', server_label: 'wiki', server_url: 'https://example.org' },
  { type: 'local_shell' },
  { type: 'computer_use_preview' },
  { type: 'tool_search' },
]

test('hosted tools are ignored; functions beside them are offered', async () => {
  const { tools } = await ask({ tools: [...hosted, shell] })
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['shell'])
  expect(offered()).toContain('shell')
  expect(offered()).toContain('search_sources')
  expect(offered()).not.toContain('web_search')
})

test.each(hosted.slice(0, 9))('a choice of the hosted tool $type counts as `auto`', async ({ type }) => {
  const { tool_choice } = await ask({ tools: [{ type }, shell], tool_choice: { type } })
  expect(tool_choice).toBe('auto')
})

test('allowed tools restrict the functions of the client and set the mode', async () => {
  const tool_choice = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'clock' }, { type: 'image_generation' }],
  }
  world.upstream.enqueue(callTools([{ name: 'clock', arguments: {} }]))
  const body = await ask({ tools: [shell, clock], tool_choice })
  expect(body.tool_choice).toBe('required')
  expect(offered()).toContain('clock')
  expect(offered()).not.toContain('shell')
})

test('allowed tools that name no function of the client leave the agent its own', async () => {
  const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] }
  expect((await ask({ tools: [shell], tool_choice })).tool_choice).toBe('auto')
  expect(offered()).not.toContain('shell')
  expect(offered()).toContain('search_sources')
})

test('functions of a namespace are offered by one name and called by both', async () => {
  const crm = {
    type: 'namespace',
    name: 'mcp__crm',
    description: 'Customers',
    tools: [{ ...clock, name: 'list' }],
  }
  world.upstream.enqueue(callTools([{ name: 'mcp__crm__list', arguments: { page: 1 } }]))
  const first = await ask({ tools: [crm] })
  expect(offered()).toContain('mcp__crm__list')
  const [call] = first.output
  expect(call).toMatchObject({ type: 'function_call', namespace: 'mcp__crm', name: 'list' })
  world.upstream.enqueue(reply('Done.'))
  const output = { type: 'function_call_output', call_id: call.call_id, output: 'none' }
  const second = await ask({ tools: [crm], input: [{ role: 'user', content: 'List' }, call, output] })
  expect(second.output[0].content[0].text).toBe('Done.')
  expect(JSON.stringify(lastBody()?.messages)).toContain('"mcp__crm__list"')
})

test('items of other servers reach the model as text; those without text are left out', async () => {
  await ask({
    input: [
      { role: 'user', content: 'Fix it' },
      { type: 'reasoning', summary: [], encrypted_content: 'x' },
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'weather' } },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'c1', name: 'apply_patch', output: 'Applied' },
      {
        type: 'mcp_call',
        id: 'm1',
        server_label: 'wiki',
        name: 'look',
        arguments: '{"a":1}',
        output: 'Found',
      },
      { type: 'image_generation_call', id: 'i1', result: 'AAAA', status: 'completed' },
      { type: 'compaction', encrypted_content: 'x' },
      { role: 'user', content: 'And now?' },
    ],
  })
  expect(told()).toEqual([
    ['user', 'Fix it'],
    ['assistant', 'Used web search: weather'],
    ['tool', 'Applied'],
    ['assistant', 'Used look: {"a":1}\nResult: Found'],
    ['user', 'And now?'],
  ])
})

test('an image in the output of a function is refused by its place if the model reads none', async () => {
  const input = [
    { role: 'user', content: 'Look' },
    { type: 'function_call', call_id: 'c2', name: 'view_image', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'Here' },
        { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
      ],
    },
  ]
  const answer = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/responses',
    key: home.key,
    body: { model: 'service', input },
  })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toMatchObject({ error: { param: 'input[2].output[1]' } })
})

const chat = async (fields: object) => {
  const answer = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/chat/completions',
    key: home.key,
    body: { model: 'service', messages: [{ role: 'user', content: 'Who?' }], ...fields },
  })
  expect(answer.status, answer.text).toBe(200)
}
const chatShell = { type: 'function', function: { name: 'shell' } }

test('a chat request has its other tools ignored and its allowed tools obeyed', async () => {
  const search = { type: 'web_search' }
  await chat({ tools: [search, chatShell], tool_choice: search })
  expect(offered()).toContain('shell')
  const allowed_tools = { mode: 'auto', tools: [search] }
  await chat({ tools: [search, chatShell], tool_choice: { type: 'allowed_tools', allowed_tools } })
  expect(offered()).not.toContain('shell')
})
