import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test, vi } from 'vitest'
import { times } from '../support/full.ts'
import { gate, reply } from '../support/scripted-upstream.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Replica } from '../support/world/processes.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

/** Requests without an `Idempotency-Key` that are sent again, over processes that die, freeze and live. */

/** Of tests that disturb connections only. */
let first: Replica
let second: Replica
const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  world.upstream.setDefault(() => reply('The answer of the model.'))
  first = await start()
  second = await start()
})

/** How often each cut is tried. */
const rounds = times(3, 8)

let asked = 0
const fresh = (more: object = {}) => {
  asked += 1
  return ask(`Question number ${asked}`, more)
}

/** Until the others can see that the replica lives. */
async function start(): Promise<Replica> {
  const before = await replicas()
  const replica = await world.start()
  // The row of one that was killed is removed meanwhile.
  const added = async () => (await replicas()).filter((id) => !before.includes(id))
  await vi.waitFor(async () => expect(await added()).toHaveLength(1), { timeout: 120_000 })
  return replica
}
const replicas = async () => (await world.rows<{ id: string }>('select id from replicas')).map(({ id }) => id)

async function answerOf(response: Response) {
  const body = (await response.json()) as { choices: { message: { content: string } }[] }
  return {
    runId: response.headers.get('x-service-run-id') ?? '',
    replayed: response.headers.get('idempotency-replayed') === 'true',
    text: body.choices[0]?.message.content,
  }
}

const chargesOf = async (question: { readonly messages: readonly { readonly content: string }[] }) =>
  (
    await world.rows(
      `select 1 from ledger t join messages m on m.run_id = t.run_id and m.role = 'user'
       where t.kind = 'charge' and m.content->>'content' = $1`,
      question.messages[0]?.content ?? '',
    )
  ).length

const runsOf = (question: { readonly messages: readonly { readonly content: string }[] }) =>
  world.rows<{ run_id: string }>(
    `select run_id from messages where role = 'user' and content->>'content' = $1`,
    question.messages[0]?.content ?? '',
  )

/** The attempt that a run is at, and whether its client has left. */
const claimOf = (runId: string) =>
  world.rows('select epoch, client_closed_at is not null as closed from runs where id = $1', runId)

/** A request whose bytes are written by hand, so that the connection can be treated in any way. */
async function send(at: Replica, body: object, connection = 'keep-alive'): Promise<Socket> {
  const { hostname, port } = new URL(at.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: localhost', 'content-type: application/json']
  head.push(`connection: ${connection}`, `authorization: Bearer ${world.key}`)
  head.push(`content-length: ${Buffer.byteLength(text)}`)
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  return socket
}

/** Until the model was asked, so that its script is used up. */
const begun = async (question: Parameters<typeof runsOf>[0]) => {
  const text = JSON.stringify(question.messages[0]?.content)
  const isAsked = () => world.upstream.requests.some(({ body }) => JSON.stringify(body).includes(text))
  await expect.poll(isAsked).toBe(true)
}

test.each([
  ['at once', false],
  ['after a claim noted that its client left, and it ended', true],
] as const)('a retry finds the run of a process that was killed, %s', async (_, takenOver) => {
  const [dying, living] = [await start(), second]
  const held = gate()
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: held.opened }])
  const question = fresh()
  const socket = await send(dying, question)
  await begun(question)
  await dying.stop('SIGKILL')
  socket.destroy()
  const [run] = await runsOf(question)
  if (takenOver) {
    await world.expireLease(run?.run_id ?? '')
    await expect.poll(() => chargesOf(question)).toBe(1)
    expect(await claimOf(run?.run_id ?? '')).toEqual([{ epoch: 2, closed: true }])
  }
  const again = world.chat(question, { at: living })
  if (!takenOver) await world.expireLease(run?.run_id ?? '')
  const answer = await answerOf(await again)
  expect(answer).toEqual({ runId: run?.run_id, replayed: true, text: 'The answer of the model.' })
  expect(await chargesOf(question)).toBe(1)
  held.open()
})

test('a claim records no disconnect for a client whose process is alive', async () => {
  const frozen = await start()
  const held = gate()
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: held.opened }])
  const question = fresh()
  const waiting = world.chat(question, { at: frozen }).then(answerOf)
  await begun(question)
  const [{ run_id: runId = '' } = {}] = await runsOf(question)
  frozen.signal('SIGSTOP')
  await world.expireLease(runId)
  await expect.poll(() => claimOf(runId)).toEqual([{ epoch: 2, closed: false }])
  frozen.signal('SIGCONT')
  expect((await waiting).runId).toBe(runId)
  held.open()
  await frozen.stop('SIGKILL')
})

