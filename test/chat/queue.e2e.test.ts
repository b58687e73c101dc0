import { expect, test } from 'vitest'
import { readStream } from '../support/sse-rules.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion, ErrorReply } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

async function newSession(): Promise<string> {
  const response = await call(world.service, world.key, 'POST', '/v1/agent/sessions', {})
  return ((await response.json()) as { id: string }).id
}

const inSession = (id: string, text: string, more: object = {}) =>
  ask(text, { x_service: { session_id: id }, ...more })

const runIdOf = (response: Response) => String(response.headers.get('x-service-run-id'))

test('turns of one session run in order, and each sees the answers before it', async () => {
  const session = await newSession()
  const first = gate()
  const index = world.upstream.requests.length
  world.upstream.enqueue(
    [{ waitFor: first.opened }, { text: 'Answer 1' }],
    reply('Answer 2'),
    reply('Answer 3'),
  )
  const one = new LiveStream(await world.chat(inSession(session, 'Question 1', { stream: true })))
  const two = new LiveStream(await world.chat(inSession(session, 'Question 2', { stream: true })))
  const three = world.chat(inSession(session, 'Question 3'))
  await two.until('\n\n')
  expect(two.body).toContain('"status":"queued"')
  await world.upstream.request(index)
  expect(world.upstream.requests).toHaveLength(index + 1)
  first.open()
  const streams = [readStream(await one.rest()), readStream(await two.rest())]
  expect(streams.map((stream) => stream.problems)).toEqual([[], []])
  expect(streams.map((stream) => stream.text)).toEqual(['Answer 1', 'Answer 2'])
  expect(((await (await three).json()) as Completion).choices[0]?.message.content).toBe('Answer 3')
  const last = world.upstream.requests[index + 2]?.body.messages.slice(1)
  expect(last?.map((message) => message.content)).toEqual([
    'Question 1',
    'Answer 1',
    'Question 2',
    'Answer 2',
    'Question 3',
  ])
})

test('four turns can wait behind the running one; a fifth is refused and leaves nothing', async () => {
  const session = await newSession()
  const first = gate()
  const index = world.upstream.requests.length
  world.upstream.enqueue([{ waitFor: first.opened }, { text: 'Answer 0' }])
  for (let n = 1; n <= 4; n += 1) world.upstream.enqueue(reply(`Answer ${n}`))
  const open: LiveStream[] = []
  for (let n = 0; n <= 4; n += 1) {
    const response = await world.chat(inSession(session, `Question ${n}`, { stream: true }))
    expect(response.status).toBe(200)
    open.push(new LiveStream(response))
  }
  const count = `select count(*)::int as runs from runs where session_id = $1`
  const refused = await world.chat(inSession(session, 'Question 5', { stream: true }))
  expect(refused.status).toBe(409)
  expect(refused.headers.get('x-should-retry')).toBe('false')
  expect(((await refused.json()) as ErrorReply).error).toMatchObject({
    type: 'conflict_error',
    code: 'session_busy',
  })
  expect(await world.row(count, session)).toEqual({ runs: 5 })
  first.open()
  const texts = await Promise.all(open.map(async (live) => readStream(await live.rest()).text))
  expect(texts).toEqual([0, 1, 2, 3, 4].map((n) => `Answer ${n}`))
  expect(world.upstream.requests).toHaveLength(index + 5)
})

test('a queued turn that is cancelled ends at once, never calls the model, and costs nothing', async () => {
  const session = await newSession()
  const first = gate()
  const index = world.upstream.requests.length
  world.upstream.enqueue([{ waitFor: first.opened }, { text: 'First' }], reply('Third'))
  const one = await world.chat(inSession(session, 'One', { stream: true }))
  const two = await world.chat(inSession(session, 'Two', { stream: true }))
  const three = world.chat(inSession(session, 'Three'))
  const cancelled = await call(world.service, world.key, 'POST', `/v1/agent/runs/${runIdOf(two)}/cancel`)
  expect(cancelled.status).toBe(200)
  // It ends although the gate of the first one is still shut.
  const stream = readStream(await two.text())
  first.open()
  expect(readStream(await one.text()).text).toBe('First')
  expect(stream.problems).toEqual([])
  expect(stream.error).toMatchObject({ code: 'run_cancelled', x_service: { usage: { cost: 0 } } })
  expect(((await (await three).json()) as Completion).choices[0]?.message.content).toBe('Third')
  expect(world.upstream.requests).toHaveLength(index + 2)
})
