import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test, vi } from 'vitest'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { times } from '../support/full.ts'
import { seededRandom } from '../support/random.ts'
import { gate, reply } from '../support/scripted-upstream.ts'
import { anyCut, carryOutIntent, unkeyedClients } from '../support/unkeyed-intents.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Replica } from '../support/world/processes.ts'
import { ask } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

/** Requests without an `Idempotency-Key` that are sent again, over processes that die, freeze and live. */

/** The third is frozen and stopped; the others live. */
let [first, second, third] = [] as unknown as [Replica, Replica, Replica]
const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  world.upstream.setDefault(() => reply('The answer of the model.'))
  ;[first, second, third] = await Promise.all([world.start(), world.start(), world.start()])
  await othersSee(3)
})

/** Until the replicas can see that so many live. */
const othersSee = (living: number) =>
  vi.waitFor(async () => expect(await world.rows('select id from replicas')).toHaveLength(living), {
    timeout: 120_000,
  })

/** How often each cut is tried. */
const rounds = times(3, 8)

let asked = 0
const fresh = (more: object = {}) => {
  asked += 1
  return ask(`Question number ${asked}`, more)
}

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

test('retries find the runs whose replies a killed process owed, and none whose reply was read', async () => {
  const dying = await world.start()
  await othersSee(4)
  const read = fresh()
  const one = await answerOf(await world.chat(read, { at: dying }))
  const owed = [fresh(), fresh()] as const
  const sockets: Socket[] = []
  for (const question of owed) {
    world.upstream.enqueue([{ text: 'Half' }, { waitFor: new Promise(() => undefined) }])
    sockets.push(await send(dying, question))
    await begun(question)
  }
  await dying.stop('SIGKILL')
  for (const socket of sockets) socket.destroy()
  const runs = await Promise.all(owed.map(async (question) => String((await runsOf(question))[0]?.run_id)))
  const atOnce = world.chat(owed[0], { at: second })
  for (const runId of runs) await world.expireLease(runId)
  // The claim notes that the client left, and the run ends before its retry comes.
  await expect.poll(() => chargesOf(owed[1])).toBe(1)
  expect(await claimOf(runs[1] ?? '')).toEqual([{ epoch: 2, closed: true }])
  const answers = [await atOnce, await world.chat(owed[1], { at: second })]
  expect(await Promise.all(answers.map(answerOf))).toEqual(
    runs.map((runId) => ({ runId, replayed: true, text: 'The answer of the model.' })),
  )
  expect(await Promise.all(owed.map(chargesOf))).toEqual([1, 1])
  const two = await answerOf(await world.chat(read, { at: second }))
  expect(two).toMatchObject({ replayed: false })
  expect(two.runId).not.toBe(one.runId)
})

test('a claim records no disconnect for a client whose process is alive', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: held.opened }])
  const question = fresh()
  const waiting = world.chat(question, { at: third }).then(answerOf)
  await begun(question)
  const [{ run_id: runId = '' } = {}] = await runsOf(question)
  third.signal('SIGSTOP')
  await world.expireLease(runId)
  await expect.poll(() => claimOf(runId)).toEqual([{ epoch: 2, closed: false }])
  third.signal('SIGCONT')
  expect((await waiting).runId).toBe(runId)
  held.open()
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

const intentsOfLane = times(4, 10)

test(`${6 * intentsOfLane} intents cut at any byte over two replicas are each charged once`, async () => {
  world.upstream.setDefault(() => reply('The answer of the model. '.repeat(20), { chunks: 4, delayMs: 5 }))
  const random = seededRandom(20_261_122)
  const cuts = anyCut(random.fork('cuts'))
  const proxies = await Promise.all([first, second].map(({ url }) => startCuttingProxy(url, cuts)))
  const urls = proxies.map(({ url }) => url) as [string, ...string[]]
  const { clients, close } = unkeyedClients(world.key)
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    for (let n = 0; n < intentsOfLane; n += 1) {
      const client = clients[(lane + n) % clients.length] ?? clients[0]
      await carryOutIntent(client, urls, `Intent ${lane}-${n} of ${client.name}`, random.fork(`${lane}-${n}`))
    }
  })
  await Promise.all(lanes)
  close()
  await Promise.all(proxies.map((proxy) => proxy.close()))
  const charged = await world.rows<{ question: string; charges: number }>(
    `select m.content->>'content' as question, count(*)::int as charges
     from ledger t join messages m on m.run_id = t.run_id and m.role = 'user'
     where t.kind = 'charge' and m.content->>'content' like $1 group by 1`,
    'Intent %',
  )
  const again = charged.filter(({ charges }) => charges !== 1)
  // Of connections that are closed after each reply, an end that a busy machine delivers late cannot be known.
  expect(again.filter(({ question }) => !question.includes('closed connections'))).toEqual([])
  expect(again.length).toBeLessThanOrEqual(1)
  expect(charged).toHaveLength(6 * intentsOfLane)
})
