import { afterAll, beforeAll, expect, test } from 'vitest'
import { listKeys, revokeKey } from '../../src/accounts/keys/keys.ts'
import { callTools, gate, reply } from '../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let { db, upstream, service } = {} as World

beforeAll(async () => {
  world = await openWorld()
  ;({ db, upstream, service } = world)
  upstream.setDefault(() => reply('never asked for'))
})
afterAll(async () => {
  await world.close()
})

test('a turn whose key is revoked stops before its next model call and pays its steps', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const key = await makeKey(db.database, accountId)
  const held = gate()
  const [toolStep] = callTools([{ name: 'list_files', arguments: {} }])
  if (!toolStep) throw new Error('the script has no action')
  upstream.enqueue([{ waitFor: held.opened }, toolStep])
  const asked = upstream.requests.length
  const running = call(service, key, 'POST', '/v1/chat/completions', question('List the files'))
  await expect.poll(() => upstream.requests.length - asked, { timeout: 10_000 }).toBe(1)
  const [info] = await listKeys(db.database.system, accountId)
  await revokeKey(db.database.system, info?.id ?? '')
  held.open()
  const body = (await (await running).json()) as { usage: { cost: number }; x_service: { status: string } }
  expect(body.x_service.status).toBe('cancelled')
  expect(body.usage.cost).toBeGreaterThan(0)
  expect(upstream.requests.length - asked).toBe(1)
  expect((await call(service, key, 'GET', '/v1/models')).status).toBe(401)
})

test('a turn that runs out of credits ends with `length` and says so', async () => {
  const { id: accountId } = await makeAccount(db.database, 'basic')
  const key = await makeKey(db.database, accountId)
  const usage = { prompt_tokens: 10, completion_tokens: 200_000 }
  upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }], { usage }))
  const asked = upstream.requests.length
  const response = await call(service, key, 'POST', '/v1/chat/completions', question('Costly'))
  const body = (await response.json()) as {
    choices: { finish_reason: string; message: { content: string } }[]
  }
  expect(body.choices[0]?.finish_reason).toBe('length')
  expect(body.choices[0]?.message.content).toMatch(/credits/)
  expect(upstream.requests.length - asked).toBe(1)
})
