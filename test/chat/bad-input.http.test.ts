import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { question } from '../support/world/requests.ts'
import { rowCounts } from '../support/world/row-counts.ts'
import { makeOwner, makeThings, type Things } from '../support/world/things.ts'
import { answerText, unhurried } from '../support/world/unhurried.ts'
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
    path: '/v1/chat/completions',
    key: home.key,
    headers,
    body: { ...question('Who is a beinoni?'), ...fields },
  })

const user = { role: 'user', content: 'Who?' }
const said = { role: 'assistant', content: 'A person.' }
const messages = (...list: unknown[]) => ({ messages: list })
const tool = (name: unknown) => ({ type: 'function', function: { name } })
const content = (parts: unknown) => messages({ role: 'user', content: parts })
const picture = (url: string) => ({ type: 'image_url', image_url: { url } })
const attached = (file: object) => ({ type: 'file', file })
const text64 = Buffer.from('a text').toString('base64')
const x = (options: object) => ({ x_service: options })
const missing = 'missing_required_parameter'
const hidden = (id: string) => JSON.stringify({ session_id: `${id}\0` })

type Case = {
  readonly name: string
  readonly fields: object | (() => object)
  readonly headers?: () => Readonly<Record<string, string>>
  readonly param: string | null
  readonly says: RegExp
  readonly code?: ErrorCode
}

const unsupported = (param: string, value: unknown, says: RegExp): Case => ({
  name: `\`${param}\``,
  fields: { [param]: value },
  ...{ param, says, code: 'unsupported_parameter' },
})

const refuse = (
  name: string,
  fields: Case['fields'],
  param: Case['param'],
  says: RegExp,
  code: ErrorCode = 'invalid_value',
): Case => ({ name, fields, param, says, code })

