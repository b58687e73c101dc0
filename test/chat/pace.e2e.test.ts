import { beforeAll, expect, test } from 'vitest'
import { dataOf } from '../support/openapi-reader.ts'
import { readStream } from '../support/sse-rules.ts'
import { error, gate } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask, call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

/** Silences that tests can wait for. */
const chatPace = { keepAliveMs: 20, paddingMs: 20 }

let service: TestService

const world = useWorld()
beforeAll(async () => {
  service = await world.start({ chatPace })
})

const chat = (text: string, more: object = {}) =>
  call(service, world.key, 'POST', '/v1/chat/completions', ask(text, more))
const respond = (input: string, more: object = {}) =>
  call(service, world.key, 'POST', '/v1/responses', { model: 'service', input, ...more })

const routes = [
  ['chat', chat],
  ['responses', respond],
] as const

test.each(routes)(
  'a whole reply over %s that takes long begins with newlines and is valid JSON',
  async (...row) => {
    const [, send] = row
    const silence = gate()
    world.upstream.enqueue([{ waitFor: silence.opened }, { text: 'Slowly.' }])
    const response = await send('Long')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const live = new LiveStream(response)
    await live.until('\n\n\n')
    expect(live.body.trim()).toBe('')
    silence.open()
    const body = JSON.parse(await live.rest())
    expect(body.x_service.status).toBe('completed')
    expect(body.choices?.[0].message.content ?? body.output[0].content[0].text).toBe('Slowly.')
  },
)

test.each(routes)(
  'a failure after the padding of %s began is a well-formed reply that says so',
  async (...row) => {
    const [, send] = row
    const silence = gate()
    world.upstream.enqueue([{ waitFor: silence.opened }, ...error(400, 'bad')])
    const live = new LiveStream(await send('Long failure'))
    await live.until('\n')
    silence.open()
    const { choices, x_service, ...body } = JSON.parse(await live.rest())
    expect(x_service).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_failed' },
      usage: { cost: 0 },
    })
    if (choices)
      expect(choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: `[${x_service.error.message}]` },
      })
    else expect(body).toMatchObject({ status: 'failed', error: { code: 'server_error' }, usage: { cost: 0 } })
  },
)

const thinking = async (send: typeof chat) => {
  const silence = gate()
  world.upstream.enqueue([{ text: 'Let me think' }, { waitFor: silence.opened }, { text: '. Done.' }])
  const live = new LiveStream(await send('Silent', { stream: true }))
  await live.until('Let me think')
  return { live, open: silence.open }
}

test('a silent chat stream is kept alive by blocks that every client passes over', async () => {
  const { live, open } = await thinking(chat)
  await live.until(': keep-alive\n')
  open()
  const stream = readStream(await live.rest())
  expect(stream.problems).toEqual([])
  expect(stream.keepAlives).toBeGreaterThan(0)
  expect(stream.text).toBe('Let me think. Done.')
})

test('a silent stream of a response is kept alive by comments, which count for nothing', async () => {
  const { live, open } = await thinking(respond)
  await live.until(': keep-alive\n\n: keep-alive\n\n')
  open()
  const events = dataOf(await live.rest())
  expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, i) => i))
  expect(events.map((event) => event['delta'] ?? '').join('')).toBe('Let me think. Done.')
})

test('runs that a process hands over end its streams and padded replies with an error', async () => {
  const index = world.upstream.requests.length
  world.upstream.setDefault([{ waitFor: new Promise(() => undefined) }])
  const streamed = new LiveStream(await chat('Handed over', { stream: true }))
  const whole = new LiveStream(await chat('Handed over, whole'))
  const response = new LiveStream(await respond('Handed over, as a response'))
  for (const padded of [whole, response]) await padded.until('\n')
  await world.upstream.request(index + 2)
  await service.runner.drain()
  const stream = readStream(await streamed.rest())
  expect(stream.problems).toEqual([])
  expect(stream.error).toMatchObject({ code: 'run_failed', x_service: { status: 'in_progress' } })
  const error = { code: 'run_failed' }
  expect(JSON.parse(await whole.rest()).x_service).toMatchObject({ status: 'in_progress', error })
  const body = JSON.parse(await response.rest())
  expect(body).toMatchObject({ status: 'in_progress', output: [], x_service: { error } })
  const path = `/v1/responses/${body.id}/cancel`
  expect((await call(world.service, world.key, 'POST', path)).status).toBe(200)
})
