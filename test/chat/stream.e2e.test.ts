import OpenAI, { APIError } from 'openai'
import { expect, test } from 'vitest'
import { readStream } from '../support/sse-rules.ts'
import { callTools, cut, error, gate, reply } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { ServiceInfo } from '../support/world/replies.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

const streamed = (text: string, more: object = {}) => ask(text, { stream: true, ...more })

async function read(body: object) {
  const response = await world.chat(body)
  expect(response.status).toBe(200)
  return { response, stream: readStream(await response.text(), { includeUsage: 'stream_options' in body }) }
}

const ledgerCost = async (runId: string) => {
  const sql = `select r.cost_micros::text as cost, (-t.allowance_micros - t.granted_micros)::text as charge, r.status
    from runs r left join ledger t on t.run_id = r.id and t.kind = 'charge' where r.id = $1`
  return world.row<{ cost: string; charge: string | null; status: string }>(sql, runId)
}

test('tools called in split deltas run, and their results reach the model', async () => {
  const before = world.upstream.requests.length
  world.upstream.enqueue(
    callTools(
      [
        { name: 'write_file', arguments: { name: 'דף.md', content: '# שלום עולם' } },
        { name: 'list_files', arguments: {} },
      ],
      { text: 'I will write it.' },
    ),
    reply('כתבתי את הקובץ.', { chunks: 5 }),
  )
  const { response, stream } = await read(
    streamed('Write a file', { stream_options: { include_usage: true } }),
  )
  expect(stream.problems).toEqual([])
  expect(stream.text).toBe('I will write it.\n\nכתבתי את הקובץ.')
  const events = stream.chunks.flatMap((chunk) => (chunk.x_service?.event ? [chunk.x_service.event] : []))
  expect(events.map((event) => [event['type'], event['name']]).filter(([, name]) => name)).toEqual([
    ['tool.started', 'write_file'],
    ['tool.started', 'list_files'],
    ['tool.finished', 'write_file'],
    ['tool.finished', 'list_files'],
  ])
  expect(stream.chunks.every((chunk) => !chunk.choices[0]?.delta.tool_calls)).toBe(true)
  const results = world.upstream.requests[before + 1]?.body.messages.filter(({ role }) => role === 'tool')
  expect(results).toHaveLength(2)
  const end = stream.finish?.x_service as unknown as ServiceInfo
  expect(end.files.map((file) => file.filename)).toEqual(['דף.md'])
  expect(end.usage).toMatchObject({ model_calls: 2, tool_calls: 2 })
  expect(response.headers.get('x-service-run-id')).toBe(end.run_id)
  const content = await fetch(`${world.service.url}/v1/files/${end.files[0]?.id}/content`, {
    headers: { authorization: `Bearer ${world.key}` },
  })
  expect(await content.text()).toBe('# שלום עולם')
})

test('the cost on the wire is the run’s and the ledger’s', async () => {
  world.upstream.enqueue(reply('Yes.', { usage: { prompt_tokens: 1_234, completion_tokens: 77 } }))
  const { stream } = await read(streamed('Cost?', { stream_options: { include_usage: true } }))
  expect(stream.problems).toEqual([])
  // 1,234 tokens in at 100 micro-credits, 77 out at 400.
  expect(stream.usage).toEqual({
    prompt_tokens: 1_234,
    completion_tokens: 77,
    total_tokens: 1_311,
    cost: 0.1542,
  })
  const runId = String(stream.finish?.x_service?.run_id)
  expect(await ledgerCost(runId)).toEqual({ cost: '154200', charge: '154200', status: 'completed' })
  expect(await world.get(`/v1/agent/runs/${runId}`)).toMatchObject({
    credits: '0.1542',
    usage: { cost: 0.1542 },
  })
})

test('a stream has its usage when OpenRouter’s clients ask for it, and not without', async () => {
  world.upstream.enqueue(reply('Yes.'), reply('Yes.'), reply('Yes.'))
  const ofUsage = async (usage: unknown) => (await read(streamed('Cost?', { usage }))).stream.usage
  expect(await ofUsage({ include: true })).toMatchObject({ completion_tokens: 5 })
  expect([await ofUsage({ include: false }), await ofUsage('all')]).toEqual([undefined, undefined])
})

