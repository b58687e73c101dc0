import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const secret = 'whsec_of_a_test'
let key: string
let shop: ReturnType<typeof spawn>
let url: string

const world = useWorld(unhurried)
beforeAll(async () => {
  const { id } = await makeAccount(world.db.database)
  await world.rows('update accounts set operator = true where id = $1', id)
  key = await makeKey(world.db.database, id, { scopes: ['accounts:manage'], reach: { kind: 'owner' } })
  const env = { BASE_URL: `${world.service.url}/v1`, API_KEY: key, STRIPE_WEBHOOK_SECRET: secret, PORT: '0' }
  shop = spawn(process.execPath, [path.resolve('examples/billing-stripe/server.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(shop.stdout!, 'data')
  url = `http://127.0.0.1:${/\d+/.exec(String(line))?.[0]}`
})
afterAll(async () => {
  shop.kill()
})

/** An event as Stripe sends it. */
function pay(object: object, signedWith = secret) {
  const body = JSON.stringify({ type: 'checkout.session.completed', data: { object } })
  const time = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', signedWith).update(`${time}.${body}`).digest('hex')
  return fetch(url, { method: 'POST', body, headers: { 'stripe-signature': `t=${time},v1=${signature}` } })
}

test('the example gives an account its credits once for a payment, and nothing for a forged one', async () => {
  const made = await bodyOf(call(world.service, key, 'POST', '/v1/accounts', { email: 'buyer@example.org' }))
  const credits = async () =>
    Number((await bodyOf(call(world.service, key, 'GET', `/v1/accounts/${made.id}`))).credits.available)
  const before = await credits()
  const session = {
    id: 'cs_test_1',
    payment_status: 'paid',
    metadata: { account_id: made.id, credits: '250' },
  }
  for (let n = 0; n < 3; n += 1) expect((await pay(session)).status).toBe(200)
  expect(await credits()).toBe(before + 250)
  expect((await pay({ ...session, id: 'cs_test_2' }, 'whsec_forged')).status).toBe(400)
  expect((await pay({ ...session, id: 'cs_test_3', payment_status: 'unpaid' })).status).toBe(200)
  expect(
    (await pay({ ...session, id: 'cs_test_4', metadata: { account_id: 'acct_none', credits: '1' } })).status,
  ).toBe(502)
  expect(await credits()).toBe(before + 250)
})
