import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { events, startNativeServer } from '../agent/ai-sdk/native-server.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-apis-'))
  world = await openWorld()
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

type Json = Readonly<Record<string, unknown>>

/** The stream of a message of Claude, with 1,000 prompt tokens of which 900 come from the cache. */
function message(stop: string, ...blocks: readonly (readonly [Json, ...Json[]])[]): string {
  const usage = {
    input_tokens: 100,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  }
  const start = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], usage }
  return events(
    { type: 'message_start', message: { ...start, stop_reason: null, stop_sequence: null } },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  )
}

const thought: readonly [Json, ...Json[]] = [
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'Which files are there?' },
  { type: 'signature_delta', signature: 'c2ln' },
]
const call: readonly [Json, ...Json[]] = [
  { type: 'tool_use', id: 'toolu_1', name: 'list_files', input: {} },
  { type: 'input_json_delta', partial_json: '{}' },
]
const text: readonly [Json, ...Json[]] = [
  { type: 'text', text: '' },
  { type: 'text_delta', text: 'None.' },
]

test('a turn over the API of Anthropic calls tools, and cached tokens have their price', async () => {
  const server = await startNativeServer(
    { body: message('tool_use', thought, call) },
    { body: message('end_turn', text) },
  )
  const catalogueFile = path.join(folder, 'models.json')
  const entry = {
    ...{
      id: 'service',
      api: 'anthropic',
      base_url: `${server.origin}/v1`,
      api_key: 'k',
      name: 'claude-sonnet-4-5',
    },
    price: { input: 1, cached_input: 0.1, output: 1, tool_call: 0 },
    temperature: 0.5,
    max_output_tokens: 300,
  }
  await writeFile(catalogueFile, JSON.stringify({ models: [entry] }))
  const at = await world.start({ model: { catalogueFile } })

  const answer = (await (await world.chat(ask('Which files?'), { at })).json()) as Completion
  expect(answer.choices[0]?.message.content).toBe('None.')
  expect(answer.usage).toMatchObject({
    prompt_tokens: 2_000,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 1_800 },
    cost: 0.2 + 0.18 + 0.02,
  })
  expect(server.requests[0]?.body).toMatchObject({ temperature: 0.5, max_tokens: 300 })
  const sent = server.requests[1]?.body['messages'] as readonly Json[]
  expect(sent.slice(-2)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Which files are there?', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_1' },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
  ])
  expect(await world.broken()).toEqual([])
})