test('text that Postgres cannot keep does not break the turn', async () => {
  const spoilt = { choices: [{ index: 0, delta: { content: 'a\0b\ud83dc' } }] }
  const args = String.raw`{"name":"x\u0000.md","content":"\ud83d\u0000"}`
  world.upstream.enqueue(
    callTools([
      { name: 'write_file', arguments: args },
      { name: 'no\0such', arguments: `{"a":"\0\udc00"}` },
    ]),
    [{ sse: [spoilt, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]'] }],
  )
  const { stream } = await read(streamed('Spoilt?'))
  expect(stream.problems).toEqual([])
  expect(stream.text).toBe('a\ufffdb\ufffdc')
})

test('the first frame arrives before the model has said a word, and each delta while it speaks', async () => {
  const [silence, more] = [gate(), gate()]
  world.upstream.enqueue([
    { waitFor: silence.opened },
    { text: 'One' },
    { waitFor: more.opened },
    { text: ', two.' },
  ])
  const live = new LiveStream(await world.chat(streamed('Slow?')))
  await live.until('\n\n')
  const [first] = live.body.split('\n\n')
  expect(first).toContain('"delta":{"role":"assistant","content":""}')
  expect(first).toMatch(/"run_id":"run_[0-9A-Za-z]{24}"/)
  silence.open()
  await live.until('"One"')
  expect(live.body).not.toContain('two')
  more.open()
  const stream = readStream(await live.rest())
  expect(stream.problems).toEqual([])
  expect(stream.text).toBe('One, two.')
})

test('an upstream that refuses before text is an error frame and costs nothing', async () => {
  world.upstream.enqueue(error(400, 'no such model'))
  const { response, stream } = await read(streamed('Broken?'))
  expect(stream.problems).toEqual([])
  expect(stream.text).toBe('')
  expect(stream.error).toMatchObject({ code: 'upstream_failed', x_service: { status: 'failed' } })
  const run = await ledgerCost(String(response.headers.get('x-service-run-id')))
  expect(run).toEqual({ cost: '0', charge: null, status: 'failed' })
})

test('an upstream that is cut off after some text is an error frame behind that text', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], {
      usage: { prompt_tokens: 10, completion_tokens: 0 },
    }),
    cut('Half an ans'),
  )
  const { response, stream } = await read(streamed('Cut?'))
  expect(stream.problems).toEqual([])
  expect(stream.text).toBe('Half an ans')
  expect(stream.error).toMatchObject({ code: 'upstream_failed', x_service: { usage: { estimated: true } } })
  const run = await ledgerCost(String(response.headers.get('x-service-run-id')))
  expect(run).toEqual({ cost: run.charge, charge: run.charge, status: 'failed' })
  // The finished steps are ten tokens in, four out and one tool call; the cut call is estimated.
  expect(Number(run.cost)).toBeGreaterThan(51_000 + 100_000)
})

test('the official client throws the code of a failed stream, after the text that came', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Wait.' }),
    error(400, 'bad'),
  )
  const client = new OpenAI({ apiKey: world.key, baseURL: `${world.service.url}/v1` })
  const stream = await client.chat.completions.create({
    model: 'service',
    messages: [{ role: 'user', content: 'Fail' }],
    stream: true,
  })
  let text = ''
  const failure = await (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  })().catch((fault: unknown) => fault)
  expect(text).toBe('Wait.')
  expect(failure).toBeInstanceOf(APIError)
  expect(failure).toMatchObject({ code: 'upstream_failed', type: 'invalid_request_error' })
})

test('a turn that reaches its credit limit ends with length and costs at most its hold', async () => {
  const usage = { prompt_tokens: 0, completion_tokens: 200_000 }
  const index = world.upstream.requests.length
  world.upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }], { text: 'Reading.', usage }))
  const { stream } = await read(streamed('Dear?'))
  expect(stream.problems).toEqual([])
  expect(stream.finish?.choices[0]?.finish_reason).toBe('length')
  expect(stream.text).toBe('Reading.\n\nThe turn reached its maximum cost of 50 credits.')
  expect(world.upstream.requests).toHaveLength(index + 1)
  const { held } = await world.row<{ held: string }>(
    `select hold_micros::text as held from runs where id = $1`,
    String(stream.finish?.x_service?.run_id),
  )
  expect(stream.finish?.x_service?.usage).toMatchObject({ cost: Number(held) / 1e6 })
})
