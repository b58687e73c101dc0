import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatParameters } from '../../../src/routes/chat/parameters.ts'
import { responsesParameters } from '../../../src/routes/responses/input/parameters.ts'
import { echoedNames, responsesBody } from '../../../src/routes/responses/input/schema.ts'
import { chatBody } from '../../../src/routes/turn-request/chat-body.ts'
import type { Parameter } from '../../../src/routes/turn-request/parameters.ts'
import { type Reply, sendJson } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import { membersOf } from '../../support/official-sdk.ts'
import { reply as says } from '../../support/upstream-scripts.ts'
import { question } from '../../support/world/requests.ts'
import { useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let conversation = ''
/** What answers fit that are asked to be JSON. */
const answer = '{"answer":"Yes."}'

const world = useWorld(unhurried)
const things = useThings(world)
beforeAll(async () => {
  world.upstream.setDefault(says(answer))
  const made = { method: 'POST', path: '/v1/conversations', key: things.key, body: {} } as const
  conversation = JSON.parse((await sendJson(world.service, made)).text).id
})

type AppendResult = Readonly<Record<string, unknown>>
type Outcome = { readonly reply: Reply; readonly upstream: AppendResult | undefined }

/** A value to send, and where its effect is seen. */
type Example = {
  readonly value: unknown
  /** Fields that have to be there beside it. */
  readonly beside?: AppendResult
  /** Of what the model's API was sent: exactly this field and value. */
  readonly sent?: readonly [field: string, value: unknown]
  /** Or of the reply. */
  readonly seen?: (outcome: Outcome) => void
  /** A value that changes nothing, of a parameter that is refused. */
  readonly harmless?: unknown
}

const bodyOf = ({ reply }: Outcome) => JSON.parse(reply.text)
const weather = { name: 'weather', description: 'The weather', parameters: { type: 'object' } }
const chatTool = { type: 'function', function: weather }
const responseTool = { type: 'function', ...weather }
const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const isStream = ({ reply }: Outcome) => expect(reply.headers['content-type']).toMatch(/^text\/event-stream/)
const saysWhole = ({ upstream }: Outcome, text: string) =>
  expect(JSON.stringify(upstream?.['messages'])).toContain(text)

const chatExamples: Readonly<Record<string, Example>> = {
  model: { value: 'service', seen: (outcome) => expect(bodyOf(outcome).model).toBe('service') },
  messages: {
    value: [{ role: 'user', content: 'Whether it is sent' }],
    seen: (outcome) => saysWhole(outcome, 'Whether it is sent'),
  },
  audio: { value: { voice: 'alloy', format: 'mp3' } },
  frequency_penalty: { value: 1 },
  function_call: {
    value: { name: 'weather' },
    beside: { functions: [weather] },
    sent: ['tool_choice', { type: 'function', function: { name: 'weather' } }],
  },
  functions: { value: [weather], sent: ['tools', expect.arrayContaining([chatTool])] },
  logit_bias: { value: { 50256: -100 } },
  logprobs: { value: true, harmless: false },
  max_completion_tokens: { value: 77, sent: ['max_tokens', 77] },
  max_tokens: { value: 78, sent: ['max_tokens', 78] },
  metadata: {
    value: { 'service.background': 'true' },
    seen: (outcome) => expect(bodyOf(outcome).x_service.status).toBe('queued'),
  },
  modalities: { value: ['text', 'audio'], harmless: ['text'] },
  moderation: { value: { model: 'omni-moderation-latest' } },
  n: { value: 2, harmless: 1 },
  parallel_tool_calls: { value: false },
  prediction: { value: { type: 'content', content: 'Yes.' } },
  presence_penalty: { value: 1 },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  reasoning_effort: { value: 'low', sent: ['reasoning_effort', 'low'] },
  response_format: { value: { type: 'json_object' }, sent: ['response_format', { type: 'json_object' }] },
  safety_identifier: { value: 'person' },
  seed: { value: 7, sent: ['seed', 7] },
  service_tier: { value: 'flex' },
  stop: { value: 'END', sent: ['stop', ['END']] },
  store: { value: true },
  stream: { value: true, seen: isStream },
  stream_options: {
    value: { include_usage: true },
    beside: { stream: true },
    seen: ({ reply }) => expect(reply.text).toContain('"choices":[],"usage"'),
  },
  temperature: { value: 0.25, sent: ['temperature', 0.25] },
  tool_choice: {
    value: { type: 'function', function: { name: 'weather' } },
    beside: { tools: [chatTool] },
    sent: ['tool_choice', { type: 'function', function: { name: 'weather' } }],
  },
  tools: { value: [chatTool], sent: ['tools', expect.arrayContaining([chatTool])] },
  top_logprobs: { value: 3, harmless: 0 },
  top_p: { value: 0.5, sent: ['top_p', 0.5] },
  user: { value: 'somebody', sent: ['user', 'somebody'] },
  verbosity: { value: 'low' },
  web_search_options: { value: {} },
  x_service: {
    value: { background: true },
    seen: (outcome) => expect(bodyOf(outcome).x_service.status).toBe('queued'),
  },
}

const responsesExamples: Readonly<Record<string, Example>> = {
  model: chatExamples['model'] as Example,
  input: { value: 'Whether it is sent', seen: (outcome) => saysWhole(outcome, 'Whether it is sent') },
  access_programs: { value: { cyber: 'standard' } },
  background: { value: true, seen: (outcome) => expect(bodyOf(outcome).background).toBe(true) },
  context_management: { value: [{ type: 'compaction' }] },
  conversation: {
    value: () => conversation,
    seen: (outcome) => expect(bodyOf(outcome).conversation).toEqual({ id: conversation }),
  },
  image: { value: { context_compression: 'disabled' } },
  include: { value: ['message.output_text.logprobs'], harmless: ['reasoning.encrypted_content'] },
  instructions: { value: 'Be kind.', seen: (outcome) => saysWhole(outcome, 'Be kind.') },
  max_output_tokens: { value: 77, sent: ['max_tokens', 77] },
  max_tool_calls: { value: 1 },
  metadata: {
    value: { own: 'label' },
    seen: (outcome) => expect(bodyOf(outcome).metadata).toEqual({ own: 'label' }),
  },
  moderation: { value: { model: 'omni-moderation-latest' } },
  parallel_tool_calls: { value: false },
  previous_response_id: {
    value: () => things.runId.replace('run_', 'resp_'),
    seen: (outcome) => expect(bodyOf(outcome).x_service.session_id).toBe(things.sessionId),
  },
  prompt: { value: { id: 'pmpt_1' } },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  reasoning: { value: { effort: 'low' }, sent: ['reasoning_effort', 'low'] },
  safety_identifier: { value: 'person' },
  service_tier: { value: 'flex' },
  store: { value: false, seen: (outcome) => expect(bodyOf(outcome).store).toBe(false) },
  stream: { value: true, seen: isStream },
  stream_options: { value: { include_obfuscation: false } },
  temperature: { value: 0.25, sent: ['temperature', 0.25] },
  text: {
    value: { format: { type: 'json_schema', name: 'answer', schema } },
    sent: ['response_format', { type: 'json_schema', json_schema: { name: 'answer', schema } }],
  },
  tool_choice: {
    value: { type: 'function', name: 'weather' },
    beside: { tools: [responseTool] },
    sent: ['tool_choice', { type: 'function', function: { name: 'weather' } }],
  },
  tools: { value: [responseTool], sent: ['tools', expect.arrayContaining([chatTool])] },
  top_logprobs: { value: 3, harmless: 0 },
  top_p: { value: 0.5, sent: ['top_p', 0.5] },
  truncation: { value: 'disabled' },
  user: { value: 'somebody', sent: ['user', 'somebody'] },
  x_service: {
    value: () => ({ project_id: things.projectId }),
    seen: (outcome) => expect(bodyOf(outcome).x_service.project_id).toBe(things.projectId),
  },
}

type Api = {
  readonly name: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly examples: Readonly<Record<string, Example>>
  readonly shape: object
  /** Read only to be shown again. */
  readonly echoed: readonly string[]
  readonly plain: AppendResult
  readonly official: readonly [file: string, interfaceName: string]
  readonly page: string
}

const apis: readonly Api[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    parameters: chatParameters,
    examples: chatExamples,
    shape: chatBody.shape,
    echoed: [],
    plain: question('Is it so? Answer in JSON.'),
    official: ['resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'],
    page: 'docs/chat.md',
  },
  {
    name: 'responses',
    path: '/v1/responses',
    parameters: responsesParameters,
    examples: responsesExamples,
    shape: responsesBody.shape,
    echoed: ['parallel_tool_calls', ...echoedNames],
    plain: { model: 'service', input: 'Is it so? Answer in JSON.' },
    official: ['resources/responses/responses.d.ts', 'ResponseCreateParamsBase'],
    page: 'docs/responses.md',
  },
]

