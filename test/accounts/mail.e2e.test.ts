import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { type Mailer, openMailer } from '../../src/mail/mailer.ts'
import { sendNotices } from '../../src/notices/notices.ts'
import { linkIn, type Mailbox, openMailbox, plainTextOf } from '../support/mailbox.ts'
import { goodPassword, openVisitor, type TestVisitor } from '../support/visitor.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let { db, service } = {} as World
let mailbox: Mailbox
let mailer: Mailer
const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })

beforeAll(async () => {
  mailbox = await openMailbox()
  const settings = { from: 'Lamps <lamps@example.org>', appUrl: 'https://lamps.example', product: 'Lamps' }
  mailer = await openMailer({ ...settings, smtpUrl: mailbox.url }, log)
  world = await openWorld({ model: 'built-in', log, web: { mailer } })
  ;({ db, service } = world)
})
afterAll(async () => {
  await world.close()
  await mailer.close()
  await mailbox.close()
})

const accountsOf = async (email: string) =>
  (await db.database.systemPool.query('select id from accounts where email = $1', [email])).rowCount

/** A new account through the form and the letter. */
async function confirmed(email: string): Promise<TestVisitor> {
  const visitor = openVisitor(service)
  await visitor.post('/signup', { email, password: goodPassword })
  const path = linkIn(await mailbox.take(email))
  const done = await visitor.post(path, {})
  expect(done.status).toBe(303)
  return visitor
}

const comparable = async (response: Response) => ({
  status: response.status,
  text: (await response.text()).replaceAll(/nonce="[^"]+"/g, 'nonce'),
})

test('a sign-up makes the account only when its letter is followed, and leads where the visitor wanted to go', async () => {
  const email = 'new@example.org'
  const visitor = openVisitor(service)
  const reply = await visitor.post('/signup', { email, password: goodPassword, next: '/library' })
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('Check your mail')])
  const letter = await mailbox.take(email)
  expect(await accountsOf(email)).toBe(0)
  expect(letter.source).toMatch(/^From: Lamps <lamps@example\.org>/m)
  expect(letter.source).toMatch(/^Subject: Confirm your address for Lamps/m)
  const path = linkIn(letter)
  // Programs that read mail open each link.
  expect((await openVisitor(service).get(path)).status).toBe(200)
  expect(await accountsOf(email)).toBe(0)
  const done = await visitor.post(path, {})
  expect([done.status, done.headers.get('location')]).toEqual([303, '/library'])
  expect((await visitor.get('/settings/keys')).status).toBe(200)
  expect((await openVisitor(service).post(path, {})).status).toBe(404)
})

test('nobody learns from a sign-up or a forgotten password whether an address has an account', async () => {
  await confirmed('known@example.org')
  const ask = async (path: string, email: string) =>
    comparable(await openVisitor(service).post(path, { email, password: goodPassword }))
  for (const path of ['/signup', '/forgot-password'])
    expect(await ask(path, 'known@example.org')).toEqual(await ask(path, 'stranger@example.org'))
  expect(plainTextOf(await mailbox.take('known@example.org'))).toContain('It has one already')
})

test('a forgotten password is set by the letter, in the language of the pages', async () => {
  const email = 'forgetful@example.org'
  await confirmed(email)
  const hebrew = openVisitor(service)
  hebrew.cookies.set('language', 'he')
  await hebrew.post('/signin', { email, password: goodPassword })
  expect(plainTextOf(await mailbox.take(email))).toContain('דפדפן שלא היה מוכר')
  await openVisitor(service).post('/forgot-password', { email })
  const letter = await mailbox.take(email)
  expect(plainTextOf(letter)).toContain('קביעת סיסמה חדשה')
  expect(letter.source).toContain('dir=3D"rtl"')
  const next = 'another phrase of unrelated words'
  const done = await openVisitor(service).post(linkIn(letter), { next })
  expect(done.status).toBe(303)
  expect((await openVisitor(service).post('/signin', { email, password: next })).status).toBe(303)
})

test('an address changes only by the password and the letter to the new one, and the old one is told', async () => {
  const visitor = await confirmed('old@example.org')
  const change = { email: 'moved@example.org', current: 'wrong' }
  expect((await visitor.post('/settings/account/address', change)).status).toBe(400)
  const asked = await visitor.post('/settings/account/address', { ...change, current: goodPassword })
  expect(asked.headers.get('location')).toBe('/settings/account?done=address-sent')
  const path = linkIn(await mailbox.take('moved@example.org'))
  expect(await accountsOf('old@example.org')).toBe(1)
  expect((await visitor.post(path, {})).headers.get('location')).toBe('/signin?done=address')
  expect([await accountsOf('old@example.org'), await accountsOf('moved@example.org')]).toEqual([0, 1])
  expect(plainTextOf(await mailbox.take('old@example.org'))).toContain('no longer belongs')
})

