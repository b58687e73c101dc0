import OpenAI from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { gate, reply } from '../../support/scripted-upstream.ts'
import { call, question } from '../../support/world/requests.ts'
import { type PairWorld, useWorld } from '../../support/world/world.ts'

let { db, upstream, service, other, key } = {} as PairWorld

const world = useWorld({
  replicas: 2,
  plan: 'unlimited',
  script: reply('The answer of the model.'),
})
beforeAll(async () => {
  ;({ db, upstream, service, other, key } = world)
})
afterEach(async () => {
  expect(await world.broken()).toEqual([])
})

type Reply = {
  readonly id: string
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly cost: number }
  readonly x_service: { readonly run_id: string }
}

let asked = 0
const fresh = () => {
  asked += 1
  return question(`Question number ${asked}`)
}

const post = (body: unknown, headers: Record<string, string> = {}, at = service) =>
  call(at, key, 'POST', '/v1/chat/completions', body, headers)

const charges = async (runId: string) => {
  const found = await db.database.system.execute(
    `select 1 from ledger where kind = 'charge' and run_id = '${runId}'`,
  )
  return found.rows.length
}

const runCount = async () => {
  const found = await db.database.system.execute<{ n: number }>('select count(*)::int as n from runs')
  return found.rows[0]?.n ?? 0
}

test('a repeated Idempotency-Key replays the reply on any replica and charges once', async () => {
  const body = fresh()
  const headers = { 'idempotency-key': 'replay-1' }
  const first = await post(body, headers)
  const one = (await first.json()) as Reply
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  for (const at of [service, other]) {
    const again = await post(body, headers, at)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.json()).toEqual(one)
  }
  expect(await charges(one.x_service.run_id)).toBe(1)
})

test('an Idempotency-Key with another body is a 400 that no client repeats', async () => {
  await post(fresh(), { 'idempotency-key': 'reused-1' })
  const response = await post(fresh(), { 'idempotency-key': 'reused-1' })
  expect(response.status).toBe(400)
  expect(response.headers.get('x-should-retry')).toBe('false')
  expect(await response.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } })
})

test('one Idempotency-Key sent twenty times at once over two replicas is one run', async () => {
  const body = fresh()
  const before = await runCount()
  const replies = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const response = await post(body, { 'idempotency-key': 'storm-1' }, i % 2 ? service : other)
      return (await response.json()) as Reply
    }),
  )
  expect(new Set(replies.map((r) => r.x_service.run_id)).size).toBe(1)
  expect(new Set(replies.map((r) => r.choices[0]?.message.content))).toEqual(
    new Set(['The answer of the model.']),
  )
  expect((await runCount()) - before).toBe(1)
})

test('two equal requests whose connections are both open are two runs', async () => {
  const held = gate()
  const script = [{ waitFor: held.opened }, { text: 'held' }]
  upstream.enqueue(script, script)
  const asksBefore = upstream.requests.length
  const body = fresh()
  const both = [post(body), post(body)]
  await expect.poll(() => upstream.requests.length - asksBefore).toBe(2)
  held.open()
  const replies = await Promise.all(both.map(async (r) => (await (await r).json()) as Reply))
  expect(new Set(replies.map((r) => r.x_service.run_id)).size).toBe(2)
})

test('a request marked as a retry attaches to the run it had started', async () => {
  const body = fresh()
  const one = (await (await post(body)).json()) as Reply
  const again = (await (await post(body, { 'x-stainless-retry-count': '1' })).json()) as Reply
  expect(again).toEqual(one)
  const unmarked = (await (await post(body, { 'x-stainless-retry-count': '0' })).json()) as Reply
  expect(unmarked.x_service.run_id).not.toBe(one.x_service.run_id)
})

test.each([
  ['before the headers', { kind: 'before-reply' }],
  ['midway in the reply', { kind: 'after-bytes', bytes: 300 }],
] as const)('the official SDK, cut off %s, gets its answer with one run and one charge', async (_, cut) => {
  const proxy = await startCuttingProxy(service.url, [cut])
  const client = new OpenAI({ apiKey: key, baseURL: `${proxy.url}/v1` })
  const body = fresh()
  const before = await runCount()
  const ask = () => client.chat.completions.create(body as never) as unknown as Promise<Reply>
  const answer = await ask().catch(ask)
  expect(answer.choices[0]?.message.content).toBe('The answer of the model.')
  expect((await runCount()) - before).toBe(1)
  expect(await charges(answer.x_service.run_id)).toBe(1)
  await proxy.close()
})

test('a retried stream starts again with the same run, text and cost', async () => {
  // The model's reply lasts until the cut has been noted: of a reply that is sent as a whole nobody would know.
  const cut = gate()
  upstream.enqueue([{ text: 'The answer of the model.' }, { waitFor: cut.opened }])
  const body = { ...fresh(), stream: true, stream_options: { include_usage: true } }
  const proxy = await startCuttingProxy(service.url, [{ kind: 'after-bytes', bytes: 900 }])
  const broken = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const runId = broken.headers.get('x-service-run-id') ?? ''
  await expect(broken.text()).rejects.toThrow()
  await proxy.close()
  const closed = async () => {
    const found = await db.database.system.execute<{ at: string | null }>(
      `select client_closed_at as at from runs where id = '${runId}'`,
    )
    return found.rows[0]?.at ?? null
  }
  await expect.poll(closed).not.toBeNull()
  cut.open()
  const again = await post(body)
  const text = await again.text()
  expect(again.headers.get('x-service-run-id')).toBe(runId)
  expect(text).toContain('The answer of the model.')
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
  expect(await charges(runId)).toBe(1)
  await expect.poll(closed).toBeNull()
  const later = await post(body)
  expect(later.headers.get('x-service-run-id')).not.toBe(runId)
  await later.text()
})
