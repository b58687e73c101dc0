import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { createResetLink, resetPassword } from '../../src/accounts/sign-in/password-reset.ts'
import { changePassword, signIn } from '../../src/accounts/sign-in/sign-in.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { makeKey } from '../support/world/accounts.ts'
import { accountOf } from '../support/world/person.ts'
import { openWorld, type World } from '../support/world/world.ts'

const email = 'forgetful@example.org'
const next = 'another phrase of unrelated words'

let world: World
let { db, service } = {} as World
let accountId: string
let signedIn: TestVisitor
const logged: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  world = await openWorld({ model: 'built-in', log })
  ;({ db, service } = world)
  signedIn = await signedUp(service, email)
  accountId = await accountOf(world, email)
})
afterAll(() => world.close())

const newLink = async () =>
  (await createResetLink(db.database.system, { actor: commandLine, accountId })).path
const open = async (path: string) => {
  const response = await openVisitor(service).get(path)
  return { status: response.status, text: await response.text(), headers: response.headers }
}
const set = (path: string, password: string) => openVisitor(service).post(path, { next: password })
const signsIn = async (password: string) => {
  const { status } = await openVisitor(service).post('/signin', { email, password })
  return status === 303
}

test('a reset link sets a password once, ends every session and leaves the keys', async () => {
  const key = await makeKey(db.database, accountId)
  const path = await newLink()
  const form = await open(path)
  expect(form.status).toBe(200)
  expect(form.text).toContain(email)
  expect(form.headers.get('referrer-policy')).toBe('no-referrer')
  expect(form.headers.get('cache-control')).toBe('no-store')
  const done = await set(path, next)
  expect([done.status, done.headers.get('location')]).toEqual([303, '/signin?done=reset'])
  expect(done.headers.getSetCookie()).toEqual([])
  expect((await signedIn.get('/projects')).headers.get('location')).toMatch(/^\/signin/)
  expect([await signsIn(goodPassword), await signsIn(next)]).toEqual([false, true])
  expect((await set(path, goodPassword)).status).toBe(404)
  expect((await open(path)).status).toBe(404)
  expect(await signsIn(next)).toBe(true)
  const answer = await fetch(`${service.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  expect(await answer.json()).toMatchObject({ error: { code: 'plan_without_api_access' } })
})

test('a used, replaced, expired or unknown reset link gets one and the same answer', async () => {
  const used = await newLink()
  expect((await set(used, next)).status).toBe(303)
  const replaced = await newLink()
  const expired = await newLink()
  await world.rows(`update password_resets set expires_at = now()`)
  const never = `/reset-password/${'x'.repeat(43)}`
  const comparable = async (path: string) => {
    const { status, text, headers } = await open(path)
    const rest = [...headers].filter(([name]) => !/^(date|x-request-id|content-security-policy)$/.test(name))
    return { status, text: text.replaceAll(/nonce="[^"]+"/g, 'nonce'), rest }
  }
  const first = await comparable(never)
  expect(first.status).toBe(404)
  for (const path of [used, replaced, expired, '/reset-password/x', '/reset-password/%20'])
    expect(await comparable(path)).toEqual(first)
  for (const path of [used, replaced, expired]) expect((await set(path, goodPassword)).status).toBe(404)
  expect(await signsIn(goodPassword)).toBe(false)
})

test('a password that is refused at sign-up is refused here, and the link still works', async () => {
  const path = await newLink()
  for (const weak of ['short', 'password1', email, 'x'.repeat(201)]) {
    const refused = await set(path, weak)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('<form')
  }
  expect((await set(path, next)).status).toBe(303)
})

test('two people who use one link at once: one of them sets the password', async () => {
  const path = await newLink()
  const passwords = ['first phrase of some words', 'second phrase of some words']
  const statuses = await Promise.all(passwords.map(async (password) => (await set(path, password)).status))
  expect(statuses.toSorted()).toEqual([303, 404])
  expect(await signsIn(passwords[statuses.indexOf(303)] ?? '')).toBe(true)
  expect(await signsIn(passwords[statuses.indexOf(404)] ?? '')).toBe(false)
  expect((await set(await newLink(), next)).status).toBe(303)
})

test('a password changed under Settings ends the open link', async () => {
  const path = await newLink()
  const visitor = openVisitor(service)
  await visitor.post('/signin', { email, password: next })
  const changed = await visitor.post('/settings/account/password', { current: next, next: goodPassword })
  expect(changed.status).toBe(303)
  expect((await open(path)).status).toBe(404)
  expect((await set(await newLink(), next)).status).toBe(303)
})

test('a sign-in and a change with the old password that meet a reset come to nothing', async () => {
  const token = (await newLink()).split('/').at(-1) ?? ''
  // The password is compared outside of any transaction: between that and its end the reset is committed.
  const held = await db.database.systemPool.connect()
  await held.query('begin')
  await held.query('select 1 from accounts where id = $1 for update', [accountId])
  const account = {
    id: accountId,
    email,
    plan: 'free',
    operator: false,
    suspendedAt: null,
    deletionDueAt: null,
    legalHoldAt: null,
    legalHoldReason: '',
    createdAt: new Date(),
  }
  const entering = signIn(db.database, { email, password: next, address: '192.0.2.1', agent: '' })
  const change = { current: next, next: 'a third phrase of four words', token: 'x' }
  const changing = changePassword(db.database, account, change)
  const settled = Promise.allSettled([entering, changing])
  const waiting = () =>
    db.database.systemPool
      .query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%accounts%'`)
      .then(({ rowCount }) => rowCount)
  await expect.poll(waiting).toBe(2)
  await held.query(`update accounts set password_hash = 'another' where id = $1`, [accountId])
  await held.query('commit')
  held.release()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await resetPassword(db.database, token, next)
  expect(await signsIn(next)).toBe(true)
})

test('neither the database nor the log has a token, and the route is logged without it', async () => {
  const path = await newLink()
  const token = path.split('/').at(-1) ?? ''
  await open(path)
  await set(path, 'short')
  const rows = await world.rows<{ row: string }>(
    `select row_to_json(r)::text as row from password_resets r union all select row_to_json(a)::text from audit_log a`,
  )
  expect(rows.length).toBeGreaterThan(1)
  const hex = Buffer.from(token, 'base64url').toString('hex')
  for (const { row } of rows) for (const text of [token, hex]) expect(row).not.toContain(text)
  await expect.poll(() => logged.join('')).toContain('"/reset-password/:token"')
  expect(logged.join('')).not.toContain(token)
})

test('requests for reset links from one address are limited', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 40; i += 1) statuses.push((await open(`/reset-password/${i}`)).status)
  expect(statuses.at(-1)).toBe(429)
  expect((await set(await newLink(), next)).status).toBe(429)
})
