import { request } from 'node:http'
import { expect, test, vi } from 'vitest'
import { readStream } from '../support/sse-rules.ts'
import { callTools, gate, reply, stall } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

type RunRow = {
  readonly status: string
  readonly cost: string
  readonly charge: string | null
  readonly left: Date | null
  readonly cancel: Date | null
}

const runRow = (runId: string) =>
  world.row<RunRow>(
    `select r.status, r.cost_micros::text as cost, (-t.allowance_micros - t.granted_micros)::text as charge, r.client_closed_at as left,
       r.cancel_requested_at as cancel
     from runs r left join ledger t on t.run_id = r.id and t.kind = 'charge' where r.id = $1`,
    runId,
  )

/** Opens a stream, reads as far as `text`, and hangs up. */
async function hangUpAfter(text: string, body: object): Promise<string> {
  const hangUp = new AbortController()
  const response = await world.chat(body, { signal: hangUp.signal })
  await new LiveStream(response).until(text)
  hangUp.abort()
  return String(response.headers.get('x-service-run-id'))
}

const clientIsGone = (runId: string) =>
  vi.waitFor(async () => expect((await runRow(runId)).left).toBeInstanceOf(Date), { timeout: 120_000 })

const usage = { prompt_tokens: 100, completion_tokens: 10 }

test('a turn whose client hangs up before the whole reply goes on, is stored, and is charged', async () => {
  const rest = gate()
  const index = world.upstream.requests.length
  world.upstream.enqueue([{ waitFor: rest.opened }, { text: 'Nobody reads this.' }, { usage }])
  const hangUp = new AbortController()
  const pending = world.chat(ask('Hang up 2'), { signal: hangUp.signal })
  await world.upstream.request(index)
  hangUp.abort()
  await expect(pending).rejects.toThrow('aborted')
  const { id } = await world.row<{ id: string }>(
    `select run_id as id from messages where role = 'user' and content->>'content' = $1`,
    'Hang up 2',
  )
  await clientIsGone(id)
  expect(await runRow(id)).toMatchObject({ status: 'in_progress', cancel: null })
  rest.open()
  expect(await world.end(id)).toMatchObject({ type: 'run.completed', end: { text: 'Nobody reads this.' } })
  expect(await runRow(id)).toMatchObject({ status: 'completed', cost: '14000', charge: '14000' })
  const { sessionId } = await world.get<{ sessionId: string }>(`/v1/agent/runs/${id}`)
  const { data } = await world.get<{ data: { content: string }[] }>(
    `/v1/agent/sessions/${sessionId}/messages`,
  )
  expect(data.map(({ content }) => content)).toEqual(['Hang up 2', 'Nobody reads this.'])
})

test('with on_disconnect=cancel a disconnect cancels the turn and charges its steps', async () => {
  const index = world.upstream.requests.length
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { usage }),
    stall('The second step'),
  )
  const body = ask('Hang up 3', { stream: true, x_service: { on_disconnect: 'cancel' } })
  const runId = await hangUpAfter('The second step', body)
  expect(await world.end(runId)).toMatchObject({ type: 'run.cancelled' })
  expect(await (await world.upstream.request(index + 1)).ended).toBe('cut')
  // 100 tokens in, 10 out and one tool call are 64,000; the second model call is estimated.
  const { status, cost, charge } = await runRow(runId)
  expect([status, charge]).toEqual(['cancelled', cost])
  expect(Number(cost)).toBeGreaterThan(64_000 + 100_000)
  expect((await runRow(runId)).left).toBeInstanceOf(Date)
})

/** Two clients that read one turn with on_disconnect=cancel, both of them up to `text`. */
async function twoReaders(text: string, key: string) {
  const body = ask(key, { stream: true, x_service: { on_disconnect: 'cancel' } })
  const open = async () => {
    const hangUp = new AbortController()
    const response = await world.chat(body, { signal: hangUp.signal, headers: { 'idempotency-key': key } })
    const live = new LiveStream(response)
    await live.until(text)
    return { runId: String(response.headers.get('x-service-run-id')), live, hangUp: () => hangUp.abort() }
  }
  const first = await open()
  const second = await open()
  expect(second.runId).toBe(first.runId)
  return { first, second, runId: first.runId }
}

test('with on_disconnect=cancel a turn goes on while one of its readers is connected', async () => {
  const rest = gate()
  world.upstream.enqueue([
    { text: 'A half' },
    { waitFor: rest.opened },
    { text: ' and the rest.' },
    { usage },
  ])
  const { first, second, runId } = await twoReaders('A half', 'readers-1')
  second.hangUp()
  await clientIsGone(runId)
  expect(await runRow(runId)).toMatchObject({ status: 'in_progress', cancel: null })
  rest.open()
  const stream = readStream(await first.live.rest())
  expect([stream.problems, stream.text]).toEqual([[], 'A half and the rest.'])
  expect(await runRow(runId)).toMatchObject({ status: 'completed', cancel: null })
})

test.each(['first', 'second'] as const)(
  'with on_disconnect=cancel a turn is cancelled when the %s reader is the last to go',
  async (last) => {
    world.upstream.enqueue(stall('A half'))
    const { runId, ...readers } = await twoReaders('A half', `readers-last-${last}`)
    readers[last === 'first' ? 'second' : 'first'].hangUp()
    const other = readers[last]
    // Only the disconnect of the newest reader is noted.
    if (last === 'first') await clientIsGone(runId)
    other.hangUp()
    expect(await world.end(runId)).toMatchObject({ type: 'run.cancelled' })
  },
)

test('a client that reads to the end has not left', async () => {
  world.upstream.enqueue(reply('All of it.'))
  const response = await world.chat(ask('Stay', { stream: true }))
  expect(readStream(await response.text()).problems).toEqual([])
  const runId = String(response.headers.get('x-service-run-id'))
  expect(await runRow(runId)).toMatchObject({ left: null, status: 'completed' })
})

test('cancelling a run that has ended changes nothing', async () => {
  world.upstream.enqueue(reply('Done.', { usage }))
  const response = await world.chat(ask('Too late'))
  const runId = String(response.headers.get('x-service-run-id'))
  expect((await call(world.service, world.key, 'POST', `/v1/agent/runs/${runId}/cancel`)).status).toBe(200)
  expect(await runRow(runId)).toMatchObject({ status: 'completed', charge: '14000', cancel: null })
})

test('a reader that takes nothing does not hold the turn up', async () => {
  const text = 'אבגדהוזח ט'.repeat(15_000)
  world.upstream.enqueue([{ text, chunks: 3_000 }, { usage }])
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
  const sent = request(`${world.service.url}/v1/chat/completions`, { method: 'POST', headers })
  sent.end(JSON.stringify(ask('Slow reader', { stream: true })))
  const runId = await new Promise<string>((resolve, reject) => {
    sent.on('error', reject)
    // No listener for the data: the reply stays paused.
    sent.on('response', (response) => resolve(String(response.headers['x-service-run-id'])))
  })
  const end = await world.end(runId)
  expect(end).toMatchObject({ type: 'run.completed', reason: 'stop' })
  expect(end.end.text).toBe(text)
  expect(await runRow(runId)).toMatchObject({ status: 'completed', charge: '14000' })
  sent.destroy()
})
