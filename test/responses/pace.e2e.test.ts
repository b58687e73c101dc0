import type { Response } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { dataOf } from '../support/openapi-reader.ts'
import { serviceOf } from '../support/responses.ts'
import { error, gate } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

/** Silences that tests can wait for. */
const chatPace = { keepAliveMs: 20, paddingMs: 20 }

let service: TestService

const world = useWorld()
beforeAll(async () => {
  service = await world.start({ chatPace })
})

const ask = async (input: string, more: object = {}) =>
  new LiveStream(
    await call(service, world.key, 'POST', '/v1/responses', { model: 'service', input, ...more }),
  )
const bodyOf = (text: string) => JSON.parse(text) as Response

test('a long whole reply begins with newlines; a failure then is a failed response', async () => {
  for (const fails of [false, true]) {
    const silence = gate()
    const rest = fails ? error(400, 'bad') : [{ text: 'Slowly.' }]
    world.upstream.enqueue([{ waitFor: silence.opened }, ...rest])
    const live = await ask(`Long, failing: ${fails}`)
    await live.until('\n\n\n')
    expect(live.body.trim()).toBe('')
    silence.open()
    const body = bodyOf(await live.rest())
    expect(body).toMatchObject(
      fails
        ? { status: 'failed', error: { code: 'server_error' }, usage: { cost: 0 } }
        : { status: 'completed', output: [{ content: [{ text: 'Slowly.' }] }] },
    )
  }
})

test('a silent stream is kept alive by comments, which count for nothing', async () => {
  const silence = gate()
  world.upstream.enqueue([{ text: 'Let me think' }, { waitFor: silence.opened }, { text: '. Done.' }])
  const live = await ask('Silent', { stream: true })
  await live.until('Let me think')
  await live.until(': keep-alive\n\n: keep-alive\n\n')
  silence.open()
  const events = dataOf(await live.rest())
  expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, i) => i))
  expect(events.map((event) => event['delta'] ?? '').join('')).toBe('Let me think. Done.')
})

test('a padded reply whose process loses the run is a response that has not ended', async () => {
  world.upstream.setDefault([{ waitFor: new Promise(() => undefined) }])
  const asked = world.upstream.requests.length
  const live = await ask('Handed over')
  await live.until('\n')
  await world.upstream.request(asked)
  await service.runner.drain()
  const body = bodyOf(await live.rest())
  expect(body).toMatchObject({ status: 'in_progress', output: [] })
  expect(serviceOf(body).error).toMatchObject({ code: 'run_failed' })
  const path = `/v1/responses/${body.id}/cancel`
  expect((await call(world.service, world.key, 'POST', path)).status).toBe(200)
})
