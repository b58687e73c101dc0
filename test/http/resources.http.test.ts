import { expect, test } from 'vitest'
import { send, sendJson } from '../support/http-raw.ts'
import { expectError } from '../support/http-refusal.ts'
import { error, gate } from '../support/upstream-scripts.ts'
import { makeProject } from '../support/world/accounts.ts'
import { question } from '../support/world/requests.ts'
import { makeFile, makeOwner, makeSession, useThings } from '../support/world/things.ts'
import { answerText, unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const unread = (method: string, path: string, body?: unknown, key = home.key) =>
  body === undefined
    ? send(world.service, { method, path, key })
    : sendJson(world.service, { method, path, key, body })

/** The body of a reply that must be a success. */
async function read(method: string, path: string, body?: unknown, key?: string) {
  const reply = await unread(method, path, body, key)
  expect({ path, status: reply.status, text: reply.text }).toMatchObject({ path, status: 200 })
  return JSON.parse(reply.text)
}

const chat = (fields: object) =>
  read('POST', '/v1/chat/completions', { ...question('Who is a beinoni?'), ...fields })

/** Whole Unix seconds of about now. */
const recently = {
  asymmetricMatch: (seconds: unknown) =>
    Number.isInteger(seconds) && Math.abs(Number(seconds) - Date.now() / 1_000) < 60,
}
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{24}$`))

test('models are listed and read by the contract; an unknown one is model_not_found', async () => {
  const own = 'response_format seed stop structured_outputs temperature top_p'.split(' ')
  const withTools = ['include_reasoning', 'reasoning', 'tool_choice', 'tools']
  const parameters = [...own, 'max_completion_tokens', 'max_tokens', 'reasoning_effort']
  const model = (id: string, inputs: readonly string[], more: readonly string[]) => ({
    ...{ id, object: 'model', created: expect.any(Number), owned_by: 'service', name: id, type: 'chat' },
    context_length: 128_000,
    pricing: { input: 100, output: 400, tool_call: id === 'service' ? 0.05 : 0 },
    architecture: {
      ...{ modality: `${inputs.join('+')}->text`, input_modalities: inputs, output_modalities: ['text'] },
      ...{ tokenizer: 'Other', instruct_type: null },
    },
    supported_parameters: [...parameters, ...more].toSorted(),
    citations: id === 'service',
  })
  const whole = model('service', ['text', 'file'], withTools)
  const lite = model('service-lite', ['text'], [])
  expect(await read('GET', '/v1/models')).toEqual({
    object: 'list',
    data: [whole, lite, expect.objectContaining({ id: 'embedding', type: 'embedding' })],
  })
  expect(await read('GET', '/v1/models/service-lite')).toEqual(lite)
  expect(await read('GET', '/v1/models/service')).toEqual(whole)
  const unknown = await unread('GET', '/v1/models/gpt-4o')
  expectError(unknown, { status: 404, code: 'model_not_found', param: 'model' }, /Use one of: service/)
})

test.each(['A project', 'תניא – שער היחוד', '  padded  ', '📜'.repeat(100)])(
  'the project %s is made, read and listed alike',
  async (name) => {
    const project = await read('POST', '/v1/projects', { name })
    const listed = {
      ...{ id: id('proj_'), object: 'project', name: name.trim(), created_at: recently },
      instructions_hash: null,
    }
    expect(project).toEqual({ ...listed, instructions: null })
    expect(await read('GET', `/v1/projects/${project.id}`)).toEqual(project)
    expect((await read('GET', '/v1/projects')).data[0]).toEqual({ ...listed, id: project.id })
  },
)

test('a session begins in the project that projectId or project_id names, but not in one of two', async () => {
  const { projectId } = home
  for (const body of [{ project_id: projectId }, { projectId: null, project_id: projectId }])
    expect(await read('POST', '/v1/agent/sessions', body)).toMatchObject({ projectId })
  const body = { projectId, project_id: 'proj_other' }
  const reply = await sendJson(world.service, {
    method: 'POST',
    path: '/v1/agent/sessions',
    key: home.key,
    body,
  })
  expectError(reply, { status: 400, code: 'invalid_value', param: 'project_id' } as const, /Send one of them/)
})

test('a session is made, read, listed, renamed and deleted, with a Hebrew name', async () => {
  const { projectId } = home
  const made = await read('POST', '/v1/agent/sessions', {
    model: 'service',
    projectId,
    name: 'שיחה על הבינוני',
  })
  const shape = {
    id: id('sess_'),
    object: 'agent.session',
    model: 'service',
    projectId,
    created_at: recently,
  }
  expect(made).toEqual({ ...shape, name: 'שיחה על הבינוני' })
  const path = `/v1/agent/sessions/${made.id}`
  expect(await read('GET', path)).toEqual(made)
  expect((await read('GET', `/v1/agent/sessions?project_id=${projectId}`)).data[0]).toEqual(made)
  expect(await read('PATCH', path, { name: ' פרק א׳ ' })).toEqual({ ...made, name: 'פרק א׳' })
  expect((await read('GET', path)).name).toBe('פרק א׳')
  expect(await read('DELETE', path)).toEqual({ id: made.id, object: 'agent.session', deleted: true })
  for (const gone of [path, `${path}/messages`, `${path}/runs`])
    expect((await unread('GET', gone)).status).toBe(404)
  expect((await unread('DELETE', path)).status).toBe(404)
})

test('a session without a name is named by the first 80 letters of its first question, with an ellipsis', async () => {
  const made = await read('POST', '/v1/agent/sessions', {})
  expect(made).toMatchObject({ name: '', model: 'service' })
  const session = { x_service: { session_id: made.id } }
  await chat({ ...session, ...question(`מהו\n\n ${'א'.repeat(100)}`) })
  const named = `מהו ${'א'.repeat(75)}…`
  expect((await read('GET', `/v1/agent/sessions/${made.id}`)).name).toBe(named)
  await chat({ ...session, ...question('And then?') })
  expect((await read('GET', `/v1/agent/sessions/${made.id}`)).name).toBe(named)
})

test.each([
  ['of 80 letters is whole', `${'What is joy? '.repeat(6)}OK`, `${'What is joy? '.repeat(6)}OK`],
  [
    'that is longer ends after a whole word',
    'Why does the soul descend into a body that hides its light from itself, as the books say?',
    'Why does the soul descend into a body that hides its light from itself, as the…',
  ],
  [
    'has no comma before its ellipsis',
    'Why does the soul descend into a body that hides all of its light from itself, astonishingly?',
    'Why does the soul descend into a body that hides all of its light from itself…',
  ],
])('the name of a session %s', async (_what, asked, name) => {
  const made = await read('POST', '/v1/agent/sessions', {})
  await chat({ x_service: { session_id: made.id }, ...question(asked) })
  expect((await read('GET', `/v1/agent/sessions/${made.id}`)).name).toBe(name)
})

test('a run has the fields of the contract, and the runs of a session are a bare array', async () => {
  const { x_service: turn, usage } = await chat({})
  const runs = await read('GET', `/v1/agent/sessions/${turn.session_id}/runs`)
  expect(runs).toEqual([
    {
      id: turn.run_id,
      object: 'agent.run',
      status: 'completed',
      sessionId: turn.session_id,
      messageId: turn.message_id,
      model: 'service',
      instructions: { prompt: expect.stringMatching(/^[0-9a-f]{64}$/), host: null, project: null },
      output: [{ type: 'message', id: turn.message_id, role: 'assistant', content: answerText }],
      error: '',
      credits: String(usage.cost),
      usage: { ...usage, model_calls: 1, tool_calls: 0, estimated: false },
      created_at: recently,
      started_at: recently,
      finished_at: recently,
    },
  ])
  expect(usage.cost).toBeGreaterThan(0)
  expect(await read('GET', `/v1/agent/runs/${turn.run_id}`)).toEqual(runs[0])
  expect(await read('POST', `/v1/agent/runs/${turn.run_id}/cancel`)).toEqual(runs[0])
  expect(await read('GET', `/v1/agent/runs/${turn.run_id}`)).toEqual(runs[0])
})

test('the runs of a session are read page by page, in the order of their turns and backwards', async () => {
  const sessionId = await makeSession(world.service, home)
  const ids: string[] = []
  for (const asked of ['One?', 'Two?', 'Three?'])
    ids.push((await chat({ x_service: { session_id: sessionId }, ...question(asked) })).x_service.run_id)
  const page = async (query: string) => {
    const runs = await read('GET', `/v1/agent/sessions/${sessionId}/runs${query}`)
    return (runs as readonly { id: string }[]).map((run) => run.id)
  }
  expect(await page('')).toEqual(ids)
  expect(await page('?limit=2')).toEqual(ids.slice(0, 2))
  expect(await page(`?limit=2&after=${ids[1]}`)).toEqual(ids.slice(2))
  expect(await page(`?limit=2&order=desc&after=${ids[2]}`)).toEqual([ids[1], ids[0]])
})

test('a run that failed carries its text, has no output and cost nothing', async () => {
  world.upstream.enqueue(error(400, 'the model says no'))
  const sessionId = await makeSession(world.service, home)
  const reply = await unread('POST', '/v1/chat/completions', {
    ...question('?'),
    x_service: { session_id: sessionId },
  })
  expect(reply.status).toBe(502)
  const [run] = await read('GET', `/v1/agent/sessions/${sessionId}/runs`)
  expect(run).toMatchObject({
    status: 'failed',
    output: [],
    credits: '0',
    usage: { cost: 0 },
    finished_at: recently,
  })
  expect(run.error).toBe(JSON.parse(reply.text).error.message)
})

test("a session's messages are listed in order, the answer with the id of its turn", async () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'מהו בינוני?' }] },
    { role: 'assistant', content: 'A person.' },
    { role: 'user', content: 'Who?' },
  ]
  const { x_service: turn } = await chat({ messages })
  const list = await read('GET', `/v1/agent/sessions/${turn.session_id}/messages`)
  const shape = {
    id: id('msg_'),
    object: 'agent.message',
    session_id: turn.session_id,
    run_id: turn.run_id,
    created_at: recently,
  }
  expect(list.data).toEqual([
    { ...shape, role: 'system', content: 'Be kind.' },
    { ...shape, role: 'user', content: 'מהו בינוני?' },
    { ...shape, role: 'assistant', content: 'A person.' },
    { ...shape, role: 'user', content: 'Who?' },
    { ...shape, id: turn.message_id, role: 'assistant', content: answerText },
  ])
})

test('a session can be deleted once its running turn is cancelled', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'So ' }, { waitFor: held.opened }])
  const sessionId = await makeSession(world.service, home)
  const { x_service: turn } = await chat({ x_service: { session_id: sessionId, background: true } })
  const path = `/v1/agent/sessions/${sessionId}`
  expectError(
    await unread('DELETE', path),
    { status: 409, code: 'session_busy', param: null },
    /Cancel it, or wait/,
  )
  expect(await read('GET', path)).toMatchObject({ id: sessionId })
  await read('POST', `/v1/agent/runs/${turn.run_id}/cancel`)
  await expect.poll(async () => (await read('GET', `/v1/agent/runs/${turn.run_id}`)).status).toBe('cancelled')
  held.open()
  expect(await read('DELETE', path)).toMatchObject({ deleted: true })
  expect((await unread('GET', `/v1/agent/runs/${turn.run_id}`)).status).toBe(404)
})

const five = async (make: (n: number) => Promise<string>): Promise<readonly string[]> => {
  const ids: string[] = []
  for (const n of [1, 2, 3, 4, 5]) ids.push(await make(n))
  return ids
}
const newPlace = async () => ({
  key: home.key,
  projectId: await makeProject(world.db.database, home.accountId),
})

/** Five things of one kind in the order in which they were made, and the path of their list. */
const lists = [
  {
    name: 'projects',
    usual: 'desc',
    async make() {
      const { accountId, key } = await makeOwner(world.db)
      const ids = await five((n) => makeProject(world.db.database, accountId, `P${n}`))
      return { path: '/v1/projects', key, ids }
    },
  },
  {
    name: 'sessions',
    usual: 'desc',
    async make() {
      const place = await newPlace()
      const ids = await five((n) => makeSession(world.service, place, `S${n}`))
      return { path: `/v1/agent/sessions?project_id=${place.projectId}`, key: home.key, ids }
    },
  },
  {
    name: 'files',
    usual: 'desc',
    async make() {
      const place = await newPlace()
      const ids = await five((n) => makeFile(world.service, place, `f${n}.txt`))
      return { path: `/v1/files?project_id=${place.projectId}&purpose=user_data`, key: home.key, ids }
    },
  },
  {
    name: 'messages',
    usual: 'asc',
    async make() {
      const user = { role: 'user', content: 'Who?' }
      const { x_service: turn } = await chat({ messages: [user, user, user, user] })
      const statement = 'select id from messages where session_id = $1 order by position'
      const rows = await world.rows<{ id: string }>(statement, turn.session_id)
      const path = `/v1/agent/sessions/${turn.session_id}/messages`
      return { path, key: home.key, ids: rows.map(({ id }) => id) }
    },
  },
]

test.each(lists)(
  'the list of $name pages through each thing once, in both orders',
  async ({ make, usual }) => {
    const { path, key, ids } = await make()
    const url = (query: string) => path + (path.includes('?') ? '&' : '?') + query
    const page = (list: readonly string[], hasMore: boolean) => ({
      object: 'list',
      data: list.map((item) => expect.objectContaining({ id: item })),
      first_id: list[0] ?? null,
      last_id: list.at(-1) ?? null,
      has_more: hasMore,
    })
    for (const order of ['asc', 'desc']) {
      const sorted = order === 'asc' ? ids : ids.toReversed()
      const first = await read('GET', url(`order=${order}&limit=2`), undefined, key)
      expect(first).toEqual(page(sorted.slice(0, 2), true))
      const second = await read('GET', url(`order=${order}&limit=2&after=${first.last_id}`), undefined, key)
      expect(second).toEqual(page(sorted.slice(2, 4), true))
      const third = await read('GET', url(`order=${order}&limit=2&after=${second.last_id}`), undefined, key)
      expect(third).toEqual(page(sorted.slice(4), false))
      const beyond = await read('GET', url(`order=${order}&after=${third.last_id}`), undefined, key)
      expect(beyond).toEqual(page([], false))
      expect(await read('GET', url(`order=${order}&limit=5`), undefined, key)).toEqual(page(sorted, false))
    }
    expect((await read('GET', path, undefined, key)).first_id).toBe(usual === 'asc' ? ids[0] : ids[4])
  },
)
