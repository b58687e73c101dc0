import { sql } from 'drizzle-orm'
import OpenAI from 'openai'
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions'
import { beforeAll, expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { toldIn } from '../support/told.ts'
import { callTools, reply, type UpstreamBody } from '../support/upstream-scripts.ts'
import { makeKey, makeProject } from '../support/world/accounts.ts'
import type { Completion, ServiceInfo } from '../support/world/replies.ts'
import { openWorld, useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld({ script: (body) => reply(answerTo(body)) })
beforeAll(async () => {
  openai = clientWith(world.key)
})

const clientWith = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${world.service.url}/v1`, maxRetries: 0 })
const answerTo = ({ messages }: UpstreamBody) => `Answer to “${messages.at(-1)?.content}”.`
const user = (content: string) => ({ role: 'user' as const, content })
const assistant = (content: string) => ({ role: 'assistant' as const, content })
const sessionOf = (value: object) => (value as { x_service: ServiceInfo }).x_service.session_id
const contentOf = (completion: ChatCompletion) => completion.choices[0]?.message.content ?? ''

type Options = Partial<ChatCompletionCreateParamsNonStreaming> & { readonly x_service?: object }

const ask = (messages: ChatCompletionMessageParam[], more: Options = {}, client = openai) =>
  client.chat.completions.create({ model: 'service', messages, ...more })

const askStreamed = (messages: ChatCompletionMessageParam[]) =>
  openai.chat.completions.stream({ model: 'service', messages }).finalChatCompletion()

/** What the model got last, without the instructions of the service. */
const lastTold = () => toldIn(world.upstream.requests.at(-1)?.body)

const storedIn = async (session: string) =>
  (
    await world.get<{ data: { role: string; content: string }[] }>(`/v1/agent/sessions/${session}/messages`)
  ).data.map(({ role, content }) => [role, content])

let asked = 0
/** A first question that no other test asks, its answer, and their session. */
async function begin(more: Options = {}, client = openai) {
  asked += 1
  const first = user(`Question ${asked}`)
  const completion = await ask([first], more, client)
  return { first, answer: assistant(contentOf(completion)), session: sessionOf(completion) }
}

test.each([
  ['whole', ask],
  ['streamed', askStreamed],
])('three %s turns that resend their history are one session', async (name, send) => {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: [{ type: 'text', text: `One, ${name}` }] },
  ]
  const sessions: string[] = []
  for (const next of ['Two', 'Three', undefined]) {
    const completion = await send(messages)
    sessions.push(sessionOf(completion))
    const message = completion.choices[0]?.message
    if (message) messages.push(message)
    if (next !== undefined) messages.push(user(next))
  }
  expect(new Set(sessions).size).toBe(1)
  const texts = messages.map(({ role, content }) => [role, content])
  texts[1] = ['user', `One, ${name}`]
  expect(await storedIn(sessions[0] ?? '')).toEqual(texts)
  expect(lastTold()).toEqual(texts.slice(0, -1))
})

test('an answer is known with its source list, without it, and trimmed', async () => {
  const library = await openWorld({ model: 'built-in', library: 'concepts' })
  try {
    const client = new OpenAI({ apiKey: library.key, baseURL: `${library.service.url}/v1` })
    const first = user('What is bittul?')
    const completion = await ask([first], {}, client)
    const shown = contentOf(completion)
    const [text = ''] = shown.split('\n\nSources:')
    expect(text).not.toBe(shown)
    const sessions = [sessionOf(completion)]
    for (const content of [shown, `\n${shown} \n`, text]) {
      const next = await ask([first, assistant(content), user('And simcha?')], {}, client)
      expect(sessionOf(next)).toBe(sessions.at(-1))
      sessions.push(sessionOf(await ask([first], {}, client)))
    }
  } finally {
    await library.close()
  }
})

test.each<[string, (turn: Awaited<ReturnType<typeof begin>>) => ChatCompletionMessageParam[]]>([
  ['another question', ({ answer }) => [user('Something else'), answer]],
  ['a changed answer', ({ first }) => [first, assistant('Something else')]],
  ['an answer with more text', ({ first, answer }) => [first, assistant(`${answer.content} More.`)]],
  ['a new system prompt', ({ first, answer }) => [{ role: 'system', content: 'Be kind.' }, first, answer]],
  ['a message left out', ({ answer }) => [answer]],
  ['a message added', ({ first, answer }) => [first, user('More'), answer]],
])('a conversation with %s starts a new session', async (_, change) => {
  const turn = await begin()
  const sent = [...change(turn), user('Next')]
  const next = await ask(sent)
  expect(sessionOf(next)).not.toBe(turn.session)
  expect(await storedIn(sessionOf(next))).toHaveLength(sent.length + 1)
})

test.each<[string, Options]>([
  ['another `user`', { user: 'b' }],
  ['another `safety_identifier`', { user: 'a', safety_identifier: 'x' }],
  ['another `prompt_cache_key`', { user: 'a', prompt_cache_key: 'x' }],
  ['`continue: false`', { user: 'a', x_service: { continue: false } }],
])('a request with %s starts a new session', async (_, options) => {
  const { first, answer, session } = await begin({ user: 'a' })
  const sent = [first, answer, user('Next')]
  expect(sessionOf(await ask(sent, options))).not.toBe(session)
  expect(sessionOf(await ask(sent, { user: 'a' }))).toBe(session)
})

test('the header x-service-continue switches the comparison off, for later requests too', async () => {
  const { first, answer, session } = await begin()
  const headers = { 'x-service-continue': 'false' }
  const sent = [first, answer, user('Next')]
  const next = await openai.chat.completions.create({ model: 'service', messages: sent }, { headers })
  expect(sessionOf(next)).not.toBe(session)
  const third = await ask([...sent, assistant(contentOf(next)), user('Third')])
  expect(sessionOf(third)).not.toBe(sessionOf(next))
})

test('another key, another project and a key without sessions:write join no session', async () => {
  const { database } = world.db
  const { first, answer, session } = await begin()
  const sent = [first, answer, user('Next')]
  const other = clientWith(await makeKey(database, world.accountId, { reach: { kind: 'owner' } }))
  expect(sessionOf(await ask(sent, {}, other))).not.toBe(session)
  const project_id = await makeProject(database, world.accountId)
  expect(sessionOf(await ask(sent, { x_service: { project_id } }))).not.toBe(session)
  const reach = { kind: 'owner' } as const
  const narrow = clientWith(await makeKey(database, world.accountId, { reach, scopes: ['chat:write'] }))
  const begun = await begin({}, narrow)
  const next = await ask([begun.first, begun.answer, user('Next')], {}, narrow)
  expect(sessionOf(next)).not.toBe(begun.session)
})

test('of two requests that continue one transcript at once, the second starts a session', async () => {
  const { first, answer, session } = await begin()
  const sent = ['A', 'B'].map((text) => [first, answer, user(text)])
  // Both find the session before either of them can join it: starts wait for the account's row.
  const both = await withTx(world.db.database, 'system', async (tx) => {
    await tx.execute(sql`select 1 from accounts where id = ${world.accountId} for update`)
    const asking = sent.map((messages) => ask(messages))
    await expect.poll(waitingStarts).toBeGreaterThan(0)
    await world.get('/v1/agent/sessions')
    return { asking }
  })
  const completions = await Promise.all(both.asking)
  const sessions = completions.map(sessionOf)
  expect(new Set(sessions).size).toBe(2)
  expect(sessions).toContain(session)
  for (const [index, one] of sessions.entries()) {
    const texts = [...(sent[index] ?? []), assistant(contentOf(completions[index] as ChatCompletion))]
    expect(await storedIn(one)).toEqual(texts.map(({ role, content }) => [role, content]))
  }
})

/** Starts that wait for a lock. */
async function waitingStarts(): Promise<number> {
  const { n } = await world.row<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return n
}

test('a repeated question of a continued session starts a branch, which then continues', async () => {
  const { first, answer, session } = await begin()
  const sent = [first, answer, user('Next')]
  await ask(sent)
  const branch = await ask([...sent.slice(0, 2), user('Another next')])
  expect(sessionOf(branch)).not.toBe(session)
  const after = [first, answer, user('Another next'), assistant(contentOf(branch)), user('Third')]
  expect(sessionOf(await ask(after))).toBe(sessionOf(branch))
})

test('a retry of a request that joined a session returns its run', async () => {
  const { first, answer, session } = await begin()
  const body = { model: 'service', messages: [first, answer, user('Next')] }
  const post = async (headers = {}) => (await (await world.chat(body, { headers })).json()) as Completion
  const joined = await post()
  const again = await post({ 'x-stainless-retry-count': '1' })
  expect(again.x_service.run_id).toBe(joined.x_service.run_id)
  expect(again.x_service.session_id).toBe(session)
})

test('a transcript of a deleted session starts a new session', async () => {
  const { first, answer, session } = await begin()
  await fetch(`${world.service.url}/v1/agent/sessions/${session}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${world.key}` },
  })
  const next = await ask([first, answer, user('Next')])
  expect(sessionOf(next)).not.toBe(session)
})

test('the messages of a named session are no known transcript', async () => {
  const { session } = await begin()
  const named = await ask([user('In the session')], { x_service: { session_id: session } })
  const next = await ask([user('In the session'), assistant(contentOf(named)), user('Next')])
  expect(sessionOf(next)).not.toBe(session)
})

const tools: ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
]

/** The calls of a paused turn, answered. */
async function answered(messages: ChatCompletionMessageParam[], args: string) {
  world.upstream.enqueue(
    callTools([{ name: 'weather', arguments: '{"city": "Lod"}' }], { text: 'Let me ask.' }),
  )
  const paused = await ask(messages, { tools })
  const call = paused.choices[0]?.message.tool_calls?.[0]
  if (call?.type !== 'function') throw new Error('no call')
  const { id } = call
  const calls = [{ id, type: 'function' as const, function: { name: 'weather', arguments: args } }]
  return {
    session: sessionOf(paused),
    call: { role: 'assistant' as const, content: 'Let me ask.', tool_calls: calls },
    result: { role: 'tool' as const, tool_call_id: id, content: 'sunny' },
  }
}

test('an agent loop that resends its history is one session', async () => {
  const first = user('Weather in Lod?')
  // Some clients parse the arguments and write them again.
  const { session, call, result } = await answered([first], '{"city":"Lod"}')
  const messages = [first, call, result]
  const second = await ask(messages, { tools })
  const third = await ask([...messages, assistant(contentOf(second)), user('Thanks')], { tools })
  expect([second, third].map(sessionOf)).toEqual([session, session])
  expect(lastTold()?.map(([role]) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
})

test('results sent without their history or with changed calls are no known transcript', async () => {
  const first = user('Weather in Lod, please?')
  const short = await answered([first], '{"city":"Lod"}')
  const second = await ask([short.call, short.result], { tools })
  expect(sessionOf(second)).toBe(short.session)
  const next = [short.call, short.result, assistant(contentOf(second)), user('Thanks')]
  expect(sessionOf(await ask(next, { tools }))).not.toBe(short.session)
  const changed = await answered([first], '{"city":"Haifa"}')
  const messages = [first, changed.call, changed.result]
  const third = await ask(messages, { tools })
  expect(sessionOf(third)).toBe(changed.session)
  const fourth = await ask([...messages, assistant(contentOf(third)), user('Thanks')], { tools })
  expect(sessionOf(fourth)).not.toBe(changed.session)
})
