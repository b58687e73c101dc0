import { expect, test } from 'vitest'
import { callTools, cut, error, reply } from '../support/upstream-scripts.ts'
import type { Completion, ErrorReply } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

const usage = { prompt_tokens: 100, completion_tokens: 10 }
const listing = [{ name: 'list_files', arguments: {} }]

/** What the ledger says of a run: `kept` is what its account still holds. */
const runRow = (runId: string) =>
  world.row<{ status: string; cost: string; charge: string | null; kept: string }>(
    `select r.status, r.cost_micros::text as cost,
       (select (-allowance_micros - granted_micros)::text from ledger where run_id = r.id and kind = 'charge') as charge,
       (select held_micros::text from accounts a where a.id = r.account_id) as kept
     from runs r where r.id = $1`,
    runId,
  )

test('a whole reply has the official shape and one cost in reply, run and ledger', async () => {
  world.upstream.enqueue(callTools(listing, { usage }), reply('שלום', { usage }))
  const response = await world.chat(ask('Whole'))
  expect(response.status).toBe(200)
  const body = (await response.json()) as Completion
  expect(body).toMatchObject({
    object: 'chat.completion',
    model: 'service',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'שלום', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220, cost: 0.078 },
    x_service: { status: 'completed', usage: { cost: 0.078, model_calls: 2, tool_calls: 1 } },
  })
  expect(Object.keys(body.choices[0]?.message ?? {})).not.toContain('tool_calls')
  const { x_service: block } = body
  for (const [header, id] of [
    ['project', block.project_id],
    ['session', block.session_id],
    ['run', block.run_id],
    ['message', block.message_id],
  ]) {
    expect(response.headers.get(`x-service-${header}-id`)).toBe(id)
  }
  expect(await runRow(block.run_id)).toEqual({
    status: 'completed',
    cost: '78000',
    charge: '78000',
    kept: '0',
  })
  expect(await world.get(`/v1/agent/runs/${block.run_id}`)).toMatchObject({ credits: '0.078' })
})

test('an upstream that refuses before anything was charged is a 502', async () => {
  world.upstream.enqueue(error(400, 'no such model'))
  const response = await world.chat(ask('Fails at once'))
  expect(response.status).toBe(502)
  expect(((await response.json()) as ErrorReply).error).toMatchObject({
    type: 'server_error',
    code: 'upstream_error',
  })
  const run = await runRow(String(response.headers.get('x-service-run-id')))
  expect(run).toMatchObject({ status: 'failed', cost: '0', kept: '0' })
})

test('a failure without output after a finished step is a 502 that tells the charge of the step', async () => {
  world.upstream.enqueue(callTools(listing, { usage }), error(400, 'bad'))
  const response = await world.chat(ask('Fails after a tool'))
  expect(response.status).toBe(502)
  const { x_service } = (await response.json()) as Completion
  const run = await runRow(String(response.headers.get('x-service-run-id')))
  expect(run).toMatchObject({ status: 'failed', charge: run.cost, kept: '0' })
  expect(Number(run.cost)).toBeGreaterThan(0)
  expect(x_service).toMatchObject({ status: 'failed', usage: { cost: Number(run.cost) / 1e6 } })
})

test('an upstream cut off in its first text is a charged completion of that text', async () => {
  world.upstream.enqueue(cut('Half of it'))
  const response = await world.chat(ask('Fails in its text'))
  expect(response.status).toBe(200)
  const body = (await response.json()) as Completion
  expect(body.choices[0]?.message.content).toMatch(/^Half of it\n\n\[.+\]$/)
  expect(body.x_service).toMatchObject({ status: 'failed', usage: { estimated: true } })
  const { cost, charge } = await runRow(body.x_service.run_id)
  expect(charge).toBe(cost)
  expect(Number(cost) / 1e6).toBe(body.usage.cost)
  expect(body.usage.cost).toBeGreaterThan(0.1)
})

test('a failure after charged output is a well-formed completion that says so', async () => {
  world.upstream.enqueue(callTools(listing, { text: 'I looked.', usage }), error(400, 'bad'))
  const response = await world.chat(ask('Fails after text'))
  expect(response.status).toBe(200)
  const body = (await response.json()) as Completion
  expect(body.choices[0]?.finish_reason).toBe('stop')
  expect(body.choices[0]?.message.content).toMatch(/^I looked\.\n\n\[.+\]$/)
  expect(body.x_service).toMatchObject({
    status: 'failed',
    error: { code: 'upstream_failed' },
    usage: { cost: 0.064 },
  })
  expect(body).not.toHaveProperty('error')
  expect(await runRow(body.x_service.run_id)).toMatchObject({
    status: 'failed',
    cost: '64000',
    charge: '64000',
  })
})

