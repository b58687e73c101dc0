import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { setBudget } from '../../src/billing/budgets.ts'
import { sendNotices } from '../../src/notices/notices.ts'
import { createEndpoint, webhookEvents } from '../../src/webhooks/endpoints.ts'
import { makeKey, testPeppers } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

const system = () => world.db.database.system
const log = pino({ level: 'silent' })

const world = useWorld({ ...unhurried, script: [{ text: 'An answer.' }] })
beforeAll(async () => {
  await createEndpoint(
    system(),
    testPeppers,
    { accountId: world.accountId },
    { url: 'https://hooks.example.org/', events: webhookEvents, projectId: null },
    false,
  )
})

/** A round without mail: what it tells by webhooks. */
async function told() {
  await system().execute(sql`delete from webhook_deliveries`)
  const { database } = world.db
  await sendNotices({ database, library: database, mailer: undefined, plans: builtInPlans, log })
  const { rows } = await system().execute<{ body: string }>(
    sql`select body from webhook_deliveries order by id`,
  )
  return rows.map(({ body }) => {
    const { type, data } = JSON.parse(body)
    return { type, ...data }
  })
}

test('a key that expires soon is told once', async () => {
  await makeKey(world.db.database, world.accountId, { expiresAt: new Date(Date.now() + 86_400_000) })
  expect(await told()).toMatchObject([
    { type: 'key.expiring', name: 'test', key_id: expect.stringMatching(/^key_/) },
  ])
  expect(await told()).toEqual([])
})

test('a budget of the account and a cap of a key are told at 80 % and at 100 %, each once', async () => {
  const key = await makeKey(world.db.database, world.accountId)
  await call(world.service, key, 'POST', '/v1/chat/completions', question('Spend'))
  const charged = await system().execute<{ micros: string }>(
    sql`select (-sum(allowance_micros + granted_micros))::text as micros from ledger where kind = 'charge'`,
  )
  const spent = BigInt(charged.rows[0]?.micros ?? 0)
  const set = (micros: bigint) =>
    setBudget(system(), world.accountId, { projectId: '', period: 'month', micros })
  await set(spent * 2n)
  expect(await told()).toEqual([])
  await set((spent * 100n) / 85n)
  expect(await told()).toMatchObject([
    { type: 'budget.reached', scope: 'account', period: 'month', percent: 80 },
  ])
  expect(await told()).toEqual([])
  await set(spent)
  expect(await told()).toMatchObject([{ percent: 100, limit: expect.any(String) }])
  await system().execute(
    sql`update api_keys set total_cap_micros = ${spent} where id in (select key_id from key_spending)`,
  )
  expect(await told()).toMatchObject([
    { type: 'budget.reached', scope: 'key', period: 'total', percent: 100, name: 'test' },
  ])
  expect(await told()).toEqual([])
})

test('an import that ended is told to operators', async () => {
  await system().execute(sql`insert into library_jobs (id, collection, run_by, status, requested_by, finished_at)
    values ('ljob_x', 'tanya', 'command', 'done', 'command line', now())`)
  expect(await told()).toEqual([])
  await system().execute(sql`update accounts set operator = true where id = ${world.accountId}`)
  expect(await told()).toMatchObject([
    { type: 'import.finished', id: 'ljob_x', collection: 'tanya', status: 'done' },
  ])
  expect(await told()).toEqual([])
})
