import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { estimateTokens } from '../../../src/agent/tokens.ts'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { readStream } from '../../support/sse-rules.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import type { Replica } from '../../support/world/processes.ts'
import type { Completion } from '../../support/world/replies.ts'
import { ask } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

/** Replicas are processes here, and die of `kill -9` at a chosen moment. */

let survivor: Replica

const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  survivor = await world.start()
})

const never = new Promise<never>(() => undefined)
const runIdOf = (response: Response) => String(response.headers.get('x-service-run-id'))

async function runAsking(text: string): Promise<string> {
  const [row] = await world.rows<{ id: string }>(
    `select run_id as id from messages where role = 'user' and content->>'content' = $1`,
    text,
  )
  if (!row) throw new Error(`no run asks ${text}`)
  return row.id
}

/** What the ledger and the log say of an ended run. */
async function endOf(runId: string) {
  const [row] = await world.rows<{ status: string; charges: number; ends: number; equal: boolean }>(
    `select r.status,
       (select count(*)::int from ledger t where t.run_id = r.id and t.kind = 'charge') as charges,
       (select count(*)::int from run_log l, jsonb_array_elements(l.entries) e where l.run_id = r.id and e->>'type' in ('run.completed', 'run.failed', 'run.cancelled')) as ends,
       r.cost_micros = (select -allowance_micros - granted_micros from ledger t where t.run_id = r.id and t.kind = 'charge') as equal
     from runs r where r.id = $1`,
    runId,
  )
  return row
}
const endedOnce = { status: 'completed', charges: 1, ends: 1, equal: true }

/** Everything that is stored of a run, except when its client closed the connection. */
async function everythingOf(runId: string): Promise<unknown> {
  const tables = ['runs', 'run_log', 'messages', 'ledger'] as const
  return Promise.all(
    tables.map((table) =>
      world.rows(
        `select (to_jsonb(t) - 'client_closed_at')::text as row from ${table} t where ${table === 'runs' ? 'id' : 'run_id'} = $1 order by 1`,
        runId,
      ),
    ),
  )
}

const committedText = async (runId: string) => {
  const rows = await world.rows<{ text: string }>(
    `select event->>'text' as text from run_log, jsonb_array_elements(entries) with ordinality as e (event, at)
     where run_id = $1 and event->>'type' = 'text.delta' order by seq, at`,
    runId,
  )
  return rows.map(({ text }) => text).join('')
}

/** Holds a lock in a transaction of the test's own until it is let go. */
async function hold(statement: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: world.db.url, options: '-c app.account=*' })
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  return { release: () => client.end() }
}

