import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { chargeOf, clientOf, collect, costOf, lastResponse, serviceOf, textOf } from '../support/responses.ts'
import { toldIn } from '../support/told.ts'
import { callTools, error, gate, reply } from '../support/upstream-scripts.ts'
import { call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'

test('a response has its text, its cost as the ledger has it, and where it ran', async () => {
  world.upstream.enqueue(reply('שלום וברכה — “לֵב”.'))
  const { data: response, response: http } = await openai.responses
    .create({ model, input: 'שלום', metadata: { color: 'כחול' }, user: 'u1', temperature: 0.5 })
    .withResponse()
  expect(response).toMatchObject({
    object: 'response',
    status: 'completed',
    output_text: 'שלום וברכה — “לֵב”.',
    output: [{ type: 'message', role: 'assistant', status: 'completed' }],
    metadata: { color: 'כחול' },
    temperature: 0.5,
    error: null,
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  })
  const { run_id, message_id, session_id, status } = serviceOf(response)
  expect(response.id).toBe(run_id.replace('run_', 'resp_'))
  expect(response.output[0]?.id).toBe(message_id)
  expect(status).toBe('completed')
  expect(http.headers.get('x-service-session-id')).toBe(session_id)
  expect(costOf(response)).toBe(0.003)
  expect(await chargeOf(world, run_id)).toBe(0.003)
  expect(world.upstream.requests.at(-1)?.body).toMatchObject({ temperature: 0.5, user: 'u1' })
})

test("a stream follows the Responses API's event order and hides server tools", async () => {
  world.upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }]), reply('One two', { chunks: 2 }))
  const stream = await openai.responses.create({ model, input: 'Count', stream: true })
  const events = await collect(stream)
  expect(textOf(events)).toBe('One two')
  expect(events.map((event) => event.type).filter((type) => type !== 'response.output_text.delta')).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i))
  const final = lastResponse(events)
  expect(serviceOf(final)).toMatchObject({ status: 'completed', usage: { model_calls: 2, tool_calls: 1 } })
  expect(costOf(final)).toBe(await chargeOf(world, serviceOf(final).run_id))
  const { output_text: _, ...retrieved } = await openai.responses.retrieve(final.id)
  expect(retrieved).toEqual(final)
})

test('text.format reaches the model as its schema, and parse() reads what comes', async () => {
  world.upstream.enqueue(reply('{"answer": "כן"}'))
  const parsed = await openai.responses.parse({
    model,
    input: 'JSON please',
    text: { format: zodTextFormat(z.object({ answer: z.string() }), 'answer') },
    reasoning: { effort: 'low' },
    max_output_tokens: 99,
  })
  expect(parsed.output_parsed).toEqual({ answer: 'כן' })
  expect(parsed.text?.format).toMatchObject({ type: 'json_schema', name: 'answer' })
  expect(world.upstream.requests.at(-1)?.body).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true } },
    reasoning_effort: 'low',
    max_tokens: 99,
  })
})

test('parts of the tokens are shown as the model’s server reports them, zeros too', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  const details = {
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 7 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
  const script = reply('Counted', { usage: { ...usage, ...details } })
  world.upstream.enqueue(script, script, reply('Plain', { usage }))
  const messages = [{ role: 'user' as const, content: 'Count' }]
  expect((await openai.chat.completions.create({ model, messages })).usage).toMatchObject(details)
  expect((await openai.responses.create({ model, input: 'Count' })).usage).toMatchObject({
    input_tokens_details: details.prompt_tokens_details,
    output_tokens_details: details.completion_tokens_details,
  })
  const plain = await openai.chat.completions.create({ model, messages })
  expect(plain.usage).not.toHaveProperty('prompt_tokens_details')
})

test('what was cut off by the length is incomplete, streamed and whole', async () => {
  const script = [{ text: 'Half a' }, { finish: 'length' }]
  world.upstream.enqueue(script, script)
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  expect(await openai.responses.create({ model, input: 'Long' })).toMatchObject(incomplete)
  const events = await collect(await openai.responses.create({ model, input: 'Long too', stream: true }))
  expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: incomplete })
})

