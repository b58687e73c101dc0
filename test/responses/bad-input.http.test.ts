import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { send, sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { toldIn } from '../support/told.ts'
import { rowCounts } from '../support/world/row-counts.ts'
import { makeOwner, makeThings, type Things } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let home: Things
let elsewhere: Things
let before: Readonly<Record<string, number>>

const world = useWorld(unhurried)
beforeAll(async () => {
  const owner = await makeOwner(world.db)
  home = await makeThings(world.db, world.service, owner)
  elsewhere = await makeThings(world.db, world.service, owner)
})
beforeEach(async () => {
  before = await rowCounts(world.db)
})

const ask = (fields: object, headers: Readonly<Record<string, string>> = {}) =>
  sendJson(world.service, {
    method: 'POST',
    path: '/v1/responses',
    key: home.key,
    headers,
    body: { model: 'service', input: 'Who is a beinoni?', ...fields },
  })
const responseOf = ({ runId }: Things) => runId.replace('run_', 'resp_')

type Case = {
  readonly name: string
  readonly fields: object | (() => object)
  readonly param: string | null
  readonly says: RegExp
  readonly code?: ErrorCode
}

const items = (...input: unknown[]) => ({ input })
const part = (one: unknown) => items({ role: 'user', content: [one] })
const missing = 'missing_required_parameter'
const unsupported = 'unsupported_parameter'

const cases: readonly Case[] = [
  { name: 'no model', fields: { model: undefined }, param: 'model', says: /required/, code: missing },
  { name: 'no input', fields: { input: undefined }, param: 'input', says: /required/, code: missing },
  { name: 'an input of another type', fields: { input: 7 }, param: 'input', says: /text or an array/ },
  {
    name: 'no message',
    fields: items({ type: 'reasoning', summary: [] }),
    param: 'input',
    says: /`input` must end with a message of role `user`/,
  },
  {
    name: 'options in JSON without its end',
    fields: { x_service: '{"max_cost": 0.001' },
    param: 'x_service',
    says: /not valid JSON/,
  },
  { name: 'no items', fields: { input: [] }, param: 'input', says: /must not be empty/ },
  { name: 'a null item', fields: items(null), param: 'input[0]', says: /expected object/ },
  {
    name: 'an item of a type that is not supported',
    fields: items({ role: 'user', content: 'x' }, { type: 'mesage', id: 'x' }),
    param: 'input[1].type',
    says: /Use one of: message, function_call, /,
  },
  {
    name: 'a role that there is not',
    fields: items({ role: 'tool', content: '' }),
    param: 'input[0].role',
    says: /./,
  },
  {
    name: 'a message without content',
    fields: items({ role: 'user' }),
    param: 'input[0].content',
    says: /required/,
    code: missing,
  },
  {
    name: 'a file that is no base64',
    fields: part({ type: 'input_file', filename: 'a.txt', file_data: '***' }),
    param: 'input',
    says: /must be base64/,
  },
  {
    name: 'a file by its address',
    fields: part({ type: 'input_file', file_url: 'https://example.org/a.pdf' }),
    param: 'input[0].content[0]',
    says: /FILE_URL_HOSTS.*`file_id`, or `file_data` and a `filename`/,
  },
  {
    name: 'an image for a model that reads none',
    fields: part({ type: 'input_image', image_url: 'https://example.org/a.png' }),
    param: 'input[0].content[0]',
    says: /cannot read images/,
  },
  {
    name: 'an output without a call id',
    fields: items({ type: 'function_call_output', output: '' }),
    param: 'input[0].call_id',
    says: /required/,
    code: missing,
  },
  {
    name: 'nothing new after a response',
    fields: () => ({
      previous_response_id: responseOf(home),
      ...items({ role: 'user', content: 'x' }, { role: 'assistant', content: 'y' }),
    }),
    param: 'input',
    says: /nothing new/,
  },
  {
    name: 'a response and a session that is not its own',
    fields: () => ({
      previous_response_id: responseOf(home),
      x_service: { session_id: elsewhere.sessionId },
    }),
    param: 'previous_response_id',
    says: /another session/,
  },
  {
    name: 'a response and a project that is not its own',
    fields: () => ({
      previous_response_id: responseOf(home),
      x_service: { project_id: elsewhere.projectId },
    }),
    param: 'previous_response_id',
    says: /another session or project/,
  },
  {
    name: 'a previous response that is no text',
    fields: { previous_response_id: 7 },
    param: 'previous_response_id',
    says: /string/,
  },
  {
    name: 'a conversation',
    fields: { conversation: { name: 'conv_1' } },
    param: 'conversation',
    says: /must be an id/,
  },
  {
    name: 'a stored prompt',
    fields: { prompt: { id: 'p' } },
    param: 'prompt',
    says: /instructions/,
    code: unsupported,
  },
  {
    name: 'log probabilities',
    fields: { top_logprobs: 3 },
    param: 'top_logprobs',
    says: /not available/,
    code: unsupported,
  },
  {
    name: 'log probabilities among what to include',
    fields: { include: ['message.output_text.logprobs'] },
    param: 'include',
    says: /not available/,
    code: unsupported,
  },
  {
    name: 'a function with a blank in its name',
    fields: { tools: [{ type: 'web_search' }, { type: 'function', name: 'a b' }] },
    param: 'tools[1].name',
    says: /letters, digits/,
  },
  {
    name: 'a function with a blank in its name in a namespace',
    fields: { tools: [{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'a b' }] }] },
    param: 'tools[0].tools[0].name',
    says: /letters, digits/,
  },
  {
    name: 'a choice of a custom tool that is not sent',
    fields: { tools: [{ type: 'custom', name: 'f' }], tool_choice: { type: 'custom', name: 'g' } },
    param: 'tool_choice',
    says: /not in `tools`/,
  },
  {
    name: 'a choice of a tool that is not there',
    fields: { tool_choice: { type: 'function', name: 'f' } },
    param: 'tool_choice',
    says: /not in `tools`/,
  },
  {
    name: 'a choice of a kind that is not supported',
    fields: { tool_choice: { type: 'allowed_tools' } },
    param: 'tool_choice',
    says: /`required`/,
  },
  {
    name: 'a format that there is not',
    fields: { text: { format: { type: 'grammar' } } },
    param: 'text.format',
    says: /json_schema/,
  },
  { name: 'too high a temperature', fields: { temperature: 3 }, param: 'temperature', says: /./ },
  { name: 'no room for an answer', fields: { max_output_tokens: 0 }, param: 'max_output_tokens', says: /./ },
  { name: 'a flag of another type', fields: { background: 'yes' }, param: 'background', says: /boolean/ },
  {
    name: 'an option of another type',
    fields: { x_service: { sources: 'all' } },
    param: 'x_service.sources',
    says: /./,
  },
]

