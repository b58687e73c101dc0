import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkInvariants } from '../support/invariants.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let manager: string
let operator: string
let operatorId: string

const world = useWorld({ ...unhurried, script: [{ text: 'An answer.' }] })
beforeAll(async () => {
  manager = await makeKey(world.db.database, world.accountId, {
    scopes: ['account:manage'],
    reach: { kind: 'owner' },
  })
  operatorId = (await makeAccount(world.db.database)).id
  await world.rows('update accounts set operator = true where id = $1', operatorId)
  operator = await makeKey(world.db.database, operatorId, {
    scopes: ['accounts:manage'],
    reach: { kind: 'owner' },
  })
})

const send = (key: string, method: string, path: string, body?: unknown, headers = {}) =>
  call(world.service, key, method, path, body, headers)
const done = async (key: string, method: string, path: string, body?: unknown, headers = {}) => {
  const reply = await send(key, method, path, body, headers)
  const read = await bodyOf(reply)
  expect({ path, status: reply.status, error: read.error }).toEqual({ path, status: 200, error: undefined })
  return read
}
const refused = async (key: string, method: string, path: string, body?: unknown, headers = {}) => {
  const reply = await send(key, method, path, body, headers)
  const { error } = await bodyOf(reply)
  return { status: reply.status, code: error?.code, param: error?.param }
}

describe('keys', () => {
  test('a program creates a key, limits it, replaces it and revokes it', async () => {
    const made = await done(manager, 'POST', '/v1/keys', {
      name: 'Shop',
      day_cap: '5',
      requests_per_minute: 30,
    })
    expect(made).toMatchObject({
      name: 'Shop',
      access: 'dedicated',
      state: 'active',
      day_cap: '5',
      month_cap: null,
    })
    await done(made.key, 'POST', '/v1/chat/completions', question('First?'))

    const changed = await done(manager, 'PATCH', `/v1/keys/${made.id}`, { day_cap: null, month_cap: '20' })
    expect(changed).toMatchObject({ day_cap: null, month_cap: '20', requests_per_minute: 30, name: 'Shop' })
    expect(changed.key).toBeUndefined()

    const next = await done(manager, 'POST', `/v1/keys/${made.id}/rotate`, { grace_hours: 1 })
    expect(next).toMatchObject({ name: 'Shop', month_cap: '20' })
    const old = await done(manager, 'GET', `/v1/keys/${made.id}`)
    expect(old.expires_at - Math.floor(Date.now() / 1_000)).toBeGreaterThan(3_500)
    await done(made.key, 'GET', '/v1/models')
    const last = await done(manager, 'POST', `/v1/keys/${next.id}/rotate`)
    expect((await send(next.key, 'GET', '/v1/models')).status).toBe(401)
    // The successor reads what its predecessor wrote.
    expect(last.project_id).toBe(old.project_id)

    expect((await done(manager, 'DELETE', `/v1/keys/${last.id}`)).state).toBe('revoked')
    expect((await send(last.key, 'GET', '/v1/models')).status).toBe(401)
    const { data } = await done(manager, 'GET', '/v1/keys?state=revoked')
    expect(data.map(({ id }: { id: string }) => id)).toContain(last.id)
  })

  test('the same request with its Idempotency-Key makes one key, and does not tell it again', async () => {
    const headers = { 'idempotency-key': 'order 1' }
    const first = await done(manager, 'POST', '/v1/keys', { name: 'Once' }, headers)
    const [again, meanwhile] = await Promise.all([
      done(manager, 'POST', '/v1/keys', { name: 'Once' }, headers),
      done(manager, 'POST', '/v1/keys', { name: 'Once' }, headers),
    ])
    expect([again.id, meanwhile.id, again.key]).toEqual([first.id, first.id, undefined])
    expect(await refused(manager, 'POST', '/v1/keys', { name: 'Other' }, headers)).toMatchObject({
      code: 'idempotency_key_reused',
    })
    const { rows } = await world.db.database.system.execute(
      sql`select reply::text as reply from management_requests`,
    )
    expect(JSON.stringify(rows)).not.toContain(first.key)
  })

  test('keys of other accounts, keys that are bound to a project, and keys without the scope reach nothing', async () => {
    const { data } = await done(manager, 'GET', '/v1/keys')
    const [{ id }] = data
    const stranger = await makeKey(world.db.database, operatorId, {
      scopes: ['account:manage'],
      reach: { kind: 'owner' },
    })
    expect(await refused(stranger, 'GET', `/v1/keys/${id}`)).toMatchObject({ status: 404 })
    expect(await refused(world.key, 'GET', '/v1/keys')).toMatchObject({ status: 403, code: 'missing_scope' })
    expect(
      await refused(manager, 'POST', '/v1/keys', { name: 'Wide', scopes: ['account:manage'] }),
    ).toMatchObject({ param: 'scopes' })
    const wide = { name: 'Wide', scopes: ['accounts:manage'], access: 'owner' }
    expect(await refused(manager, 'POST', '/v1/keys', wide)).toMatchObject({ code: 'missing_scope' })
  })

  test.each([
    ['day_cap', { day_cap: '0' }],
    ['month_cap', { month_cap: 'many' }],
    ['project_id', { access: 'project' }],
    ['project_id', { project_id: 'proj_x' }],
    ['expires', { expires_at: 1 }],
  ])('a wrong value is refused by the name of its field, here %s', async (param, wrong) => {
    expect(await refused(manager, 'POST', '/v1/keys', { name: 'Wrong', ...wrong })).toMatchObject({
      status: 400,
      param,
    })
  })
})

