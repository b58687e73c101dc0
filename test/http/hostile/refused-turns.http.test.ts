import { beforeEach, expect, test } from 'vitest'
import { type ErrorCode, errorTable } from '../../../src/errors.ts'
import { fixture } from '../../support/fixture.ts'
import { send, sendJson } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { toldIn } from '../../support/told.ts'
import { question } from '../../support/world/requests.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { makeOwner, makeThings, useThings } from '../../support/world/things.ts'
import { answerText, unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

/** What the schemas of chat and responses alone do not tell; the rest is in schema-refusals. */

const world = useWorld(unhurried)
const home = useThings(world)
const elsewhere = fixture(() => makeThings(world.db, world.service, home))
let before: Readonly<Record<string, number>>

beforeEach(async () => {
  before = await rowCounts(world.db)
})

const ask = (path: string, fields: object, headers: Readonly<Record<string, string>> = {}) => {
  const plain =
    path === chat ? question('Who is a beinoni?') : { model: 'service', input: 'Who is a beinoni?' }
  return sendJson(world.service, {
    method: 'POST',
    path,
    key: home.key,
    headers,
    body: { ...plain, ...fields },
  })
}

const chat = '/v1/chat/completions'
const responses = '/v1/responses'
const responseOf = ({ runId }: { readonly runId: string }) => runId.replace('run_', 'resp_')

type Case = readonly [
  sent: string,
  fields: object | (() => object),
  param: string | null,
  says: RegExp,
  code?: ErrorCode | undefined,
  headers?: () => Readonly<Record<string, string>>,
]

const missing = 'missing_required_parameter'
const text64 = Buffer.from('a text').toString('base64')
const x = (options: object) => ({ x_service: options })

/** Rows that name one field and say one thing. */
const alike = (param: string, says: RegExp, rows: Readonly<Record<string, Case[1]>>): readonly Case[] =>
  Object.entries(rows).map(([sent, fields]) => [sent, fields, param, says])

/** Of both APIs. */
const shared: readonly Case[] = [
  ['a model that is not there', { model: 'gpt-9' }, 'model', /"gpt-9".*one of: service/, 'model_not_found'],
  ['options in JSON without its end', { x_service: '{"max_cost": 0.001' }, 'x_service', /not valid JSON/],
]

const user = { role: 'user', content: 'Who?' }
const said = { role: 'assistant', content: 'A person.' }
const messages = (...list: unknown[]) => ({ messages: list })
const tool = (name: unknown) => ({ type: 'function', function: { name } })
const content = (...parts: unknown[]) => messages({ role: 'user', content: parts })
const picture = (url: string) => content({ type: 'image_url', image_url: { url } })
const attached = (file: object) => ({ type: 'file', file })
const sentFile = (file: object) => content(attached(file))
const data = (filename: string, bytes: string) =>
  sentFile({ file_data: Buffer.from(bytes).toString('base64'), filename })
const metadata = (labels: unknown) => ({ metadata: labels })
const [part, file] = ['messages[0].content[0]', 'messages[0].content[0].file']
const custom = { tools: [{ type: 'custom', custom: { name: 'f' } }] }
const inSession = (more: object) => () => ({ ...more, ...x({ session_id: home.sessionId }) })

const chats: readonly Case[] = [
  ['a function without a name', { functions: [{}] }, 'functions[0].name', /required/, missing],
  ['no message of a user', messages({ role: 'system', content: 'Be kind.' }), 'messages', /`user`/],
  ['a message without content', messages({ role: 'user' }), 'messages[0].content', /required/],
  ['a part of an unknown type', content({ type: 'video' }), `${part}.type`, /part of type `text`/],
  ['a text part without its text', content({ type: 'text' }), `${part}.text`, /required/, missing],
  ['a part that is null', content(null), part, /`text`|object/],
  ['an image from a file: URL', picture('file:///etc/passwd'), `${part}.image_url.url`, /http\(s\)/],
  ['an image for a model that reads none', picture('data:image/png;base64,AA'), part, /cannot read images/],
  ['a file that is not named', sentFile({}), file, /`file_id`/],
  [
    'a file that is named and sent',
    sentFile({ file_id: 'file-1', file_data: text64, filename: 'a.txt' }),
    file,
    /`file_id`, or `file_data`/,
  ],
  ['a file without a name', sentFile({ file_data: text64 }), file, /`filename`/],
  ['a file whose name has controls only', data('\u0007', 'a text'), file, /has control characters/],
  ...alike(file, /must be base64/, {
    'a file that is no base64': sentFile({ file_data: 'data:text/plain,hello', filename: 'a.txt' }),
    'a file that is cut': sentFile({ file_data: text64.slice(0, -1), filename: 'a.txt' }),
  }),
  ['a file of a kind that is not read', data('a.zip', 'PK\0\0'), file, /neither a text nor a document/],
  [
    'a file in a message of the assistant',
    messages({ role: 'assistant', content: [attached({ file_id: 'file-1' })] }, user),
    'messages[0].content',
    /role `user` only/,
  ],
  ['21 files', content(...Array(21).fill(attached({ file_id: 'file-1' }))), 'messages', /At most 20 files/],
  [
    'a file of another project',
    () => inSession(sentFile({ file_id: elsewhere.fileId }))(),
    file,
    /another project/,
  ],
  [
    'an unknown file in a part',
    content({ type: 'text', text: 'a' }, attached({ file_id: 'file-1' })),
    'messages[0].content[1].file',
    /Check the id in `messages/,
    'not_found',
  ],
  [
    'a tool message alone',
    messages(user, { role: 'tool', content: '5' }),
    'messages[1].tool_call_id',
    /required/,
  ],
  ['a tool with a blank in its name', { tools: [tool('a b')] }, 'tools[0].function.name', /letters, digits/],
  ...alike('tool_choice', /not in `tools`/, {
    'a function that is not sent': { functions: [{ name: 'f' }], function_call: { name: 'g' } },
    'a custom tool that is not sent': { ...custom, tool_choice: { type: 'custom', custom: { name: 'g' } } },
    'a tool choice among no tools': { tool_choice: tool('add') },
    'a tool choice of another name': { tools: [tool('sum')], tool_choice: tool('add') },
  }),
  ['an unknown response format', { response_format: { type: 'xml' } }, 'response_format', /`json_schema`/],
  [
    'a label that is an unknown `sources`',
    metadata({ 'service.sources': 'footnotes' }),
    'metadata.service.sources',
    /"inline"\|"block"/,
  ],
  [
    'a nested option of the wrong type',
    metadata({ service: { progress: 'no' } }),
    'metadata.service.progress',
    /true or false/,
  ],
  ...alike('x_service', /`x_service`/, {
    'a word as options': { x_service: 'x' },
    'a list as options': { x_service: [] },
    'a list in JSON as options': { x_service: '[{"max_cost": 1}]' },
  }),
  ['metadata in JSON without its end', metadata('{"service": {'), 'metadata', /not valid JSON/],
  [
    'a member `service` of metadata in JSON without its end',
    metadata({ service: ' {"session_id":"sess_1"' }),
    'metadata.service',
    /not valid JSON/,
  ],
  [
    'a stream in the background',
    { stream: true, ...x({ background: true }) },
    'stream',
    /Leave out `stream`/,
  ],
  [
    'a project that is not the one of the session',
    () => x({ session_id: home.sessionId, project_id: elsewhere.projectId }),
    'x_service.project_id',
    /Leave out one of the two/,
  ],
  [
    'a project in a header that is not the one of the session',
    inSession({}),
    'headers.project_id',
    /Leave out one of the two/,
    undefined,
    () => ({ 'x-service-project-id': elsewhere.projectId }),
  ],
  [
    'an unknown project in a header',
    {},
    'headers.project_id',
    /Check the id in `headers/,
    'not_found',
    () => ({ 'x-service-project-id': 'proj_1' }),
  ],
  ...alike('messages', /must end with a message of role `user`/, {
    'nothing new in a resumed session': inSession(messages(user, said)),
    'only a system message after the last answer of a resumed session': inSession(
      messages(user, said, { role: 'system', content: 'Be kind.' }),
    ),
  }),
  [
    'a session id with a NUL that JSON inside a text hides',
    () => metadata({ service: JSON.stringify({ session_id: `${home.sessionId}\0` }) }),
    'metadata.service.session_id',
    /Check the id in `metadata/,
    'not_found',
  ],
  [
    'a maximum cost below that of the first call',
    metadata({ 'service.max_cost': '0.001' }),
    'metadata.service.max_cost',
    /`max_cost` of 0\.001/,
  ],
]

const items = (...input: unknown[]) => ({ input })
const inputPart = (one: object) => items({ role: 'user', content: [one] })
const after = (more: object) => () => ({ previous_response_id: responseOf(home), ...more })
const named = (name: string) => ({ type: 'function', name })
const image = { type: 'input_image', image_url: 'https://example.org/a.png' }

const ofResponses: readonly Case[] = [
  [
    'no message',
    items({ type: 'reasoning', summary: [] }),
    'input',
    /must end with a message of role `user`/,
  ],
  ['a null item', items(null), 'input[0]', /expected object/],
  [
    'an item of a type that is not supported',
    items({ role: 'user', content: 'x' }, { type: 'mesage', id: 'x' }),
    'input[1].type',
    /Use one of: message, function_call, /,
  ],
  ['a role that there is not', items({ role: 'tool', content: '' }), 'input[0].role', /./],
  ['a message without content', items({ role: 'user' }), 'input[0].content', /required/, missing],
  [
    'a file that is no base64',
    inputPart({ type: 'input_file', filename: 'a.txt', file_data: '***' }),
    'input',
    /must be base64/,
  ],
  [
    'a file by its address',
    inputPart({ type: 'input_file', file_url: 'https://example.org/a.pdf' }),
    'input[0].content[0]',
    /FILE_URL_HOSTS.*`file_id`, or `file_data` and a `filename`/,
  ],
  ['an image for a model that reads none', inputPart(image), 'input[0].content[0]', /cannot read images/],
  [
    'an output without a call id',
    items({ type: 'function_call_output', output: '' }),
    'input[0].call_id',
    /required/,
    missing,
  ],
  ['nothing new after a response', after(items(user, said)), 'input', /nothing new/],
  [
    'a response and a session that is not its own',
    () => after(x({ session_id: elsewhere.sessionId }))(),
    'previous_response_id',
    /another session/,
  ],
  [
    'a response and a project that is not its own',
    () => after(x({ project_id: elsewhere.projectId }))(),
    'previous_response_id',
    /another session or project/,
  ],
  ['a conversation without an id', { conversation: { name: 'conv_1' } }, 'conversation', /must be an id/],
  [
    'a blank in a name',
    { tools: [{ type: 'web_search' }, named('a b')] },
    'tools[1].name',
    /letters, digits/,
  ],
  [
    'a function with a blank in its name in a namespace',
    { tools: [{ type: 'namespace', name: 'crm', tools: [named('a b')] }] },
    'tools[0].tools[0].name',
    /letters, digits/,
  ],
  ...alike('tool_choice', /not in `tools`/, {
    'a custom tool that is not sent': {
      tools: [{ type: 'custom', name: 'f' }],
      tool_choice: { type: 'custom', name: 'g' },
    },
    'a choice of a tool that is not there': { tool_choice: named('f') },
  }),
  [
    'a choice of a kind that is not supported',
    { tool_choice: { type: 'allowed_tools' } },
    'tool_choice',
    /`required`/,
  ],
  ['a format that there is not', { text: { format: { type: 'grammar' } } }, 'text.format', /json_schema/],
]

const cases: readonly (readonly [path: string, ...Case])[] = [
  ...[...shared, ...chats].map((one) => [chat, ...one] as const),
  ...[...shared, ...ofResponses].map((one) => [responses, ...one] as const),
]

test.for(cases)('%s with %s is refused by name, and nothing is written', async (one) => {
  const [path, , fields, param, says, code = 'invalid_value', headers] = one
  const reply = await ask(path, typeof fields === 'function' ? fields() : fields, headers?.())
  expectError(reply, { status: errorTable[code].status, code, param }, says)
  expect(await rowCounts(world.db)).toEqual(before)
})

const optional =
  'n stream stream_options temperature top_p max_tokens max_completion_tokens stop seed user response_format tools tool_choice functions function_call audio modalities logprobs metadata reasoning_effort x_service'

test.each([
  ['null for every optional field', Object.fromEntries(optional.split(' ').map((name) => [name, null]))],
  ['-1 for no limit of tokens', { max_tokens: -1, max_completion_tokens: -1 }],
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
  const reply = await ask(chat, fields)
  expect({ status: reply.status, error: reply.status === 200 ? null : reply.text }).toEqual({
    status: 200,
    error: null,
  })
  expect(JSON.parse(reply.text).choices[0].message.content).toBe(answerText)
})

const ignored = {
  unheard_of: { x: 1 },
  conversation: null,
  previous_response_id: null,
  tools: [],
  instructions: null,
}

test.each(Object.entries(ignored))('a response with %s is accepted', async (name, value) => {
  expect((await ask(responses, { [name]: value })).status).toBe(200)
})

test('items of other services are ignored; roles and parts of messages are read', async () => {
  const reply = await ask(responses, {
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
    const reply = await ask(responses, { previous_response_id })
    expectError(reply, { status: 404, code: 'not_found', param: 'previous_response_id' }, /Check the id/)
  }
})
