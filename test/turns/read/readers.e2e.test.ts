import { beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import { openDatabase, withTx } from '../../../src/db/client.ts'
import { claimRun } from '../../../src/turns/drive/leases.ts'
import { callTools, gate, reply, type ScriptSource } from '../../support/scripted-upstream.ts'
import { readStream } from '../../support/sse-rules.ts'
import { startSwitchedProxy } from '../../support/switched-proxy.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import type { Completion } from '../../support/world/replies.ts'
import { ask, call } from '../../support/world/requests.ts'
import type { TestService } from '../../support/world/service.ts'
import { type PairWorld, useWorld } from '../../support/world/world.ts'

/** Two replicas in this process, which can lose a run or the database but not die: for that see `takeover.test.ts`. */

let { db, upstream, service, other, key } = {} as PairWorld

const chatPace = { keepAliveMs: 200, paddingMs: 15_000 }
const world = useWorld({ replicas: 2, plan: 'unlimited', chatPace })
beforeAll(async () => {
  ;({ db, upstream, service, other, key } = world)
})

const never = new Promise<never>(() => undefined)
const post = (at: TestService, body: object, headers: Record<string, string> = {}) =>
  call(at, key, 'POST', '/v1/chat/completions', body, headers)
const events = (at: TestService, runId: string) => call(at, key, 'GET', `/v1/agent/runs/${runId}/events`)
const runIdOf = (response: Response) => String(response.headers.get('x-service-run-id'))

/** As if its owner had not been able to prolong the lease, and `next` had been the first to see it. */
async function takeOver(runId: string, next: TestService): Promise<void> {
  const run = await withTx(db.database, 'system', async (tx) => {
    await tx.execute(`update runs set lease_expires_at = now() - interval '1 second' where id = '${runId}'`)
    return claimRun(tx, next.runner.lease, { plans: builtInPlans })
  })
  if (run?.id !== runId) throw new Error('another run was claimed')
  next.runner.start(run)
}

/** Waits until a text can be seen by everybody. */
const committed = async (runId: string, text: string) =>
  new LiveStream(await events(service, runId)).until(text)

/** A stream from an owner that has said "One two" in its third step, the second word after it had lost its run to `other`. */
async function shownTooMuch(text: string, next: ScriptSource) {
  const index = upstream.requests.length
  const late = gate()
  upstream.enqueue(
    callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me see.' }),
    [{ text: 'One' }, { waitFor: late.opened }, { text: ' two' }, { waitFor: never }],
    next,
  )
  const response = await post(service, ask(text, { stream: true }))
  const stream = new LiveStream(response)
  await stream.until('One')
  await committed(runIdOf(response), 'One')
  await takeOver(runIdOf(response), other)
  await upstream.request(index + 2)
  // It says so before it hears of its loss, unless its heartbeat happens to be quicker.
  late.open()
  return { runId: runIdOf(response), stream }
}

test('the client of an owner that lost its run is served by the next attempt', async () => {
  const rest = gate()
  const { stream } = await shownTooMuch('Lost', [
    { text: 'One' },
    { waitFor: rest.opened },
    { text: ' two three.' },
  ])
  rest.open()
  const seen = readStream(await stream.rest())
  expect(seen.problems).toEqual([])
  expect(seen.error).toBeUndefined()
  expect(seen.text).toBe('Let me see.\n\nOne two three.')
})

test('a stream ends with an error frame when the next attempt differs', async () => {
  const { runId, stream } = await shownTooMuch('Lost otherwise', reply('Another answer.'))
  const cut = readStream(await stream.rest())
  expect(cut.problems).toEqual([])
  expect(cut.text).toMatch(/^Let me see\.\n\nOne(?: two)?$/)
  expect(cut.error).toMatchObject({ code: 'run_failed', x_service: { run_id: runId } })
  // Neither a key nor a retry header: that the reply was cut short is known.
  const again = await post(other, ask('Lost otherwise', { stream: true }))
  expect(runIdOf(again)).toBe(runId)
  expect(readStream(await again.text())).toMatchObject({
    problems: [],
    text: 'Let me see.\n\nAnother answer.',
  })
})

test('a whole reply does not notice that its run was taken over', async () => {
  const index = upstream.requests.length
  upstream.enqueue([{ text: 'Never to be read' }, { waitFor: never }], reply('The whole answer.'))
  const pending = post(service, ask('Whole'))
  await upstream.request(index)
  const { rows } = await db.database.systemPool.query<{ id: string }>(
    `select id from runs where status = 'in_progress'`,
  )
  await takeOver(String(rows[0]?.id), other)
  const response = await pending
  expect(response.status).toBe(200)
  const body = (await response.json()) as Completion
  expect(body.choices[0]?.message.content).toBe('The whole answer.')
  expect(body.x_service).toMatchObject({ run_id: rows[0]?.id, status: 'completed' })
})

test("a reader elsewhere sees a silent owner's text when it renews its lease", async () => {
  const rest = gate()
  upstream.enqueue([{ text: 'A thought' }, { waitFor: rest.opened }, { text: ' and its end.' }])
  const body = ask('Silent owner', { stream: true })
  const header = { 'idempotency-key': 'silent-owner' }
  const response = await post(service, body, header)
  const first = new LiveStream(response)
  await first.until('A thought')
  await committed(runIdOf(response), 'A thought')
  const second = new LiveStream(await post(other, body, header))
  await second.until('A thought')
  rest.open()
  for (const stream of [first, second])
    expect(readStream(await stream.rest())).toMatchObject({ problems: [], text: 'A thought and its end.' })
})

test('a queued turn is streamed by the replica that got the request', async () => {
  const session = (await (await call(service, key, 'POST', '/v1/agent/sessions', {})).json()) as {
    id: string
  }
  const inSession = { x_service: { session_id: session.id }, stream: true }
  const first = gate()
  upstream.enqueue([{ waitFor: first.opened }, { text: 'First.' }], reply('Second.'), reply('Third.'))
  const streams: LiveStream[] = []
  for (const [text, at] of [
    ['1', service],
    ['2', other],
    ['3', service],
  ] as const) {
    streams.push(new LiveStream(await post(at, ask(text, inSession))))
  }
  first.open()
  const seen = await Promise.all(streams.map(async (stream) => readStream(await stream.rest())))
  expect(seen.map(({ problems, text }) => [problems, text])).toEqual([
    [[], 'First.'],
    [[], 'Second.'],
    [[], 'Third.'],
  ])
})

test('with on_disconnect=cancel a disconnect at one replica stops the run on another', async () => {
  upstream.enqueue([{ text: 'Begun' }, { waitFor: never }])
  const body = ask('Stop there', { stream: true, x_service: { on_disconnect: 'cancel' } })
  const header = { 'idempotency-key': 'stop-there' }
  const first = new LiveStream(await post(service, body, header))
  await first.until('Begun')
  const second = await post(other, body, header)
  await second.body?.cancel()
  const seen = readStream(await first.rest())
  expect(seen.problems).toEqual([])
  expect(seen.error).toMatchObject({ code: 'run_cancelled' })
})

/** Follows a run and cuts the connection after every `most` events, to go on elsewhere. @returns all event blocks. */
async function followInCuts(runId: string, most: number): Promise<string> {
  let blocks = ''
  let last = ''
  for (let cut = 0; !blocks.includes('event: run.completed'); cut += 1) {
    if (cut > 500) throw new Error('the run has no end')
    const at = cut % 2 === 0 ? service : other
    const known = last === '' ? {} : { 'last-event-id': last }
    const response = await call(at, key, 'GET', `/v1/agent/runs/${runId}/events`, undefined, known)
    const read = await firstBlocks(response, most)
    blocks += read.join('')
    last = /^id: (\d+)$/m.exec(read.at(-1) ?? '')?.[1] ?? last
  }
  return blocks
}

/** The first event blocks of a stream as they were sent, comments left out. Leaving the loop cuts the connection. */
async function firstBlocks(response: Response, most: number): Promise<readonly string[]> {
  const blocks: string[] = []
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end + 2)
      text = text.slice(end + 2)
      if (!block.startsWith(':')) blocks.push(block)
      if (blocks.length >= most) return blocks
    }
  }
  return blocks
}