const cases: readonly Case[] = [
  unsupported('n', 2, /one answer/),
  unsupported('n', '1', /leave `n` out or send 1/),
  refuse('a function without a name', { functions: [{}] }, 'functions[0].name', /required/, missing),
  refuse(
    'a function that is not sent',
    { functions: [{ name: 'f' }], function_call: { name: 'g' } },
    'tool_choice',
    /not in `tools`/,
  ),
  refuse('a function call that is a number', { function_call: 5 }, 'function_call', /`auto`/),
  unsupported('audio', { voice: 'alloy' }, /answers are text/),
  unsupported('modalities', ['text', 'audio'], /answers are text/),
  unsupported('logprobs', true, /not available/),
  refuse('a model that is not there', { model: 'gpt-4o' }, 'model', /"gpt-4o".*service/, 'model_not_found'),
  refuse('a missing model', { model: undefined }, 'model', /required/, missing),
  refuse('missing messages', { messages: undefined }, 'messages', /required/, missing),
  refuse('messages that are a text', { messages: 'Who?' }, 'messages', /expected array/),
  refuse('empty messages', { messages: [] }, 'messages', /must not be empty/),
  refuse('1,001 messages', { messages: Array(1_001).fill(user) }, 'messages', /at most 1,000/),
  refuse('no message of a user', messages({ role: 'system', content: 'Be kind.' }), 'messages', /`user`/),
  refuse('a message that is null', messages(user, null), 'messages[1]', /expected object/),
  refuse(
    'an unknown role',
    messages(user, { role: 'critic', content: '?' }),
    'messages[1].role',
    /"developer"\|"user"/,
  ),
  refuse('a message without a role', messages({ content: '?' }), 'messages[0].role', /required/, missing),
  refuse('a message without content', messages({ role: 'user' }), 'messages[0].content', /required/),
  refuse('content that is a number', content(5), 'messages[0].content', /text or an array of parts/),
  refuse(
    'a part of an unknown type',
    content([{ type: 'text', text: 'a' }, { type: 'video' }]),
    'messages[0].content[1].type',
    /part of type `text`/,
  ),
  refuse(
    'a text part without its text',
    content([{ type: 'text' }]),
    'messages[0].content[0].text',
    /required/,
    missing,
  ),
  refuse('a part that is null', content([null]), 'messages[0].content[0]', /`text`|object/),
  refuse(
    'an image from a file: URL',
    content([picture('file:///etc/passwd')]),
    'messages[0].content[0].image_url.url',
    /http\(s\)/,
  ),
  refuse(
    'an image for a model that reads none',
    content([picture('data:image/png;base64,AA')]),
    'messages[0].content[0]',
    /cannot read images/,
  ),
  refuse('a file that is not named', content([attached({})]), 'messages[0].content[0].file', /`file_id`/),
  refuse(
    'a file that is named and sent',
    content([attached({ file_id: 'file-1', file_data: text64, filename: 'a.txt' })]),
    'messages[0].content[0].file',
    /`file_id`, or `file_data`/,
  ),
  refuse(
    'a file without a name',
    content([attached({ file_data: text64 })]),
    'messages[0].content[0].file',
    /`filename`/,
  ),
  refuse(
    'a file whose name has controls only',
    content([attached({ file_data: text64, filename: '\u0007' })]),
    'messages[0].content[0].file',
    /has control characters/,
  ),
  refuse(
    'a file that is no base64',
    content([attached({ file_data: 'data:text/plain,hello', filename: 'a.txt' })]),
    'messages[0].content[0].file',
    /must be base64/,
  ),
  refuse(
    'a file that is cut',
    content([attached({ file_data: text64.slice(0, -1), filename: 'a.txt' })]),
    'messages[0].content[0].file',
    /must be base64/,
  ),
  refuse(
    'a file of a kind that is not read',
    content([attached({ file_data: Buffer.from('PK\0\0').toString('base64'), filename: 'a.zip' })]),
    'messages[0].content[0].file',
    /neither a text nor a document/,
  ),
  refuse(
    'a file in a message of the assistant',
    messages({ role: 'assistant', content: [attached({ file_id: 'file-1' })] }, user),
    'messages[0].content',
    /role `user` only/,
  ),
  refuse(
    '21 files',
    content(Array(21).fill(attached({ file_id: 'file-1' }))),
    'messages',
    /At most 20 files/,
  ),
  {
    name: 'a file of another project than the turn',
    fields: () => ({
      ...content([attached({ file_id: elsewhere.fileId })]),
      ...x({ session_id: home.sessionId }),
    }),
    ...{ param: 'messages[0].content[0].file', says: /another project/ },
  },
  refuse(
    'a tool message without its call',
    messages(user, { role: 'tool', content: '5' }),
    'messages[1].tool_call_id',
    /required/,
  ),
  refuse('`stream` as a text', { stream: 'true' }, 'stream', /expected boolean/),
  refuse(
    '`include_usage` as a text',
    { stream_options: { include_usage: 'yes' } },
    'stream_options.include_usage',
    /expected boolean/,
  ),
  refuse('a temperature of 3', { temperature: 3 }, 'temperature', /<=2/),
  refuse('`max_tokens` of -2', { max_tokens: -2 }, 'max_tokens', />=1/),
  refuse('`max_tokens` of 0', { max_tokens: 0 }, 'max_tokens', />=1/),
  refuse('five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', /at most 4 items/),
  refuse('a seed of 1.5', { seed: 1.5 }, 'seed', /int/),
  refuse(
    'a choice of a custom tool that is not sent',
    {
      tools: [{ type: 'custom', custom: { name: 'f' } }],
      tool_choice: { type: 'custom', custom: { name: 'g' } },
    },
    'tool_choice',
    /not in `tools`/,
  ),
  refuse(
    'a tool with a blank in its name',
    { tools: [tool('a b')] },
    'tools[0].function.name',
    /letters, digits/,
  ),
  refuse('a tool choice among no tools', { tool_choice: tool('add') }, 'tool_choice', /not in `tools`/),
  refuse(
    'a tool choice of another name',
    { tools: [tool('sum')], tool_choice: tool('add') },
    'tool_choice',
    /not in `tools`/,
  ),
  refuse('a tool choice that is a number', { tool_choice: 5 }, 'tool_choice', /`auto`/),
  refuse(
    'an unknown response format',
    { response_format: { type: 'xml' } },
    'response_format',
    /`json_schema`/,
  ),
  refuse('a session id that is a number', x({ session_id: 5 }), 'x_service.session_id', /expected string/),
  refuse('an empty session id', x({ session_id: '' }), 'x_service.session_id', /session_id/),
  refuse(
    'an unknown `on_disconnect`',
    x({ on_disconnect: 'stop' }),
    'x_service.on_disconnect',
    /"continue"\|"cancel"/,
  ),
  refuse('`background` as a number', x({ background: 1 }), 'x_service.background', /true or false/),
  refuse(
    'an unknown `sources`',
    { metadata: { 'service.sources': 'footnotes' } },
    'metadata.service.sources',
    /"inline"\|"block"/,
  ),
  refuse(
    'a nested option of the wrong type',
    { metadata: { service: { progress: 'no' } } },
    'metadata.service.progress',
    /true or false/,
  ),
  ...[true, 1, 'x', '', '"x"', [], [{ session_id: 'sess_1' }]].map((value) =>
    refuse(`${JSON.stringify(value)} as options`, { x_service: value }, 'x_service', /`x_service`/),
  ),
  refuse(
    'options in JSON without its end',
    { x_service: '{"max_cost": 0.001' },
    'x_service',
    /not valid JSON/,
  ),
  refuse('options in a list in JSON', { x_service: '[{"max_cost": 1}]' }, 'x_service', /must be an object/),
  refuse('metadata in JSON without its end', { metadata: '{"service": {' }, 'metadata', /not valid JSON/),
  refuse(
    'a member `service` of metadata in JSON without its end',
    { metadata: { service: ' {"session_id":"sess_1"' } },
    'metadata.service',
    /not valid JSON/,
  ),
  refuse(
    'a stream in the background',
    { stream: true, x_service: { background: true } },
    'stream',
    /Leave out `stream`/,
  ),
  {
    name: 'a project that is not the one of the session',
    fields: () => ({ x_service: { session_id: home.sessionId, project_id: elsewhere.projectId } }),
    ...{ param: 'x_service.project_id', says: /Leave out one of the two/ },
  },
  {
    name: 'a project in a header that is not the one of the session',
    fields: () => ({ x_service: { session_id: home.sessionId } }),
    headers: () => ({ 'x-service-project-id': elsewhere.projectId }),
    ...{ param: 'headers.project_id', says: /Leave out one of the two/ },
  },
  {
    name: 'nothing new in a resumed session',
    fields: () => ({ ...messages(user, said), x_service: { session_id: home.sessionId } }),
    ...{ param: 'messages', says: /must end with a message of role `user`/ },
  },
  {
    name: 'only a system message after the last answer of a resumed session',
    fields: () => ({
      ...messages(user, said, { role: 'system', content: 'Be kind.' }),
      x_service: { session_id: home.sessionId },
    }),
    ...{ param: 'messages', says: /`user`/ },
  },
  {
    name: 'a session id with a NUL that JSON inside a text hides',
    fields: () => ({ metadata: { service: hidden(home.sessionId) } }),
    ...{ param: 'metadata.service.session_id', says: /Check the id in `metadata/, code: 'not_found' },
  },
  {
    name: 'an unknown project in a header',
    fields: {},
    headers: () => ({ 'x-service-project-id': 'proj_1' }),
    ...{ param: 'headers.project_id', says: /Check the id in `headers/, code: 'not_found' },
  },
  refuse(
    'an unknown file in a part',
    content([{ type: 'text', text: 'a' }, attached({ file_id: 'file-1' })]),
    'messages[0].content[1].file',
    /Check the id in `messages/,
    'not_found',
  ),
  refuse(
    'a maximum cost below that of the first call',
    { metadata: { 'service.max_cost': '0.001' } },
    'metadata.service.max_cost',
    /`max_cost` of 0\.001/,
  ),
]

test.each(cases)('a chat with $name is refused, and nothing is written', async (bad) => {
  const { fields, headers, param, says, code = 'invalid_value' } = bad
  const reply = await ask(typeof fields === 'function' ? fields() : fields, headers?.())
  const status = code === 'not_found' || code === 'model_not_found' ? 404 : 400
  expectError(reply, { status, code, param }, says)
  expect(await rowCounts(world.db)).toEqual(before)
})

const optional =
  'n stream stream_options temperature top_p max_tokens max_completion_tokens stop seed user response_format tools tool_choice functions function_call audio modalities logprobs metadata reasoning_effort x_service'

test.each([
  ['null for every optional field', Object.fromEntries(optional.split(' ').map((name) => [name, null]))],
  ['-1 for no limit of tokens', { max_tokens: -1, max_completion_tokens: -1 }],
  [
    'known parameters that are ignored',
    {
      n: 1,
      logit_bias: { 5: 1 },
      presence_penalty: 1,
      store: true,
      parallel_tool_calls: false,
      service_tier: 'auto',
      prediction: {},
      logprobs: false,
      modalities: ['text'],
    },
  ],
  [
    'parameters nobody knows',
    {
      wibble: [1, { x: null }],
      'a.b': 1,
      x_service: { wobble: 1 },
      metadata: { 'service.wobble': 1, own: 'label' },
    },
  ],
  ['metadata that is no object', { metadata: 'plain text' }],
  ['a list as metadata', { metadata: [{ session_id: 'mine' }] }],
  ['a label of the name `service`', { metadata: { service: 'checkout' } }],
  ['options as texts with JSON', { x_service: ' {"progress": false}', metadata: { service: '{}' } }],
  [
    'content in parts',
    messages(
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Who' },
          { type: 'text', text: 'is it?' },
        ],
      },
    ),
  ],
  [
    'every role there is',
    messages(
      { role: 'developer', content: 'Be kind.' },
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'function', name: 'f', content: '5' },
      user,
    ),
  ],
  ['1,000 messages', { messages: Array(1_000).fill(user) }],
])('a chat with %s is answered', async (_name, fields) => {
  const reply = await ask(fields)
  expect({ status: reply.status, error: reply.status === 200 ? null : reply.text }).toEqual({
    status: 200,
    error: null,
  })
  expect(JSON.parse(reply.text).choices[0].message.content).toBe(answerText)
})