/** Read beside the schema. */
const unshaped = ['x_service']

/** Fields of a request to the model's API that are there whatever the client sends. */
const always = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options']

describe.each(apis)('$name', (api) => {
  const ask = async (fields: AppendResult): Promise<Outcome> => {
    const index = world.upstream.requests.length
    const body = { ...api.plain, ...fields }
    const reply = await sendJson(world.service, { method: 'POST', path: api.path, key: things.key, body })
    // A background turn reaches its model later; waited for, or it would be taken for the next one's.
    const arrived =
      reply.status === 200 ? await world.upstream.request(index) : world.upstream.requests[index]
    return { reply, upstream: arrived?.body }
  }
  const rows = (does: Parameter['does']) =>
    api.parameters.filter((one) => one.does === does).map(({ name }) => name)
  const exampleOf = (name: string) => {
    const { value, ...rest } = api.examples[name] as Example
    return { ...rest, value: typeof value === 'function' ? value() : value }
  }

  test('the table has every parameter that OpenAI’s client can send, and no other', async () => {
    const official = await membersOf(...api.official)
    expect(official).toContain('temperature')
    expect(api.parameters.map(({ name }) => name).toSorted()).toEqual([...official, 'x_service'].toSorted())
    expect(Object.keys(api.examples).toSorted()).toEqual([...official, 'x_service'].toSorted())
  })

  test('what the schema of the body reads is what the table calls honoured', () => {
    const read = Object.keys(api.shape).filter((name) => !api.echoed.includes(name))
    expect([...read, ...unshaped].toSorted()).toEqual(rows('honoured').toSorted())
  })

  test.each(rows('honoured'))('`%s` has its effect', async (name) => {
    const { value, beside, sent, seen } = exampleOf(name)
    const outcome = await ask({ ...beside, [name]: value })
    expect(outcome.reply.status).toBe(200)
    if (sent) expect(outcome.upstream?.[sent[0]]).toEqual(sent[1])
    else if (seen) seen(outcome)
    else throw new Error(`${name} has nothing to be seen by`)
    if (!sent) return
    // Without it the field is another one: the effect is the parameter's.
    const without = await ask({ ...beside })
    expect(without.upstream?.[sent[0]]).not.toEqual(sent[1])
  })

  test.each(rows('ignored'))('`%s` is accepted, and changes nothing', async (name) => {
    const { reply, upstream } = await ask({ [name]: exampleOf(name).value })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain(JSON.stringify(answer))
    expect(Object.keys(upstream ?? {}).filter((field) => !always.includes(field))).toEqual([])
  })

  test.each(rows('refused'))('`%s` is refused by name, with what to do', async (name) => {
    const { value, harmless } = exampleOf(name)
    const { reply, upstream } = await ask({ [name]: value })
    const refusal = { status: 400, code: 'unsupported_parameter', param: name } as const
    expectError(reply, refusal, /\b(leave|use)\b/i)
    expect(upstream).toBeUndefined()
    for (const fine of [null, harmless])
      if (fine !== undefined) expect((await ask({ [name]: fine })).reply.status).toBe(200)
  })

  test('the documents name each parameter that is refused', async () => {
    const page = await readFile(api.page, 'utf8')
    expect(rows('refused').filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
