import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlans, type Plans } from '../../src/accounts/plans.ts'
import { gate, reply } from '../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let { db, service, upstream } = {} as World
let plans: Plans

const row = {
  api_access: true,
  monthly_credits: 1_000,
  requests_per_minute: 1_000,
  turns_per_minute: 1_000,
  concurrent_turns: 1_000,
  queued_turns: 4,
  stored_megabytes: 10,
  file_megabytes: 1,
}

beforeAll(async () => {
  const file = path.join(tmpdir(), `plans-${process.pid}.json`)
  await writeFile(
    file,
    JSON.stringify({
      few_requests: { ...row, requests_per_minute: 3 },
      few_turns: { ...row, turns_per_minute: 2 },
      one_at_once: { ...row, concurrent_turns: 1 },
      poor: { ...row, monthly_credits: 0 },
    }),
  )
  plans = await openPlans(file)
  world = await openWorld({ plans, plan: 'few_turns', script: reply('An answer.') })
  ;({ db, service, upstream } = world)
})
afterAll(() => world.close())

const keyOnPlan = async (plan: string) =>
  makeKey(db.database, (await makeAccount(db.database, plan, plans)).id, { reach: { kind: 'owner' } })

const ask = (key: string, text: string) => call(service, key, 'POST', '/v1/chat/completions', question(text))

test('every reply has the remaining requests, and a 429 has the seconds to wait', async () => {
  const key = await keyOnPlan('few_requests')
  const left: (string | null)[] = []
  for (let i = 0; i < 3; i += 1) {
    const response = await call(service, key, 'GET', '/v1/models')
    left.push(response.headers.get('x-ratelimit-remaining-requests'))
  }
  expect(left).toEqual(['2', '1', '0'])
  const refused = await call(service, key, 'GET', '/v1/models')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('3')
  expect(await refused.json()).toMatchObject({
    error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null },
  })
})

test('requests of one account do not count against another', async () => {
  const [one, two] = [await keyOnPlan('few_requests'), await keyOnPlan('few_requests')]
  for (let i = 0; i < 4; i += 1) await call(service, one, 'GET', '/v1/models')
  expect((await call(service, two, 'GET', '/v1/models')).status).toBe(200)
})

test('a replay is served although the turns of this minute are used up', async () => {
  const key = await keyOnPlan('few_turns')
  const send = () =>
    call(service, key, 'POST', '/v1/chat/completions', question('Once'), { 'idempotency-key': 'once' })
  const first = (await (await send()).json()) as { id: string }
  await ask(key, 'Twice')
  expect((await ask(key, 'Thrice')).status).toBe(429)
  expect(((await (await send()).json()) as { id: string }).id).toBe(first.id)
})

test('a turn beyond the places of the plan is refused before anything is written', async () => {
  const key = await keyOnPlan('one_at_once')
  const held = gate()
  upstream.enqueue([{ waitFor: held.opened }, { text: 'held' }])
  const asked = upstream.requests.length
  const running = ask(key, 'The first')
  await expect.poll(() => upstream.requests.length - asked).toBe(1)
  const refused = await ask(key, 'The second')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { code: 'too_many_concurrent_runs' } })
  held.open()
  expect((await running).status).toBe(200)
})

test('a turn without credits gets a 402 with balance and need, and asks no model', async () => {
  const key = await keyOnPlan('poor')
  const asked = upstream.requests.length
  const response = await ask(key, 'For nothing')
  expect(response.status).toBe(402)
  const { error } = (await response.json()) as { error: { type: string; code: string; message: string } }
  expect(error).toMatchObject({ type: 'billing_error', code: 'insufficient_credits' })
  expect(error.message).toMatch(/needs a hold of [\d.]+ credits.*has 0.*\d{4}-\d{2}-01/)
  expect(upstream.requests.length).toBe(asked)
  const sessions = await call(service, key, 'GET', '/v1/agent/sessions')
  expect(await sessions.json()).toMatchObject({ data: [] })
})

test('an address that sends wrong keys is limited; valid keys from there are not', async () => {
  const strict = await world.start({ invalidKeysPerMinute: 2 })
  const key = await keyOnPlan('few_turns')
  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1) statuses.push((await call(strict, 'svc_wrong', 'GET', '/v1/models')).status)
  expect(statuses).toEqual([401, 401, 429, 429])
  expect((await call(strict, key, 'GET', '/v1/models')).status).toBe(200)
})
