import { beforeAll, expect, test } from 'vitest'
import { expireLog } from '../../support/expired-log.ts'
import { callTools, gate } from '../../support/scripted-upstream.ts'
import { call, question } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { type PairWorld, useWorld } from '../../support/world/world.ts'

let { db, upstream, service, other, key } = {} as PairWorld

const world = useWorld({ replicas: 2 })
beforeAll(async () => {
  ;({ db, upstream, service, other, key } = world)
})

const startRun = async (): Promise<string> => {
  const body = { ...question('Go on'), x_service: { background: true } }
  const response = await call(service, key, 'POST', '/v1/chat/completions', body)
  expect(response.headers.get('location')).toMatch(/^\/v1\/agent\/runs\/run_/)
  return response.headers.get('x-service-run-id') ?? ''
}

type Event = { readonly seq: number; readonly type: string; readonly text?: string }

/** Reads events until the stream ends or `most` have come; then the connection is cut. */
async function readEvents(
  at: TestService,
  runId: string,
  headers: Record<string, string> = {},
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Event[]> {
  const response = await fetch(`${at.url}/v1/agent/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const events: Event[] = []
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString('utf8')
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) events.push(JSON.parse(data) as Event)
      // Leaving the loop cancels the body, which cuts the connection.
      if (events.length >= most) return events
    }
  }
  return events
}

test('a run is followed live from a replica that does not drive it, to its end', async () => {
  const held = gate()
  upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }]), [
    { text: 'שלום ' },
    { waitFor: held.opened },
    { text: 'and peace' },
  ])
  const runId = await startRun()
  const following = readEvents(other, runId)
  await expect.poll(async () => (await readEvents(other, runId, {}, 5)).length).toBe(5)
  held.open()
  const events = await following
  expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1))
  expect(events.at(-1)?.type).toBe('run.completed')
  expect(events.map((event) => event.text ?? '').join('')).toBe('שלום and peace')
})

test('events cut after each one and resumed elsewhere equal the uncut ones', async () => {
  upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }]), [{ text: 'one two three', chunks: 3 }])
  const runId = await startRun()
  const uncut = await readEvents(service, runId)
  expect(uncut.at(-1)?.type).toBe('run.completed')
  for (let cut = 1; cut < uncut.length; cut += 1) {
    const first = await readEvents(service, runId, {}, cut)
    const rest = await readEvents(other, runId, { 'last-event-id': String(first.at(-1)?.seq) })
    expect([...first, ...rest]).toEqual(uncut)
  }
  const last = uncut.at(-1)?.seq ?? 0
  expect(await readEvents(other, runId, { 'last-event-id': String(last) })).toEqual([])
})

test('a cancel sent to one replica stops the run on another at once', async () => {
  const held = gate()
  upstream.enqueue([{ text: 'begun' }, { waitFor: held.opened }])
  const asked = upstream.requests.length
  const runId = await startRun()
  await upstream.request(asked)
  const following = readEvents(other, runId)
  expect((await call(other, key, 'POST', `/v1/agent/runs/${runId}/cancel`)).status).toBe(200)
  expect((await following).at(-1)?.type).toBe('run.cancelled')
  held.open()
})

test('a wrong Last-Event-ID is named', async () => {
  upstream.enqueue([{ text: 'something' }])
  const runId = await startRun()
  await readEvents(service, runId)
  const response = await call(service, key, 'GET', `/v1/agent/runs/${runId}/events`, undefined, {
    'last-event-id': 'x',
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'Last-Event-ID', code: 'invalid_value' } })
})

test('a position after the last event of a run is refused, not answered with an empty stream', async () => {
  upstream.enqueue([{ text: 'Fine.' }])
  const runId = await startRun()
  const last = (await readEvents(service, runId)).at(-1)?.seq ?? 0
  const path = `${other.url}/v1/agent/runs/${runId}/events`
  const headers = { authorization: `Bearer ${key}` }
  for (const [query, more, param] of [
    [`?starting_after=${last + 1}`, {}, 'starting_after'],
    ['', { 'last-event-id': String(last + 1) }, 'Last-Event-ID'],
  ] as const) {
    const response = await fetch(path + query, { headers: { ...headers, ...more } })
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: {
        error: { code: 'invalid_value', param, message: expect.stringContaining(`has ${last} events`) },
      },
    })
  }
})

test('a run whose events have expired streams its stored end', async () => {
  upstream.enqueue([{ text: 'kept for good' }])
  const runId = await startRun()
  const before = await readEvents(service, runId)
  await expireLog(db, runId)
  const left = await db.database.system.execute(
    `select 1 from run_log where run_id = '${runId}' and events > 0`,
  )
  expect(left.rows).toEqual([])
  const after = await readEvents(other, runId)
  expect(after.map((event) => event.type)).toEqual(['text.delta', 'run.completed'])
  expect(after[0]?.text).toBe('kept for good')
  expect(after.at(-1)).toEqual(before.at(-1))
  expect(await readEvents(other, runId, { 'last-event-id': String(before.at(-1)?.seq) })).toEqual([])
})