describe('accounts', () => {
  test('a shop opens an account, sells it credits once, and changes its plan', async () => {
    const made = await done(operator, 'POST', '/v1/accounts', { email: 'Buyer@example.org', plan: 'basic' })
    expect(made).toMatchObject({ email: 'buyer@example.org', plan: 'basic', suspended: false })
    expect((await fetch(made.password_link)).status).toBe(200)
    const path = `/v1/accounts/${made.id}`
    const before = Number((await done(operator, 'GET', path)).credits.available)
    const payment = { 'idempotency-key': 'pi_123' }
    for (let n = 0; n < 3; n += 1) await done(operator, 'POST', `${path}/credits`, { amount: '250' }, payment)
    expect(Number((await done(operator, 'GET', path)).credits.available)).toBe(before + 250)
    await done(operator, 'POST', `${path}/credits`, { amount: '-50' })
    expect(Number((await done(operator, 'GET', path)).credits.available)).toBe(before + 200)
    expect(await refused(operator, 'POST', `${path}/credits`, { amount: '-99999999' })).toMatchObject({
      param: 'amount',
    })
    expect(await done(operator, 'PATCH', path, { plan: 'pro', suspended: true })).toMatchObject({
      plan: 'pro',
      suspended: true,
    })
    expect(await done(operator, 'PATCH', path, { suspended: false })).toMatchObject({ suspended: false })
    await done(operator, 'DELETE', path)
    expect(await refused(operator, 'GET', path)).toMatchObject({ status: 404 })
    expect(await checkInvariants(world.db.database)).toEqual([])
  })

  test('payments that arrive twice at the same time give credits once', async () => {
    const { id } = await done(operator, 'POST', '/v1/accounts', { email: 'twice@example.org' })
    const pay = () =>
      done(operator, 'POST', `/v1/accounts/${id}/credits`, { amount: '10' }, { 'idempotency-key': 'pi_9' })
    const replies = await Promise.all(Array.from({ length: 8 }, pay))
    expect(new Set(replies.map(({ credits }) => credits.available)).size).toBe(1)
    const { rows } = await world.db.database.system.execute(
      sql`select count(*)::int as n from ledger where account_id = ${id} and kind = 'grant'`,
    )
    expect(rows).toEqual([{ n: 1 }])
  })

  test('the scope works for accounts of operators only, at every request', async () => {
    const key = await makeKey(world.db.database, world.accountId, {
      scopes: ['accounts:manage'],
      reach: { kind: 'owner' },
    })
    for (const [method, path] of [
      ['GET', '/v1/accounts'],
      ['GET', `/v1/accounts/${operatorId}`],
      ['DELETE', `/v1/accounts/${operatorId}`],
    ] as const)
      expect(await refused(key, method, path)).toMatchObject({ status: 403, code: 'missing_scope' })
  })
})

describe('webhook endpoints', () => {
  test('an endpoint is made, changed, tested, read and deleted', async () => {
    const url = 'https://hooks.example.org/a'
    const made = await done(manager, 'POST', '/v1/webhook_endpoints', { url, events: ['run.completed'] })
    expect(made).toMatchObject({ url, enabled: true, secret: expect.stringMatching(/^whsec_[\w+/]+=*$/) })
    const path = `/v1/webhook_endpoints/${made.id}`
    expect((await done(manager, 'GET', path)).secret).toBeUndefined()
    expect(await done(manager, 'PATCH', path, { enabled: false })).toMatchObject({
      enabled: false,
      events: ['run.completed'],
    })
    const rows = await world.rows(
      `select details from audit_log where action = 'webhook.changed' and account_id = $1`,
      world.accountId,
    )
    expect(rows).toEqual([{ details: { endpoint: made.id, fields: 'disabled' } }])
    const rotated = await done(manager, 'POST', `${path}/rotate_secret`)
    expect(rotated.secret).not.toBe(made.secret)
    await done(manager, 'POST', `${path}/test`)
    const { data } = await done(manager, 'GET', `${path}/deliveries`)
    expect(data).toMatchObject([{ type: 'webhook.test', state: 'pending', attempts: 0 }])
    await done(manager, 'POST', `${path}/deliveries/${data[0].id}/send`)
    expect(await refused(manager, 'POST', `${path}/deliveries/1x/send`)).toMatchObject({
      status: 404,
      param: 'delivery',
    })
    expect((await done(manager, 'GET', '/v1/webhook_endpoints')).data).toHaveLength(1)
    await done(manager, 'DELETE', path)
    expect(await refused(manager, 'GET', path)).toMatchObject({ status: 404 })
  })

  test.each([
    ['url', { url: 'http://hooks.example.org/' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['events[0]', { events: ['run.none'] }],
    ['project_id', { project_id: 'proj_none' }],
  ])('a wrong value is refused by the name of its field, here %s', async (param, wrong) => {
    const body = { url: 'https://hooks.example.org/', events: ['run.failed'], ...wrong }
    expect(await refused(manager, 'POST', '/v1/webhook_endpoints', body)).toMatchObject({ param })
  })
})
