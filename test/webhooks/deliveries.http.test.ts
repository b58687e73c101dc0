import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import { claimDeliveries, maxAttempts } from '../../src/webhooks/deliveries.ts'
import { createEndpoint, type EndpointInput, rotateSecret } from '../../src/webhooks/endpoints.ts'
import { gate } from '../support/scripted-upstream.ts'
import { testPeppers } from '../support/world/accounts.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { ownerKey } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'
import { startReceiver } from './receiver.ts'

const closing: (() => Promise<void>)[] = []
const system = () => world.db.database.system

const world = useWorld({ ...unhurried, script: [{ text: 'An answer.' }] })
beforeEach(() => system().execute(sql`delete from webhook_endpoints`))
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function receiver(...answer: Parameters<typeof startReceiver>) {
  const started = await startReceiver(...answer)
  closing.push(() => started.close())
  return started
}

function deliver(allowPrivate = true) {
  const log = pino({ level: 'silent' })
  const worker = deliverWebhooks(world.db.database, {
    peppers: testPeppers,
    allowPrivate,
    userAgent: 'Test/1',
    log,
  })
  closing.push(() => worker.stop())
}

const endpoint = (url: string, input: Partial<EndpointInput> = {}) =>
  createEndpoint(
    system(),
    testPeppers,
    { accountId: world.accountId },
    { url, events: ['run.completed', 'run.failed'], projectId: null, ...input },
    true,
  )

const ask = () =>
  bodyOf(call(world.service, world.key, 'POST', '/v1/chat/completions', question(`${Math.random()}`)))
const emit = (subject: string, data: object = {}) =>
  system().execute(
    sql`select send_webhook(${world.accountId}, null, 'run.completed', ${subject}, ${JSON.stringify(data)}::jsonb)`,
  )
const dueNow = () =>
  system().execute(sql`update webhook_deliveries set due_at = now() where due_at is not null`)

type Row = {
  attempts: number
  status: number | null
  error: string | null
  delivered: boolean
  waiting: boolean
}
async function rows(): Promise<readonly Row[]> {
  const found =
    await system().execute<Row>(sql`select attempts, status, error, delivered_at is not null as delivered,
    due_at is not null as waiting from webhook_deliveries order by id`)
  return found.rows
}