test('a prompt that is too long is a 400, not retried, and costs nothing', async () => {
  const tooLong = {
    error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' },
  }
  world.upstream.enqueue(error(400, tooLong))
  const response = await world.chat(ask('Too long'))
  expect(response.status).toBe(400)
  expect(response.headers.get('x-should-retry')).toBe('false')
  expect(((await response.json()) as ErrorReply).error.code).toBe('context_length_exceeded')
})

const messages = [{ role: 'user', content: 'Be brief.' }]
const post = async (path: string, body: object) => {
  const response = await call(world.service, world.key, 'POST', path, { model: 'service', ...body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test('a parameter that the model refuses is left out, and the reply and its run say so', async () => {
  world.upstream.enqueue(error(400, "'seed' is not supported with this model"), reply('Done.'))
  const { status, body } = await post('/v1/chat/completions', { messages, seed: 7 })
  expect(status).toBe(200)
  expect(body.choices[0].message.content).toBe('Done.')
  expect(body.x_service.usage.left_out).toEqual(['seed'])
  const run = await world.get<{ usage: object }>(`/v1/agent/runs/${body.x_service.run_id}`)
  expect(run.usage).toMatchObject({ left_out: ['seed'] })
})

const tooLarge = (name: string) => error(400, `${name} is too large: at most 4096`)

test.each([
  ['/v1/chat/completions', { messages, max_tokens: 99_999 }, 'max_tokens'],
  ['/v1/responses', { input: 'Be brief.', max_output_tokens: 99_999 }, 'max_output_tokens'],
])('%s answers 400 with the name of a parameter that cannot be left out, for nothing', async (...row) => {
  const [path, fields, param] = row
  world.upstream.enqueue(tooLarge('max_tokens'))
  const { status, body } = await post(path, fields)
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value', param })
  expect(body.error.message).toContain('at most 4096')
})

test('a stream ends with the name of the parameter', async () => {
  world.upstream.enqueue(tooLarge('max_tokens'))
  const body = { model: 'service', messages, max_tokens: 99_999, stream: true }
  const response = await call(world.service, world.key, 'POST', '/v1/chat/completions', body)
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {"error"'))
  expect(frames.map((frame) => JSON.parse(frame.slice('data: '.length)).error)).toMatchObject([
    { param: 'max_tokens', code: 'invalid_value', x_service: { usage: { cost: 0 } } },
  ])
})

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }

test('a session whose client never answered a call goes on', async () => {
  const strict = (messages: readonly { role: string; tool_calls?: readonly unknown[] | undefined }[]) =>
    messages.every(({ tool_calls: calls }, at) => !calls || messages[at + 1]?.role === 'tool')
  world.upstream.enqueue([{ toolCalls: [{ name: 'weather', arguments: {} }] }])
  const first = await post('/v1/chat/completions', { messages, tools: [weather] })
  expect(first.body.choices[0].finish_reason).toBe('tool_calls')
  world.upstream.setDefault((sent) => (strict(sent.messages) ? reply('Fine.') : error(400, 'no result')))
  const next = await post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'Never mind' }],
    x_service: { session_id: first.body.x_service.session_id },
  })
  expect(next.body.choices?.[0].message.content).toBe('Fine.')
})

test('what went wrong inside the service is not told to the client', async () => {
  world.upstream.enqueue(callTools(listing, { usage }), reply('never'))
  // The step of the tool's result cannot be written.
  const refuse = `create function refuse_step() returns trigger language plpgsql as
    $$ begin raise exception 'secret detail'; end $$;
    create trigger refuse_step before insert on run_log for each row when (new.step >= 2 and new.steps > 0)
    execute function refuse_step()`
  await world.db.database.systemPool.query(refuse)
  try {
    const response = await world.chat(ask('Inner fault'))
    const { error: told } = (await response.json()) as ErrorReply
    expect(told.code).toBe('run_failed')
    expect(told.message).not.toMatch(/secret|query|insert/i)
    const run = await runRow(String(response.headers.get('x-service-run-id')))
    expect(run).toEqual({ status: 'failed', cost: '0', charge: null, kept: '0' })
  } finally {
    await world.db.database.systemPool.query('drop function refuse_step cascade')
  }
})