const somebodyWaitsForALock = () =>
  expect
    .poll(
      async () =>
        (
          await world.rows(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and $1 = ''`,
            '',
          )
        ).length,
      { interval: 20 },
    )
    .toBeGreaterThan(0)

/** Kills the owner; the connection of its client breaks. */
async function kill(owner: Replica, stream?: LiveStream): Promise<void> {
  await owner.stop('SIGKILL')
  await expect(stream?.rest() ?? Promise.reject(new Error('cut'))).rejects.toThrow()
}

test('turns killed before their first byte and in their text are answered whole to their retries', async () => {
  const owner = await world.start()
  const index = world.upstream.requests.length
  const body = ask('In the middle of the text', { stream: true })
  const key = { 'idempotency-key': 'middle-1' }
  world.upstream.enqueue([{ text: 'What the dead replica said.' }, { waitFor: never }], [{ waitFor: never }])
  const response = await world.chat(body, { at: owner, headers: key })
  const stream = new LiveStream(response)
  await stream.until('What the dead replica said.')
  const streamed = runIdOf(response)
  await expect.poll(() => committedText(streamed)).toBe('What the dead replica said.')
  const lost = expect(world.chat(ask('Before the first byte'), { at: owner })).rejects.toThrow()
  await world.upstream.request(index + 1)
  await kill(owner, stream)
  await lost
  const whole = await runAsking('Before the first byte')
  world.upstream.setDefault(({ messages }) =>
    reply(
      JSON.stringify(messages).includes('first byte') ? 'The whole answer.' : 'Something else altogether.',
    ),
  )

  const again = new LiveStream(await world.chat(body, { at: survivor, headers: key }))
  const retried = world.chat(ask('Before the first byte'), {
    at: survivor,
    headers: { 'x-stainless-retry-count': '1' },
  })
  // The reader has looked at the log, in which the lost text stands.
  await again.until('run.started')
  for (const runId of [streamed, whole]) await world.expireLease(runId)
  const seen = readStream(await again.rest())
  expect(seen).toMatchObject({ problems: [], error: undefined, text: 'Something else altogether.' })
  const answer = await retried
  expect(answer.status).toBe(200)
  const { x_service, choices } = (await answer.json()) as Completion
  expect(x_service.run_id).toBe(whole)
  expect(choices[0]?.message.content).toBe('The whole answer.')
  for (const runId of [streamed, whole]) expect(await endOf(runId)).toEqual(endedOnce)
  expect(world.upstream.requests).toHaveLength(index + 4)
})

test('a turn killed in a tool call repeats it once, and its retry gets one answer', async () => {
  const owner = await world.start()
  const index = world.upstream.requests.length
  world.upstream.enqueue(
    callTools([{ name: 'write_file', arguments: { name: 'note.md', content: 'once' } }], {
      text: 'I write.',
    }),
    reply('It is written.'),
  )
  const lock = await hold('lock table files in share row exclusive mode')
  const body = ask('Write a note', { stream: true })
  const stream = new LiveStream(await world.chat(body, { at: owner }))
  await stream.until('tool.started')
  await somebodyWaitsForALock()
  const runId = await runAsking('Write a note')
  await kill(owner, stream)
  await lock.release()
  const again = new LiveStream(
    await world.chat(body, { at: survivor, headers: { 'x-stainless-retry-count': '1' } }),
  )
  await again.until('I write.')
  await world.expireLease(runId)
  const seen = readStream(await again.rest())
  expect(seen.problems).toEqual([])
  expect(seen.text).toBe('I write.\n\nIt is written.')
  expect(seen.finish?.x_service?.files).toMatchObject([{ filename: 'note.md', action: 'created' }])
  expect(await world.rows(`select 1 from files where name = $1`, 'note.md')).toHaveLength(1)
  expect(await endOf(runId)).toEqual(endedOnce)
  expect(world.upstream.requests).toHaveLength(index + 2)
})

test('a turn killed before its charge is charged once, and its retry gets one answer', async () => {
  const owner = await world.start()
  world.upstream.setDefault(reply('All that there is to say.'))
  const body = ask('Before the charge', { stream: true })
  const key = { 'idempotency-key': 'charge-1' }
  const done = gate()
  world.upstream.enqueue([{ text: 'All that there is to say.' }, { waitFor: done.opened }])
  const response = await world.chat(body, { at: owner, headers: key })
  const stream = new LiveStream(response)
  await stream.until('All that there is to say.')
  const runId = runIdOf(response)
  await expect.poll(() => committedText(runId)).toBe('All that there is to say.')
  const lock = await hold('select 1 from accounts for update')
  done.open()
  await somebodyWaitsForALock()
  await kill(owner, stream)
  await lock.release()
  const again = new LiveStream(await world.chat(body, { at: survivor, headers: key }))
  await again.until('run.started')
  await world.expireLease(runId)
  const seen = readStream(await again.rest())
  expect(seen.problems).toEqual([])
  expect(seen.text).toBe('All that there is to say.')
  expect(await endOf(runId)).toEqual(endedOnce)
})

test('a turn cancelled after its owner was killed pays for the text in the log', async () => {
  const owner = await world.start()
  const text = 'Words that were read before the end. '.repeat(20)
  world.upstream.enqueue([{ text }, { waitFor: never }])
  const response = await world.chat(ask('Killed, then cancelled', { stream: true }), { at: owner })
  const stream = new LiveStream(response)
  await stream.until('before the end')
  const runId = runIdOf(response)
  await expect.poll(async () => (await committedText(runId)).length).toBeGreaterThan(700)
  const asked = world.upstream.requests.length
  await kill(owner, stream)
  const headers = { authorization: `Bearer ${world.key}` }
  const cancelled = fetch(`${survivor.url}/v1/agent/runs/${runId}/cancel`, { method: 'POST', headers })
  // A survivor that takes the run over before it knows of the cancel goes on with it.
  await expect
    .poll(() => world.rows('select 1 from runs where id = $1 and cancel_requested_at is not null', runId))
    .toHaveLength(1)
  await world.expireLease(runId)
  expect((await cancelled).status).toBe(200)
  await expect.poll(async () => (await endOf(runId))?.status).toBe('cancelled')
  expect(await endOf(runId)).toEqual({ ...endedOnce, status: 'cancelled' })
  const [run] = await world.rows<{ cost: number; usage: object }>(
    `select cost_micros::float8 as cost, reply #> '{end,usage}' as usage from runs where id = $1`,
    runId,
  )
  const said = estimateTokens(text.trimEnd())
  expect(run?.usage).toMatchObject({ completion_tokens: said, model_calls: 1, estimated: true })
  expect(run?.cost).toBeGreaterThan(said * 400 + 100_000)
  // Nobody asked the model again.
  expect(world.upstream.requests).toHaveLength(asked)
})

