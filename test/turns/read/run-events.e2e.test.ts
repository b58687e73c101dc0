import { expect, test } from 'vitest'
import { expireLog } from '../../support/expired-log.ts'
import { dataOf } from '../../support/openapi-reader.ts'
import { reply } from '../../support/scripted-upstream.ts'
import { ask, bodyOf, call } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld({ replicas: 2, script: reply('kept for good') })

const startRun = async (): Promise<string> => {
  const response = await world.chat(ask('Go on', { x_service: { background: true } }))
  return response.headers.get('x-service-run-id') ?? ''
}

const eventsOf = (runId: string, headers: Record<string, string> = {}, query = '') =>
  call(world.other, world.key, 'GET', `/v1/agent/runs/${runId}/events${query}`, undefined, headers)
const readEvents = async (...args: Parameters<typeof eventsOf>) =>
  dataOf(await (await eventsOf(...args)).text())

test('a wrong Last-Event-ID is named', async () => {
  const response = await eventsOf(await startRun(), { 'last-event-id': 'x' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'Last-Event-ID', code: 'invalid_value' } })
})

test('a position after the last event of a run is refused, not answered with an empty stream', async () => {
  const runId = await startRun()
  const last = Number((await readEvents(runId)).at(-1)?.['seq'])
  for (const [query, headers, param] of [
    [`?starting_after=${last + 1}`, {}, 'starting_after'],
    ['', { 'last-event-id': String(last + 1) }, 'Last-Event-ID'],
  ] as const) {
    const response = await eventsOf(runId, headers, query)
    expect({ status: response.status, body: await bodyOf(response) }).toMatchObject({
      status: 400,
      body: {
        error: { code: 'invalid_value', param, message: expect.stringContaining(`has ${last} events`) },
      },
    })
  }
})

test('a run whose events have expired streams its stored end, and nothing after it', async () => {
  const runId = await startRun()
  const before = await readEvents(runId)
  expect(before.map(({ seq }) => seq)).toEqual(before.map((_, i) => i + 1))
  const last = { 'last-event-id': String(before.at(-1)?.['seq']) }
  expect(await readEvents(runId, last)).toEqual([])
  await expireLog(world.db, runId)
  expect(await world.rows('select 1 from run_log where run_id = $1 and events > 0', runId)).toEqual([])
  const after = await readEvents(runId)
  expect(after.map(({ type }) => type)).toEqual(['text.delta', 'run.completed'])
  expect(after[0]?.['text']).toBe('kept for good')
  expect(after.at(-1)).toEqual(before.at(-1))
  expect(await readEvents(runId, last)).toEqual([])
})
