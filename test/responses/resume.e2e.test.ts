import OpenAI, { APIError } from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { expireLog } from '../support/expired-log.ts'
import { dataOf } from '../support/openapi-reader.ts'
import { clientOf, collect, lastResponse, runOf, textOf } from '../support/responses.ts'
import { callTools, gate, reply } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
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

test('a reader past the stored events of an expired response gets its end', async () => {
  world.upstream.enqueue(reply('kept for good'))
  const { id } = await openai.responses.create({ model, input: 'Keep' })
  await expireLog(world.db, runOf(id))
  const rest = await collect(await openai.responses.retrieve(id, { stream: true, starting_after: 90 }))
  expect(rest.map((event) => [event.type, event.sequence_number])).toEqual([['response.completed', 91]])
})

test('a background chat turn returns its run, which any replica shows', async () => {
  const rest = gate()
  world.upstream.enqueue([{ text: 'In the' }, { waitFor: rest.opened }, { text: ' background.' }])
  const started = await world.chat(ask('Later, in a chat', { x_service: { background: true } }))
  expect(started.status).toBe(200)
  const path = started.headers.get('location') ?? ''
  const completion = (await started.json()) as Completion
  expect(path).toBe(`/v1/agent/runs/${completion.x_service.run_id}`)
  expect(completion.x_service.status).toBe('queued')
  expect(completion.choices[0]?.message.content).toBe('')
  const run = async (at: TestService) => (await call(at, world.key, 'GET', path)).json()
  expect(await run(other)).toMatchObject({ object: 'agent.run', status: 'in_progress', output: [] })
  const events = await call(other, world.key, 'GET', `${path}/events`)
  rest.open()
  expect(await events.text()).toContain('event: run.completed')
  expect(await run(other)).toMatchObject({
    status: 'completed',
    output: [{ type: 'message', content: 'In the background.' }],
  })
})

test('after a takeover only readers that have void text get an error', async () => {
  const owner = await world.start()
  const lost = gate()
  const clientAt = ({ url }: TestService) => new OpenAI({ apiKey: world.key, baseURL: `${url}/v1` })
  world.upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me see.' }),
    [{ text: 'Half of a lost reply' }, { waitFor: lost.opened }],
    reply('The whole answer.'),
  )
  const begun = await clientAt(owner).responses.create({ model, input: 'Go', background: true })
  const read = (starting_after?: number) =>
    clientAt(other).responses.retrieve(begun.id, {
      stream: true,
      ...(starting_after !== undefined && { starting_after }),
    })
  const had: ResponseStreamEvent[] = []
  const failure = await (async () => {
    for await (const event of await read()) {
      had.push(event)
      // The owner goes, and another replica begins the unfinished reply again.
      if (textOf(had).endsWith('lost reply')) await owner.runner.drain()
    }
  })().catch((fault: unknown) => fault)
  expect(failure).toBeInstanceOf(APIError)
  expect(failure).toMatchObject({ code: 'run_failed', type: 'invalid_request_error' })
  expect((failure as Error).message).toContain(`/v1/responses/${begun.id}?stream=true`)
  const answer = 'Let me see.\n\nThe whole answer.'
  const fromStart = await collect(await read())
  expect(textOf(fromStart)).toBe(answer)
  expect(lastResponse(fromStart).output_text ?? answer).toBe(answer)
  // Up to the text that still counts the events of both are the same ones.
  const kept = had.findIndex((event) => textOf([event]).includes('Let me see.'))
  expect(fromStart.slice(0, kept + 1)).toEqual(had.slice(0, kept + 1))
  expect(await collect(await read(had[kept]?.sequence_number))).toEqual(fromStart.slice(kept + 1))
  const late = had.at(-1)?.sequence_number
  await expect(read(late).then(collect)).rejects.toBeInstanceOf(APIError)
  lost.open()
})

test('a stream ends when its process drains, and its retry finds the run', async () => {
  const owner = await world.start()
  const lost = gate()
  const send = (at: TestService) =>
    call(at, world.key, 'POST', '/v1/responses', { model, input: 'Leave', stream: true })
  world.upstream.enqueue([{ text: 'Half of it' }, { waitFor: lost.opened }], reply('All of it.'))
  const live = new LiveStream(await send(owner))
  await live.until('Half of it')
  await owner.runner.drain()
  const events = dataOf(await live.rest())
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'run_failed' })
  // A reader may come before the lost text is known to be void. It then gets an error, and retries.
  let told: ReturnType<typeof dataOf> = []
  await expect
    .poll(async () => {
      const again = await send(other)
      told = dataOf(await again.text())
      return [again.headers.get('idempotency-replayed'), told.at(-1)?.['type']]
    })
    .toEqual(['true', 'response.completed'])
  expect(told[0]).toEqual(events[0])
  expect(told.at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'All of it.' }] }] } })

  world.upstream.setDefault(reply('Something new.'))
  await expect
    .poll(async () => {
      const next = await send(other)
      await next.text()
      return next.headers.get('idempotency-replayed')
    })
    .toBeNull()
  lost.open()
})