test('a replica that slept longer than its lease writes nothing when it wakes', async () => {
  const owner = await world.start()
  const index = world.upstream.requests.length
  const late = gate()
  world.upstream.enqueue(
    [{ text: 'Peace ' }, { waitFor: late.opened }, { text: 'be with' }, { waitFor: never }],
    reply('Peace be with you.'),
  )
  const response = await world.chat(ask('Sleep', { stream: true }), { at: owner })
  const stream = new LiveStream(response)
  await stream.until('Peace')
  const runId = runIdOf(response)
  const slept = performance.now()
  owner.signal('SIGSTOP')
  // Nobody helps here: the lease of 15 s runs out by itself.
  await world.upstream.request(index + 1)
  const seconds = (performance.now() - slept) / 1_000
  expect(seconds).toBeGreaterThan(9)
  await expect.poll(() => endOf(runId)).toEqual(endedOnce)
  const settled = await everythingOf(runId)
  late.open()
  owner.signal('SIGCONT')
  const seen = readStream(await stream.rest())
  expect(seen.problems).toEqual([])
  expect(await everythingOf(runId)).toEqual(settled)
  await owner.stop('SIGTERM')
  expect(await everythingOf(runId)).toEqual(settled)
  expect(seen.text).toBe('Peace be with you.')
})

test('a replica that shuts down disconnects its clients, and another answers retries', async () => {
  const owner = await world.start({ DRAIN_SECONDS: '0' })
  const index = world.upstream.requests.length
  const gone = gate()
  // Not before: a whole reply that is still being waited for would be given the answer of the next.
  world.upstream.setDefault(() => [{ waitFor: gone.opened }, ...reply('Said by the next.')])
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: never }], [{ waitFor: never }])
  const [streamed, whole] = [ask('Leaving, streamed', { stream: true }), ask('Leaving, whole')]
  const first = await world.chat(streamed, { at: owner })
  const stream = new LiveStream(first)
  await stream.until('Half')
  const pending = world.chat(whole, { at: owner })
  await world.upstream.request(index + 1)
  const events = await fetch(`${owner.url}/v1/agent/runs/${runIdOf(first)}/events`, {
    headers: { authorization: `Bearer ${world.key}` },
  })
  const stopped = owner.stop('SIGTERM')

  const cut = readStream(await stream.rest())
  expect(cut.problems).toEqual([])
  expect(cut.error).toMatchObject({ code: 'run_failed', x_service: { status: 'in_progress' } })
  const refused = await pending
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
  expect(await events.text()).not.toContain('run.completed')
  expect(await stopped).toMatchObject({ code: 0, stderr: '' })
  gone.open()

  // As they were, without a key or a retry header.
  const again = await world.chat(streamed, { at: survivor })
  expect(runIdOf(again)).toBe(runIdOf(first))
  const seen = readStream(await again.text())
  expect(seen).toMatchObject({ problems: [], text: 'Said by the next.' })
  const answer = await world.chat(whole, { at: survivor })
  expect(runIdOf(answer)).toBe(runIdOf(refused))
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Said by the next.' } }] })
  for (const runId of [runIdOf(first), runIdOf(refused)]) expect(await endOf(runId)).toEqual(endedOnce)
})
