import OpenAI, { APIError } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { chargeOf, clientOf, collect, costOf, lastResponse, serviceOf, textOf } from '../support/responses.ts'
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

test('the stream() helper comes to the same response, and reads a finished one again', async () => {
  world.upstream.enqueue(reply('Helped along', { chunks: 3 }))
  const deltas: string[] = []
  const stream = openai.responses.stream({ model, input: 'Help' })
  stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
  const final = await stream.finalResponse()
  expect(final.output_text).toBe('Helped along')
  expect(deltas.join('')).toBe('Helped along')
  const again = await collect(openai.responses.stream({ response_id: final.id, starting_after: 3 }))
  expect(again[0]?.sequence_number).toBe(4)
  expect(lastResponse(again)).toMatchObject({ id: final.id, status: 'completed' })
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

test('a client that disconnects in the middle of a response gets it by a retry', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'before ' }, { waitFor: held.opened }, { text: 'after' }])
  const body = { model, input: 'Do not lose this', stream: true }
  const left = new AbortController()
  const response = await fetch(`${world.service.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: left.signal,
  })
  const runId = response.headers.get('x-service-run-id') ?? ''
  left.abort()
  await expect
    .poll(
      async () =>
        (
          await world.row<{ closed: boolean }>(
            'select client_closed_at is not null as closed from runs where id = $1',
            runId,
          )
        ).closed,
    )
    .toBe(true)
  held.open()
  const again = await call(world.service, world.key, 'POST', '/v1/responses', body)
  expect(again.headers.get('x-service-run-id')).toBe(runId)
  expect(await again.text()).toContain('"text":"before after"')
})

test('an error is one of the SDK’s classes, with its code', async () => {
  const fault = (fields: object, key = world.key) =>
    new OpenAI({ apiKey: key, baseURL: `${world.service.url}/v1`, maxRetries: 0 }).responses
      .create({ model, input: 'x', ...fields } as never)
      .then(
        () => undefined,
        (refusal: unknown) => refusal,
      )
  const cases = [
    [await fault({ input: 7 }), OpenAI.BadRequestError, 'invalid_value'],
    [await fault({ moderation: {} }), OpenAI.BadRequestError, 'unsupported_parameter'],
    [await fault({ conversation: 'conv_1' }), OpenAI.NotFoundError, 'not_found'],
    [await fault({}, 'svc_wrong'), OpenAI.AuthenticationError, 'invalid_api_key'],
    [await fault({ model: 'gpt-9' }), OpenAI.NotFoundError, 'model_not_found'],
    [await fault({ previous_response_id: 'resp_none' }), OpenAI.NotFoundError, 'not_found'],
  ] as const
  for (const [refusal, kind, code] of cases) {
    expect(refusal).toBeInstanceOf(kind)
    expect(refusal).toMatchObject({ code })
  }
  const gone = await openai.responses.retrieve('resp_none').catch((refusal: unknown) => refusal)
  expect(gone).toBeInstanceOf(OpenAI.NotFoundError)
  expect(gone).toBeInstanceOf(APIError)
})