test('a finished turn is told to its endpoint, signed as Standard Webhooks verifies it', async () => {
  const { url, received } = await receiver()
  const { secret } = await endpoint(url)
  const other = await receiver()
  await endpoint(other.url, { events: ['run.failed'] })
  deliver()
  const { x_service } = await ask()
  await expect.poll(() => received.length).toBe(1)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string
    data: Record<string, unknown>
  }
  expect(event).toMatchObject({ type: 'run.completed', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) })
  const run = x_service.run_id
  expect(event.data).toMatchObject({ id: run, status: 'completed', finish_reason: 'stop' })
  const { credits } = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${run}`))
  expect(Number(event.data['cost_micros']) / 1_000_000).toBeCloseTo(Number(credits), 6)
  expect(headers['user-agent']).toBe('Test/1')
  expect(() =>
    new Webhook(secret).verify(body.replace('completed', 'failed'), headers as Record<string, string>),
  ).toThrow()
  await expect.poll(rows).toMatchObject([{ attempts: 1, status: 204, delivered: true, waiting: false }])
  expect(other.received).toEqual([])
})

test('an endpoint of a project is told of turns in that project only', async () => {
  const { url, received } = await receiver()
  const key = await ownerKey(world.db, world.accountId)
  const project = await bodyOf(call(world.service, key, 'POST', '/v1/projects', { name: 'Told' }))
  await endpoint(url, { projectId: project.id })
  deliver()
  await ask()
  const { x_service } = await bodyOf(
    call(world.service, key, 'POST', '/v1/chat/completions', {
      ...question('In the project'),
      x_service: { project_id: project.id },
    }),
  )
  await expect.poll(() => received.length).toBe(1)
  expect(JSON.parse(received[0]?.body ?? '').data.id).toBe(x_service.run_id)
})

test('a failed delivery is tried again with the same id and the same bytes', async () => {
  const { url, received } = await receiver((_, count) => (count < 3 ? 503 : 200))
  await endpoint(url)
  deliver()
  await emit('run_a', { n: 1 })
  for (const attempts of [1, 2]) {
    await expect.poll(rows).toMatchObject([{ attempts, status: 503, delivered: false, waiting: true }])
    await dueNow()
  }
  await expect.poll(rows).toMatchObject([{ attempts: 3, status: 200, delivered: true }])
  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('what a killed process was sending is sent again by another one', async () => {
  const { url, received } = await receiver()
  await endpoint(url)
  await emit('run_a')
  // Claimed by a process that ends before it records anything.
  expect(await claimDeliveries(system(), new Map(), 10)).toHaveLength(1)
  expect(await claimDeliveries(system(), new Map(), 10)).toEqual([])
  deliver()
  await dueNow()
  await expect.poll(() => received.length).toBe(1)
  await expect.poll(rows).toMatchObject([{ attempts: 2, delivered: true }])
})

test('events about one thing arrive in their order, however often the first one fails', async () => {
  const { url, received } = await receiver(({ body }, count) =>
    body.includes('first') && count < 3 ? 500 : 200,
  )
  await endpoint(url)
  await emit('run_a', { n: 'first' })
  await emit('run_a', { n: 'second' })
  await emit('run_b', { n: 'apart' })
  deliver()
  // What is under way and due would be sent again.
  await expect.poll(rows).toMatchObject([{ status: 500, waiting: true }, {}, { delivered: true }])
  await dueNow()
  await expect.poll(rows).toMatchObject(Array(3).fill({ delivered: true }))
  const order = received.map(({ body }) => JSON.parse(body).data.n).filter((n) => n !== 'apart')
  expect(order).toEqual(['first', 'first', 'second'])
})

test('a slow endpoint does not hold back another one', async () => {
  const held = gate()
  const slow = await receiver(() => held.opened.then(() => 200))
  const fast = await receiver()
  await endpoint(slow.url)
  for (let n = 0; n < 200; n += 1) await emit(`run_${n}`)
  await endpoint(fast.url)
  await emit('run_last')
  deliver()
  await expect.poll(() => fast.received.length).toBe(1)
  expect(slow.received.length).toBeLessThanOrEqual(10)
  held.open()
  await expect.poll(() => slow.received.length).toBe(201)
})

test('two replicas deliver each event once', async () => {
  const { url, received } = await receiver()
  await endpoint(url)
  for (let n = 0; n < 100; n += 1) await emit(`run_${n}`)
  deliver()
  deliver()
  await expect.poll(async () => (await rows()).filter(({ delivered }) => delivered).length).toBe(100)
  expect(received.length).toBe(100)
})

test('after the last attempt a delivery is given up and says why', async () => {
  const { url } = await receiver(() => 302)
  await endpoint(url)
  await emit('run_a')
  await system().execute(sql`update webhook_deliveries set attempts = ${maxAttempts - 1}`)
  deliver()
  await expect
    .poll(rows)
    .toMatchObject([{ attempts: maxAttempts, status: 302, delivered: false, waiting: false }])
})

test('an endpoint that answers 410 is switched off', async () => {
  const { url, received } = await receiver(() => 410)
  await endpoint(url)
  await emit('run_a')
  deliver()
  const isOff = async () =>
    (await system().execute<{ disabled: boolean }>(sql`select disabled from webhook_endpoints`)).rows[0]
      ?.disabled
  await expect.poll(isOff).toBe(true)
  await emit('run_b')
  expect(received.length).toBe(1)
  expect(await rows()).toHaveLength(1)
})

test('for a day after a new secret, both verify', async () => {
  const { url, received } = await receiver()
  const { endpoint: made, secret } = await endpoint(url)
  const next = await rotateSecret(system(), testPeppers, { accountId: world.accountId }, made.id)
  expect(next.secret).not.toBe(secret)
  deliver()
  await emit('run_a')
  await expect.poll(() => received.length).toBe(1)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  for (const one of [secret, next.secret]) new Webhook(one).verify(body, headers as Record<string, string>)
  await system().execute(sql`update webhook_endpoints set both_until = now() - interval '1 second'`)
  await emit('run_b')
  await expect.poll(() => received.length).toBe(2)
  const last = received[1]
  expect(() =>
    new Webhook(secret).verify(last?.body ?? '', last?.headers as Record<string, string>),
  ).toThrow()
})

test('addresses of private networks are refused, when an endpoint is made and when it is told', async () => {
  for (const url of [
    'http://example.org/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://10.1.2.3/',
    'https://x.internal/',
    'https://u:p@example.org/',
  ]) {
    const input = { url, events: ['run.completed'] as const, projectId: null }
    await expect(
      createEndpoint(system(), testPeppers, { accountId: world.accountId }, input, false),
    ).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'url',
    })
  }
  const { url, received } = await receiver()
  await endpoint(url)
  await emit('run_a')
  deliver(false)
  await expect
    .poll(rows)
    .toMatchObject([{ attempts: 1, error: 'the address is not one of the public internet', waiting: true }])
  expect(received).toEqual([])
})

test('the database has no secret of an endpoint', async () => {
  const { secret } = await endpoint('https://example.org/')
  const { rows: all } = await system().execute(sql`select to_jsonb(e)::text as row from webhook_endpoints e`)
  const text = JSON.stringify(all)
  for (const part of [secret, secret.slice(6), Buffer.from(secret.slice(6), 'base64').toString('hex')])
    expect(text).not.toContain(part)
})