test.each(cases)(
  '$name is refused, named, and leaves nothing behind',
  async ({ fields, param, says, code }) => {
    const reply = await ask(typeof fields === 'function' ? fields() : fields)
    expectError(reply, { status: 400, code: code ?? 'invalid_value', param }, says)
    expect(await rowCounts(world.db)).toEqual(before)
  },
)

test('a model that there is not is named with those that there are', async () => {
  const reply = await ask({ model: 'gpt-9' })
  expectError(reply, { status: 404, code: 'model_not_found', param: 'model' }, /Use one of: service/)
})

const ignored = {
  store: false,
  truncation: 'auto',
  service_tier: 'flex',
  include: ['reasoning.encrypted_content'],
  parallel_tool_calls: false,
  max_tool_calls: 3,
  prompt_cache_key: 'k',
  safety_identifier: 's',
  stream_options: { include_obfuscation: false },
  reasoning: { effort: 'low', summary: 'auto' },
  text: { verbosity: 'low' },
  unheard_of: { x: 1 },
  conversation: null,
  previous_response_id: null,
  tools: [],
  instructions: null,
}

test.each(Object.entries(ignored))('%s is accepted', async (name, value) => {
  expect((await ask({ [name]: value })).status).toBe(200)
})

test('items of other services are ignored; roles and parts of messages are read', async () => {
  const reply = await ask({
    input: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { type: 'message', role: 'user', content: 'One?', id: 'msg_x', status: 'completed' },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'One.', annotations: [], logprobs: [] }],
      },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Two' },
          { type: 'input_text', text: 'words?' },
        ],
      },
    ],
  })
  expect(reply.status).toBe(200)
  expect(toldIn(world.upstream.requests.at(-1)?.body)).toEqual([
    ['system', 'Be kind.'],
    ['user', 'One?'],
    ['assistant', 'One.'],
    ['user', 'Two\nwords?'],
  ])
})

test.each([
  'stream=yes',
  'stream=true&starting_after=-1',
  'stream=true&starting_after=x',
  'starting_after=1',
])('a response with the query %s is refused', async (query) => {
  const path = `/v1/responses/${responseOf(home)}?${query}`
  const reply = await send(world.service, { method: 'GET', path, key: home.key })
  const param = query.includes('starting_after') ? 'starting_after' : 'stream'
  expectError(reply, { status: 400, code: 'invalid_value', param }, /./)
})

test('a missing, foreign or malformed previous response is one and the same 404', async () => {
  const stranger = await makeThings(world.db, world.service, await makeOwner(world.db))
  const ids = [
    responseOf(stranger),
    'resp_none',
    'none',
    home.runId,
    stranger.runId,
    home.sessionId,
    'é'.repeat(999),
  ]
  for (const previous_response_id of ids) {
    const reply = await ask({ previous_response_id })
    expectError(reply, { status: 404, code: 'not_found', param: 'previous_response_id' }, /Check the id/)
  }
})