test('a run followed with cuts on alternating replicas equals the uncut one', async () => {
  const index = upstream.requests.length
  // Each piece is sent when the one before it can be seen, so that none share an event.
  const pieces = ['אחת ', 'שתיים ', 'שלוש ', 'ארבע ', 'חמש ', 'שש ', 'שבע ', 'שמונה ', 'תשע ', 'עשר ', 'סוף']
  const seen = pieces.map(() => gate())
  const next = pieces.flatMap((text, n) => [{ text }, { waitFor: seen[n]?.opened ?? never }])
  const listing = callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me see.' })
  upstream.enqueue(listing, [{ text: pieces.slice(0, 3).join('') }, { waitFor: never }], next)
  const started = await post(service, ask('Follow me', { x_service: { background: true } }))
  const runId = runIdOf(started)
  const cuts = [1, 2, 3, 7]
  const live = cuts.map((most) => followInCuts(runId, most))
  const uncut = followInCuts(runId, Number.POSITIVE_INFINITY)
  await upstream.request(index + 1)
  await committed(runId, 'שלוש')
  await takeOver(runId, other)
  for (const [n, piece] of pieces.entries()) {
    await committed(runId, piece.trim())
    seen[n]?.open()
  }
  const whole = await uncut
  expect(whole.match(/^event: .*$/gm)?.filter((line) => line.includes('step.restarted'))).toHaveLength(1)
  expect(whole.match(/^id: .*$/gm)).toEqual(
    Array.from(whole.match(/^id: /gm) ?? [], (_, i) => `id: ${i + 1}`),
  )
  expect(whole.match(/^event: text.delta$/gm)?.length).toBeGreaterThan(7)
  expect(await Promise.all(live)).toEqual(cuts.map(() => whole))
  // And afterwards.
  expect(await Promise.all(cuts.map((most) => followInCuts(runId, most)))).toEqual(cuts.map(() => whole))
})

