import type OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { expireLog } from '../support/expired-log.ts'
import { clientOf, collect, lastResponse, runOf, textOf } from '../support/responses.ts'
import { callTools, gate, reply } from '../support/upstream-scripts.ts'
import { call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

let other: TestService
let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  other = await world.start()
  openai = clientOf(world)
})

const model = 'service'

/** The frames of events in a stream; comments are left out. */
const framesOf = (text: string) => text.split('\n\n').filter((block) => block.startsWith('event: '))
const numberOf = (frame: string): number => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '').sequence_number

const readStream = async (at: TestService, id: string, after?: number): Promise<string[]> => {
  const from = after === undefined ? '' : `&starting_after=${after}`
  const response = await call(at, world.key, 'GET', `/v1/responses/${id}?stream=true${from}`)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  return framesOf(await response.text())
}

test('a stream cut after any event and resumed elsewhere equals the uncut one', async () => {
  const held = gate()
  world.upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }], { text: 'אבדוק ' }), [
    { text: 'one ' },
    { waitFor: held.opened },
    { text: 'two', chunks: 3 },
  ])
  const body = { model, input: 'Go on', stream: true, background: true }
  const live = await call(world.service, world.key, 'POST', '/v1/responses', body)
  const id = (live.headers.get('x-service-run-id') ?? '').replace('run_', 'resp_')
  // While it runs: readers on both replicas, who left off at different places.
  await expect
    .poll(
      async () =>
        (await world.row<{ n: number }>('select event_count as n from runs where id = $1', runOf(id))).n,
    )
    .toBeGreaterThanOrEqual(7)
  const during = [0, 1, 4, 5].map((after) => readStream(after % 2 ? other : world.service, id, after))
  held.open()
  const uncut = framesOf(await live.text())
  expect(uncut.map(numberOf)).toEqual(uncut.map((_, i) => i))
  expect(uncut.at(-1)).toContain('event: response.completed')
  for (const [i, after] of [0, 1, 4, 5].entries()) expect(await during[i]).toEqual(uncut.slice(after + 1))
  for (const at of [world.service, other]) {
    expect(await readStream(at, id)).toEqual(uncut)
    for (let cut = 0; cut < uncut.length; cut += 1) {
      expect(await readStream(at, id, cut)).toEqual(uncut.slice(cut + 1))
    }
  }
})

test('a background response is polled to its end and cancelled once', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'So far' }, { waitFor: held.opened }])
  const { data: begun, response: http } = await openai.responses
    .create({ model, input: 'Later', background: true })
    .withResponse()
  expect(['queued', 'in_progress']).toContain(begun.status)
  expect(begun).toMatchObject({ output: [], background: true })
  expect(http.headers.get('location')).toBe(`/v1/responses/${begun.id}`)
  const following = collect(await openai.responses.retrieve(begun.id, { stream: true }))
  const cancelled = await openai.responses.cancel(begun.id)
  expect(cancelled).toMatchObject({ id: begun.id, status: 'cancelled', error: null })
  expect(await openai.responses.cancel(begun.id)).toEqual(cancelled)
  expect(await openai.responses.retrieve(begun.id)).toMatchObject({ status: 'cancelled' })
  expect((await following).at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'cancelled' },
  })
  held.open()

  world.upstream.enqueue(reply('Done meanwhile'))
  const { id } = await openai.responses.create({ model, input: 'Once more', background: true })
  await expect.poll(async () => (await openai.responses.retrieve(id)).output_text).toBe('Done meanwhile')
  expect(await openai.responses.cancel(id)).toMatchObject({ status: 'completed' })
})

test('a client that resumes a background stream gets the events after its last one', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'before ' }, { waitFor: held.opened }, { text: 'after' }])
  const stream = await openai.responses.create({ model, input: 'Go', background: true, stream: true })
  const had: ResponseStreamEvent[] = []
  for await (const event of stream) {
    had.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  held.open()
  const id = lastResponse(had.slice(0, 1)).id
  const after = had.at(-1)?.sequence_number ?? 0
  const rest = await collect(await openai.responses.retrieve(id, { stream: true, starting_after: after }))
  expect(textOf([...had, ...rest])).toBe('before after')
  expect(lastResponse(rest).status).toBe('completed')
})

test('a response whose events have expired streams its stored end', async () => {
  world.upstream.enqueue(reply('kept for good'))
  const { id } = await openai.responses.create({ model, input: 'Keep' })
  const run = runOf(id)
  await expireLog(world.db, run)
  expect(await openai.responses.retrieve(id)).toMatchObject({
    status: 'completed',
    output_text: 'kept for good',
  })
  const whole = await collect(await openai.responses.retrieve(id, { stream: true }))
  expect(textOf(whole)).toBe('kept for good')
  const rest = await collect(await openai.responses.retrieve(id, { stream: true, starting_after: 90 }))
  expect(rest.map((event) => [event.type, event.sequence_number])).toEqual([['response.completed', 91]])
})