test("a failed turn's stream ends with response.failed, its text and its cost", async () => {
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' }),
    error(400, 'bad'),
  )
  const events = await collect(await openai.responses.create({ model, input: 'Fail', stream: true }))
  expect(textOf(events)).toBe('Wait.')
  const final = lastResponse(events)
  expect(events.at(-1)?.type).toBe('response.failed')
  expect(final).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
    x_service: { error: { code: 'upstream_failed' } },
  })
  expect(final.output).toMatchObject([
    { type: 'message', status: 'incomplete', content: [{ text: 'Wait.' }] },
  ])
  expect(costOf(final)).toBe(await chargeOf(world, serviceOf(final).run_id))
  expect(costOf(final)).toBeGreaterThan(0)
})

test('a stream that fails without text has an item first, so that clients do not retry', async () => {
  world.upstream.enqueue(error(400, 'bad'))
  const events = await collect(await openai.responses.create({ model, input: 'Fail at once', stream: true }))
  const types = events.map((event) => event.type)
  expect(types.indexOf('response.output_item.added')).toBeGreaterThan(0)
  expect(types.at(-1)).toBe('response.failed')
  expect(costOf(lastResponse(events))).toBe(0)
})

test("a failed turn's whole reply is an error when free, otherwise a failed response", async () => {
  world.upstream.enqueue(error(400, 'bad'))
  const refused = await openai.responses.create({ model, input: 'Fail' }).catch((fault: unknown) => fault)
  expect(refused).toBeInstanceOf(OpenAI.InternalServerError)
  expect(refused).toMatchObject({ status: 502, code: 'upstream_error' })
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' }),
    error(400, 'bad'),
  )
  const failed = await openai.responses.create({ model, input: 'Fail later' })
  expect(failed).toMatchObject({
    status: 'failed',
    output_text: 'Wait.',
    error: { code: 'server_error' },
    x_service: { error: { code: 'upstream_failed' } },
  })
})

test('an Idempotency-Key replays the response on its route, whole and streamed', async () => {
  world.upstream.enqueue(reply('Once.'))
  const body = { model, input: 'Only once' }
  const headers = { 'idempotency-key': 'response-1' }
  const one = await openai.responses.create(body, { headers })
  const again = await openai.responses.create(body, { headers }).withResponse()
  expect(again.data).toEqual(one)
  expect(again.response.headers.get('idempotency-replayed')).toBe('true')
  const elsewhere = await call(
    world.service,
    world.key,
    'POST',
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'Only once' }] },
    headers,
  )
  expect(await elsewhere.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } })
  const retried = await openai.responses.create(body, { headers: { 'x-stainless-retry-count': '1' } })
  expect(retried).toEqual(one)
  world.upstream.enqueue(reply('Streamed.'))
  const streamed = () =>
    call(
      world.service,
      world.key,
      'POST',
      '/v1/responses',
      { ...body, stream: true },
      {
        'idempotency-key': 'response-2',
      },
    )
  const first = await (await streamed()).text()
  expect(await (await streamed()).text()).toBe(first)
})

/** What the model was told, but for the service's own words. */
const told = (index: number) => toldIn(world.upstream.requests[index]?.body)