test('a duplicate is a new run while the first client is connected to another replica', async () => {
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, { text: 'Held.' }])
  const question = fresh()
  const waiting = world.chat(question, { at: first }).then(answerOf)
  await begun(question)
  const other = await answerOf(await world.chat(question, { at: second }))
  expect(other.replayed).toBe(false)
  held.open()
  expect((await waiting).runId).not.toBe(other.runId)
  expect(await chargesOf(question)).toBe(2)
})

test.each([
  ['stream', 'another replica', 'destroy'],
  ['stream', 'the same replica', 'destroy'],
  ['stream', 'another replica', 'resetAndDestroy'],
  ['stream', 'the same replica', 'resetAndDestroy'],
] as const)('a %s that was cut and is sent again at once to %s (%s) is one run', async (_, where, how) => {
  for (let round = 0; round < rounds; round += 1) {
    const held = gate()
    world.upstream.enqueue([{ text: 'The answer ' }, { waitFor: held.opened }, { text: 'of the model.' }])
    const question = fresh({ stream: true })
    const socket = await send(first, question)
    let seen = ''
    for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
      seen += String(bytes)
      if (seen.includes('The answer')) break
    }
    socket[how]()
    const again = await world.chat(question, { at: where === 'another replica' ? second : first })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    held.open()
    expect(await new LiveStream(again).rest()).toContain('of the model.')
    expect(await chargesOf(question)).toBe(1)
  }
})

test.each([
  ['keep-alive', 'the same replica'],
  ['keep-alive', 'another replica'],
  ['close', 'the same replica'],
  ['close', 'another replica'],
] as const)(
  'a whole reply cut on a connection "%s" and retried at %s is one charge',
  async (connection, where) => {
    for (let cut = 0, sent = 0; cut < rounds; sent += 1) {
      expect(sent).toBeLessThan(50)
      const question = fresh()
      const socket = await send(first, question, connection)
      const [bytes] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      // On a busy machine the held byte may come with the others: this client has its reply.
      if (connection === 'close' && isWhole(String(bytes))) continue
      cut += 1
      const again = await answerOf(
        await world.chat(question, { at: where === 'another replica' ? second : first }),
      )
      expect(again).toMatchObject({ replayed: true, text: 'The answer of the model.' })
      expect(await chargesOf(question)).toBe(1)
    }
  },
)

/** Whether a reply has come to its end, by its length or its last chunk. */
function isWhole(text: string): boolean {
  const [head = '', ...body] = text.split('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length === undefined
    ? text.endsWith('\r\n0\r\n\r\n')
    : Buffer.byteLength(body.join('\r\n\r\n')) >= Number(length)
}

test('a client with its whole reply and an open connection gets a new run', async () => {
  const question = fresh()
  const runs = new Set<string>()
  for (const at of [first, first, second, first]) {
    const { runId, replayed } = await answerOf(await world.chat(question, { at }))
    expect(replayed).toBe(false)
    runs.add(runId)
  }
  expect(runs.size).toBe(4)
})

test('a reply read long before its process was killed is not replayed', async () => {
  const [dying, living] = [await start(), second]
  const question = fresh()
  const one = await answerOf(await world.chat(question, { at: dying }))
  await dying.stop('SIGKILL')
  const two = await answerOf(await world.chat(question, { at: living }))
  expect(two).toMatchObject({ replayed: false })
  expect(two.runId).not.toBe(one.runId)
})

test('a process that is told to stop leaves its unread replies to be found again', async () => {
  const [leaving, staying] = [await start(), second]
  const held = gate()
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: held.opened }])
  const question = fresh({ stream: true })
  const cut = await world.chat(question, { at: leaving })
  const stream = new LiveStream(cut)
  await stream.until('Half')
  const ended = leaving.stop('SIGTERM')
  await stream.rest().catch(() => undefined)
  const again = await world.chat(question, { at: staying })
  expect(again.headers.get('x-service-run-id')).toBe(cut.headers.get('x-service-run-id'))
  expect(await new LiveStream(again).rest()).toContain('The answer of the model.')
  expect(await chargesOf(question)).toBe(1)
  held.open()
  await ended
})
