import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import {
  answerText,
  makeOwner,
  makeThings,
  openWorld,
  rowCounts,
  type Things,
  type World,
} from '../support/http-world.ts'
import { question } from '../support/service.ts'

let world: World
let home: Things
let elsewhere: Things
let before: Readonly<Record<string, number>>

beforeAll(async () => {
  world = await openWorld()
  const owner = await makeOwner(world.db)
  home = await makeThings(world.db, world.service, owner)
  elsewhere = await makeThings(world.db, world.service, owner)
})
beforeEach(async () => {
  before = await rowCounts(world.db)
})
afterAll(() => world.close())

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
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
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

const cases: readonly Case[] = [
  unsupported('n', 2, /one answer/),
  unsupported('n', '1', /leave `n` out or send 1/),
  unsupported('functions', [{ name: 'f' }], /Use `tools`/),
  unsupported('function_call', 'auto', /Use `tools`/),
  unsupported('audio', { voice: 'alloy' }, /answers are text/),
  unsupported('modalities', ['text', 'audio'], /answers are text/),
  unsupported('logprobs', true, /not available/),
  {
    name: 'a model that is not there',
    fields: { model: 'gpt-4o' },
    param: 'model',
    says: /"gpt-4o".*service/,
    code: 'model_not_found',
  },
  {
    name: 'a missing model',
    fields: { model: undefined },
    param: 'model',
    says: /required/,
    code: 'missing_required_parameter',
  },
  {
    name: 'missing messages',
    fields: { messages: undefined },
    param: 'messages',
    says: /required/,
    code: 'missing_required_parameter',
  },
  {
    name: 'messages that are a text',
    fields: { messages: 'Who?' },
    param: 'messages',
    says: /expected array/,
  },
  { name: 'empty messages', fields: { messages: [] }, param: 'messages', says: /must not be empty/ },
  {
    name: '1,001 messages',
    fields: { messages: Array(1_001).fill(user) },
    param: 'messages',
    says: /at most 1,000/,
  },
  {
    name: 'no message of a user',
    fields: messages({ role: 'system', content: 'Be kind.' }),
    param: 'messages',
    says: /`user`/,
  },
  {
    name: 'a message that is null',
    fields: messages(user, null),
    param: 'messages[1]',
    says: /expected object/,
  },
  {
    name: 'an unknown role',
    fields: messages(user, { role: 'critic', content: '?' }),
    param: 'messages[1].role',
    says: /"developer"\|"user"/,
  },
  {
    name: 'a message without a role',
    fields: messages({ content: '?' }),
    param: 'messages[0].role',
    says: /required/,
    code: 'missing_required_parameter',
  },
  {
    name: 'a message without content',
    fields: messages({ role: 'user' }),
    param: 'messages[0].content',
    says: /required/,
  },
  {
    name: 'content that is a number',
    fields: messages({ role: 'user', content: 5 }),
    param: 'messages[0].content',
    says: /text or an array of parts/,
  },
  {
    name: 'a part of an unknown type',
    fields: messages({ role: 'user', content: [{ type: 'video' }] }),
    param: 'messages[0].content',
    says: /`text`/,
  },
  {
    name: 'an image from a file: URL',
    fields: messages({
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
    }),
    param: 'messages[0].content[0].image_url.url',
    says: /http\(s\)/,
  },
  {
    name: 'an image for a model that reads none',
    fields: messages(user, { role: 'user', content: [image] }),
    param: 'messages[1].content',
    says: /cannot read images/,
  },
  {
    name: 'a tool message without its call',
    fields: messages(user, { role: 'tool', content: '5' }),
    param: 'messages[1].tool_call_id',
    says: /required/,
  },
  { name: '`stream` as a text', fields: { stream: 'true' }, param: 'stream', says: /expected boolean/ },
  {
    name: '`include_usage` as a text',
    fields: { stream_options: { include_usage: 'yes' } },
    param: 'stream_options.include_usage',
    says: /expected boolean/,
  },
  { name: 'a temperature of 3', fields: { temperature: 3 }, param: 'temperature', says: /<=2/ },
  { name: '`max_tokens` of 0', fields: { max_tokens: 0 }, param: 'max_tokens', says: />=1/ },
  { name: 'five stops', fields: { stop: ['a', 'b', 'c', 'd', 'e'] }, param: 'stop', says: /at most four/ },
  { name: 'a seed of 1.5', fields: { seed: 1.5 }, param: 'seed', says: /int/ },
  {
    name: 'a tool of another type',
    fields: { tools: [{ type: 'web_search' }] },
    param: 'tools[0].type',
    says: /`function`/,
  },
  {
    name: 'a tool with a blank in its name',
    fields: { tools: [tool('a b')] },
    param: 'tools[0].function.name',
    says: /letters, digits/,
  },
  {
    name: 'a tool choice among no tools',
    fields: { tool_choice: tool('add') },
    param: 'tool_choice',
    says: /not among `tools`/,
  },
  {
    name: 'a tool choice of another name',
    fields: { tools: [tool('sum')], tool_choice: tool('add') },
    param: 'tool_choice',
    says: /not among `tools`/,
  },
  {
    name: 'a tool choice that is a number',
    fields: { tool_choice: 5 },
    param: 'tool_choice',
    says: /`auto`/,
  },
  {
    name: 'an unknown response format',
    fields: { response_format: { type: 'xml' } },
    param: 'response_format',
    says: /`json_schema`/,
  },
  {
    name: 'a session id that is a number',
    fields: { x_service: { session_id: 5 } },
    param: 'x_service.session_id',
    says: /expected string/,
  },
  {
    name: 'an empty session id',
    fields: { x_service: { session_id: '' } },
    param: 'x_service.session_id',
    says: /session_id/,
  },
  {
    name: 'an unknown `on_disconnect`',
    fields: { x_service: { on_disconnect: 'stop' } },
    param: 'x_service.on_disconnect',
    says: /"continue"\|"cancel"/,
  },
  {
    name: '`background` as a number',
    fields: { x_service: { background: 1 } },
    param: 'x_service.background',
    says: /true or false/,
  },
  {
    name: 'an unknown `sources`',
    fields: { metadata: { 'service.sources': 'footnotes' } },
    param: 'metadata.service.sources',
    says: /"inline"\|"block"/,
  },
  {
    name: 'a nested option of the wrong type',
    fields: { metadata: { service: { progress: 'maybe' } } },
    param: 'metadata.service.progress',
    says: /true or false/,
  },
  {
    name: 'a stream in the background',
    fields: { stream: true, x_service: { background: true } },
    param: 'stream',
    says: /leave out one/,
  },
  {
    name: 'a project that is not the one of the session',
    fields: () => ({ x_service: { session_id: home.sessionId, project_id: elsewhere.projectId } }),
    ...{ param: 'project_id', says: /Name one of the two/ },
  },
  {
    name: 'a project in a header that is not the one of the session',
    fields: () => ({ x_service: { session_id: home.sessionId } }),
    headers: () => ({ 'x-service-project-id': elsewhere.projectId }),
    ...{ param: 'project_id', says: /Name one of the two/ },
  },
  {
    name: 'nothing new in a resumed session',
    fields: () => ({ ...messages(user, said), x_service: { session_id: home.sessionId } }),
    ...{ param: 'messages', says: /must end with one of role `user`/ },
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
    ...{ param: null, says: /Check the id/, code: 'not_found' },
  },
]

test.each(cases)('a chat with $name is refused, and nothing is written', async (bad) => {
  const { fields, headers, param, says, code = 'invalid_value' } = bad
  const reply = await ask(typeof fields === 'function' ? fields() : fields, headers?.())
  const status = code === 'not_found' || code === 'model_not_found' ? 404 : 400
  expectError(reply, { status, code, param }, says)
  expect(await rowCounts(world.db)).toEqual(before)
})

const optional = [
  'n',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'user',
  'response_format',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'audio',
  'modalities',
  'logprobs',
  'metadata',
  'reasoning_effort',
  'x_service',
]

test.each([
  ['null for every optional field', Object.fromEntries(optional.map((name) => [name, null]))],
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
  ['metadata that is no object', { metadata: 'plain text', x_service: ['odd'] }],
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