test('previous_response_id goes on in its session; instructions are for one turn only', async () => {
  const from = world.upstream.requests.length
  world.upstream.enqueue(reply('First.'), reply('Second.'), reply('Third.'))
  const first = await openai.responses.create({ model, input: 'One', instructions: 'Be brief.' })
  const second = await openai.responses.create({
    model,
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Two' }] }],
    instructions: 'Be long.',
    previous_response_id: first.id,
  })
  expect(second).toMatchObject({ previous_response_id: first.id, instructions: 'Be long.' })
  const history = [
    { role: 'user' as const, content: 'One' },
    { role: 'assistant' as const, content: 'First.' },
    { role: 'user' as const, content: 'Two' },
    { role: 'assistant' as const, content: 'Changed by the client' },
    { role: 'user' as const, content: 'Three' },
  ]
  const third = await openai.responses.create({
    model,
    input: history,
    previous_response_id: second.id,
  })
  expect(new Set([first, second, third].map((r) => serviceOf(r).session_id)).size).toBe(1)
  expect(told(from)).toEqual([
    ['system', 'Be brief.'],
    ['user', 'One'],
  ])
  expect(told(from + 1)).toEqual([
    ['system', 'Be long.'],
    ['user', 'One'],
    ['assistant', 'First.'],
    ['user', 'Two'],
  ])
  expect(told(from + 2)).toEqual([
    ['user', 'One'],
    ['assistant', 'First.'],
    ['user', 'Two'],
    ['assistant', 'Second.'],
    ['user', 'Three'],
  ])
})

test('responses that continue the same one do not see each other', async () => {
  world.upstream.enqueue(reply('Root.'))
  const root = await openai.responses.create({ model, input: 'Root?' })
  const from = world.upstream.requests.length
  world.upstream.setDefault((body) => reply(`To ${body.messages.at(-1)?.content}`))
  const ask = (input: string) =>
    openai.responses.create({ model, input, previous_response_id: root.id, instructions: input })
  const branches = [...(await Promise.all([ask('A'), ask('B'), ask('C')])), await ask('D')]
  expect(branches.map((branch) => branch.output_text).toSorted()).toEqual(['To A', 'To B', 'To C', 'To D'])
  expect(new Set(branches.map((branch) => serviceOf(branch).session_id)).size).toBe(4)
  const sessions = branches.map((branch) => serviceOf(branch).session_id)
  expect(sessions).toContain(serviceOf(root).session_id)
  for (let i = from; i < from + 4; i += 1) {
    const [, [, question] = []] = [told(i)?.at(0), told(i)?.at(-1)]
    expect(told(i)).toEqual([
      ['system', question],
      ['user', 'Root?'],
      ['assistant', 'Root.'],
      ['user', question],
    ])
  }
  const [branch] = branches.filter((one) => serviceOf(one).session_id !== serviceOf(root).session_id)
  const next = await openai.responses.create({ model, input: 'Next', previous_response_id: branch?.id ?? '' })
  expect(serviceOf(next).session_id).toBe(serviceOf(branch ?? {}).session_id)
  expect(told(from + 4)?.slice(0, 2)).toEqual([
    ['user', 'Root?'],
    ['assistant', 'Root.'],
  ])
  world.upstream.setDefault(error(400, 'no script'))
})

test('a failed turn does not stand between a response and what goes on from it', async () => {
  world.upstream.enqueue(reply('Root.'), error(400, 'no'), reply('Well.'))
  const root = await openai.responses.create({ model, input: 'Root?' })
  const previous_response_id = root.id
  await expect(openai.responses.create({ model, input: 'Fail', previous_response_id })).rejects.toThrow()
  const next = await openai.responses.create({ model, input: 'Again', previous_response_id })
  expect(serviceOf(next).session_id).toBe(serviceOf(root).session_id)
})

test('a continuation waits for an unfinished response; a second branch is refused', async () => {
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, { text: 'Root.' }], reply('After it.'))
  const root = await openai.responses.create({ model, input: 'Root?', background: true })
  const ask = (input: string) =>
    openai.responses.create({ model, input, previous_response_id: root.id, background: true })
  const waiting = await ask('One')
  expect(waiting.status).toBe('queued')
  await expect(ask('Two')).rejects.toMatchObject({ status: 409, code: 'session_busy' })
  held.open()
  const ended = () => openai.responses.retrieve(waiting.id)
  await expect.poll(async () => (await ended()).output_text).toBe('After it.')
  world.upstream.enqueue(reply('Branch.'))
  const branch = await ask('Two')
  expect(serviceOf(branch).session_id).not.toBe(serviceOf(root).session_id)
})