test('readers are kept alive while the database is away, and then read to the end', async () => {
  const url = new URL(db.url)
  const proxy = await startSwitchedProxy({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${proxy.port}`
  const database = openDatabase({ url: url.href, onIdleError: () => undefined, maxConnections: 8 })
  const apart = await world.start({ chatPace: { keepAliveMs: 200, paddingMs: 100 } }, database)
  const rest = gate()
  const index = upstream.requests.length
  const script = [{ text: 'Before' }, { waitFor: rest.opened }, { text: ' and after.' }]
  upstream.enqueue(script, script)
  // Both runs are driven by the replica that keeps its database, and read from the one that does not.
  const [streamed, unstreamed] = [ask('Outage', { stream: true }), ask('Outage')]
  const [key1, key2] = [{ 'idempotency-key': 'outage-1' }, { 'idempotency-key': 'outage-2' }]
  const response = await post(service, streamed, key1)
  const whole = post(service, unstreamed, key2)
  await upstream.request(index + 1)
  const stream = new LiveStream(await post(apart, streamed, key1))
  const follower = new LiveStream(await events(apart, runIdOf(response)))
  for (const reader of [stream, follower]) await reader.until('Before')
  // Its headers have come: it waits for the end.
  const padded = await post(apart, unstreamed, key2)

  await proxy.off()
  rest.open()
  await response.text()
  // The outage lasts longer than the runs, and, by the keep-alives of 200 ms, than a poll. A new request gets a 503.
  await stream.until(': keep-alive', 15)
  expect((await call(apart, key, 'GET', '/v1/key')).status).toBe(503)
  await proxy.on()

  expect(readStream(await stream.rest())).toMatchObject({ problems: [], text: 'Before and after.' })
  expect(stream.body).toContain(': keep-alive')
  expect(await follower.rest()).toBe(await (await events(service, runIdOf(response))).text())
  const answer = await (await whole).json()
  expect(answer).toMatchObject({ choices: [{ message: { content: 'Before and after.' } }] })
  expect(await padded.json()).toEqual(answer)
  await apart.stop()
  await database.close()
  await proxy.close()
})