test('an address that another account gets meanwhile is refused, and the link of the other stays', async () => {
  const visitor = await confirmed('first@example.org')
  const wanted = { email: 'wanted@example.org', current: goodPassword }
  await visitor.post('/settings/account/address', wanted)
  const path = linkIn(await mailbox.take(wanted.email))
  await createAccount(db.database.system, builtInPlans, { ...wanted, plan: 'free', password: goodPassword })
  const refused = await visitor.post(path, {})
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('exists already')])
  expect(await accountsOf('first@example.org')).toBe(1)
})

test('one address gets at most five letters with a link in an hour', async () => {
  const email = 'flooded@example.org'
  for (let n = 0; n < 7; n += 1) await openVisitor(service).post('/signup', { email, password: goodPassword })
  for (let n = 0; n < 5; n += 1) await mailbox.take(email)
  await openVisitor(service).post('/signup', { email: 'next@example.org', password: goodPassword })
  await mailbox.take('next@example.org')
  expect(mailbox.letters.filter(({ to }) => to === email)).toHaveLength(5)
})

test('a letter that the server refuses for now is sent again', async () => {
  mailbox.refuse(451, 1)
  await openVisitor(service).post('/signup', { email: 'later@example.org', password: goodPassword })
  expect(linkIn(await mailbox.take('later@example.org'))).toMatch(/^\/confirm\//)
})

test('keys that expire soon and few credits are told once, and again after a failure', async () => {
  const { id: accountId, email } = await makeAccount(db.database, 'pro')
  await makeKey(db.database, accountId)
  await world.rows(
    `update api_keys set name = 'Lamp <1>', expires_at = now() + interval '3 days' where account_id = $1`,
    accountId,
  )
  await world.rows(
    `update accounts set allowance_month = date_trunc('month', now() at time zone 'UTC')::date where id = $1`,
    accountId,
  )
  const round = () =>
    sendNotices({ database: db.database, library: db.database, mailer, plans: builtInPlans, log })
  mailbox.refuse(550, 2)
  expect(await round()).toBe(0)
  expect(await round()).toBe(2)
  const letters = [await mailbox.take(email), await mailbox.take(email)]
  const texts = letters.map(plainTextOf).join('\n')
  expect(texts).toContain('“Lamp <1>”')
  expect(texts).toContain('0 credits left')
  expect(await round()).toBe(0)
})

test('neither tokens nor addresses reach the database in clear or the log', async () => {
  await openVisitor(service).post('/signup', { email: 'secret@example.org', password: goodPassword })
  const token =
    linkIn(await mailbox.take('secret@example.org'))
      .split('/')
      .at(-1) ?? ''
  mailbox.refuse(550, 1)
  await openVisitor(service).post('/signup', { email: 'refused@example.org', password: goodPassword })
  await expect.poll(() => logged.join('\n')).toContain('a letter could not be sent')
  const rows = await world.rows<{ row: string }>('select row_to_json(l)::text as row from mailed_links l')
  expect(rows.map(({ row }) => row).join('\n')).not.toContain(token)
  expect(logged.join('\n')).not.toContain(token)
  expect(logged.join('\n')).not.toContain('refused@example.org')
})

test('an invitation is mailed to its address alone, and its link makes the account without another letter', async () => {
  const owner = await confirmed('inviter@example.org')
  const invite = (fields: Readonly<Record<string, string>>) =>
    owner.post('/settings/members/invite', { role: 'member', ...fields })
  const reply = await invite({ email: 'invited@example.org' })
  expect(reply.headers.get('location')).toBe('/settings/members?done=invited')
  const letter = await mailbox.take('invited@example.org')
  expect(letter.source).toMatch(/^Subject: inviter@example\.org invites you to an account of Lamps/m)
  expect(letter.source).toContain('text/html')
  const link = linkIn(letter)
  const guest = openVisitor(service)
  expect((await guest.post(`${link}/account`, { password: goodPassword })).status).toBe(303)
  expect(await (await guest.get('/ask')).text()).toContain('inviter@example.org')

  await owner.post('/preferences', { language: 'he' })
  await invite({ email: 'invited-2@example.org' })
  expect(plainTextOf(await mailbox.take('invited-2@example.org'))).toContain(
    'קיבלת הזמנה מאת inviter@example.org',
  )
})

test('a link that was not mailed makes no account: it does not show whose address it is', async () => {
  const { id } = await makeAccount(db.database)
  const key = await makeKey(db.database, id, { scopes: ['account:manage'], reach: { kind: 'owner' } })
  const body = { email: 'unproven@example.org', role: 'member' }
  const made = await bodyOf(call(service, key, 'POST', '/v1/invitations', body))
  const { data } = await bodyOf(call(service, key, 'GET', '/v1/invitations'))
  expect(data).toMatchObject([{ id: made.id, email: body.email }])
  const link = new URL(made.url).pathname
  const guest = openVisitor(service)
  expect(await (await guest.get(link)).text()).not.toContain('type="password"')
  expect((await guest.post(`${link}/account`, { password: goodPassword })).status).toBe(404)
  expect(await accountsOf('unproven@example.org')).toBe(0)
})
