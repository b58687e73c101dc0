import { generateSync } from 'otplib'
import { beforeAll, expect, test } from 'vitest'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { useAppCode } from '../../src/accounts/second-factor/authenticator-app.ts'
import { withTx } from '../../src/db/client.ts'
import { runLine } from '../support/command-line.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { pepperText } from '../support/world/accounts.ts'
import { accountOf, actionsOf } from '../support/world/person.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, service } = {} as World

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  ;({ db, service } = world)
})

const settings = '/settings/second-factor'
const secretIn = (text: string) => /id="secret">([^<]+)</.exec(text)?.[1]?.replaceAll(' ', '') ?? ''
const recoveryCodesIn = (text: string) => (/id="codes">([^<]+)</.exec(text)?.[1] ?? '').split('\n')
const codeOf = (secret: string) => generateSync({ secret })

type Owner = {
  readonly email: string
  readonly visitor: TestVisitor
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

let owners = 0

/** A code counts once, and a test has no time to wait for the next. */
async function forgetUse({ email }: Owner): Promise<void> {
  await world.rows(
    'update totp_secrets set last_period = 0 where account_id = $1',
    await accountOf(world, email),
  )
}

async function ownerWithApp(): Promise<Owner> {
  owners += 1
  const email = `factor-${owners}@example.org`
  const visitor = await signedUp(service, email)
  const secret = secretIn(await (await visitor.post(`${settings}/app`, { current: goodPassword })).text())
  const made = await visitor.post(`${settings}/app/confirm`, { code: codeOf(secret) })
  const owner = { email, visitor, secret, recoveryCodes: recoveryCodesIn(await made.text()) }
  await forgetUse(owner)
  return owner
}

async function withPassword({ email }: Owner, fields: Readonly<Record<string, string>> = {}) {
  const visitor = openVisitor(service)
  const response = await visitor.post('/signin', { email, password: goodPassword, ...fields })
  return { visitor, response }
}

const enter = (visitor: TestVisitor, code: string) => visitor.post('/signin/code', { code })
const isSignedIn = async (visitor: TestVisitor) => (await visitor.get('/settings/account')).status === 200

test('a closed account is kept only after its second factor', async () => {
  const owner = await ownerWithApp()
  await world.rows(
    `update accounts set suspended_at = now(), deletion_due_at = now() + interval '7 days' where id = $1`,
    await accountOf(world, owner.email),
  )
  const { visitor, response } = await withPassword(owner)
  expect(await response.text()).toContain('action="/signin/code"')
  expect((await visitor.post('/signin/keep', {})).headers.get('location')).toBe('/signin?ended=step')
  const again = await withPassword(owner)
  const proved = await enter(again.visitor, codeOf(owner.secret))
  expect(await proved.text()).toContain('action="/signin/keep"')
  expect(await isSignedIn(again.visitor)).toBe(false)
  expect(await actionsOf(world, owner.email)).not.toContain('account.deletion_taken_back')
  await again.visitor.post('/signin/keep', {})
  expect(await isSignedIn(again.visitor)).toBe(true)
  expect(await actionsOf(world, owner.email)).toContain('account.deletion_taken_back')
})

test('an app is set up by its first code, and a wrong code shows the same secret again', async () => {
  const visitor = await signedUp(service, 'setup@example.org')
  expect((await visitor.post(`${settings}/app`, { current: 'wrong' })).status).toBe(400)
  const page = await (await visitor.post(`${settings}/app`, { current: goodPassword })).text()
  expect(page).toContain('<svg')
  const secret = secretIn(page)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const refused = await visitor.post(`${settings}/app/confirm`, { code: '000000' })
  expect([refused.status, secretIn(await refused.text())]).toEqual([400, secret])
  expect(await (await visitor.get(settings)).text()).toContain('A password is enough')
  const made = await visitor.post(`${settings}/app/confirm`, { code: codeOf(secret) })
  const codes = recoveryCodesIn(await made.text())
  expect([codes.length, new Set(codes).size]).toEqual([10, 10])
  for (const code of codes) expect(code).toMatch(/^(?:[a-z2-9]{4}-?){4}$/)
  const shown = await (await visitor.get(settings)).text()
  for (const hidden of [secret, ...codes]) expect(shown).not.toContain(hidden)
  expect(await actionsOf(world, 'setup@example.org')).toEqual(['second_factor.app_added'])
})

test('a right password alone opens nothing, and the code opens the session', async () => {
  const owner = await ownerWithApp()
  const { visitor, response } = await withPassword(owner, { next: '/usage' })
  expect([response.status, visitor.cookies.has('session')]).toEqual([200, false])
  expect(await isSignedIn(visitor)).toBe(false)
  expect((await visitor.get('/settings/account')).headers.get('location')).toMatch(/^\/signin/)
  visitor.cookies.set('session', visitor.cookies.get('step') ?? '')
  expect(await isSignedIn(visitor)).toBe(false)
  const done = await visitor.post('/signin/code', { code: codeOf(owner.secret), next: '/usage' })
  expect([done.status, done.headers.get('location')]).toEqual([303, '/usage'])
  expect([await isSignedIn(visitor), visitor.cookies.has('step')]).toEqual([true, false])
  expect((await actionsOf(world, owner.email)).slice(1)).toEqual(['session.signed_in'])
})

test('a form that the sign-in interrupted comes back after the second step', async () => {
  const owner = await ownerWithApp()
  const kept = JSON.stringify({ action: '/projects', fields: [['name', 'Lamps of my street']] })
  const { visitor, response } = await withPassword(owner, { kept })
  expect(await response.text()).toContain('Lamps of my street')
  const done = await visitor.post('/signin/code', { code: codeOf(owner.secret), kept })
  expect(await done.text()).toContain('Lamps of my street')
})

test('a code is used once, also by two sign-ins at the same time', async () => {
  const owner = await ownerWithApp()
  const code = codeOf(owner.secret)
  const two = await Promise.all([withPassword(owner), withPassword(owner)])
  const statuses = await Promise.all(two.map(async ({ visitor }) => (await enter(visitor, code)).status))
  expect(statuses.toSorted()).toEqual([303, 400])
  const { visitor } = await withPassword(owner)
  expect((await enter(visitor, code)).status).toBe(400)
})

test('after five wrong codes the sign-in is over, and the right code does not help', async () => {
  const owner = await ownerWithApp()
  const { visitor } = await withPassword(owner)
  const step = visitor.cookies.get('step') ?? ''
  for (let n = 0; n < 5; n += 1) expect((await enter(visitor, '000000')).status).toBe(400)
  const over = await enter(visitor, codeOf(owner.secret))
  expect([over.status, over.headers.get('location')]).toEqual([303, '/signin?ended=step'])
  visitor.cookies.set('step', step)
  await enter(visitor, codeOf(owner.secret))
  expect(await isSignedIn(visitor)).toBe(false)
  expect(
    (await actionsOf(world, owner.email)).filter((action) => action === 'session.sign_in_failed'),
  ).toHaveLength(5)
})

test('guesses over many sign-ins meet the limit of the account', async () => {
  const owner = await ownerWithApp()
  const statuses: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const { visitor } = await withPassword(owner)
    for (let n = 0; n < 4; n += 1) statuses.push((await enter(visitor, '000000')).status)
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
})

test('a recovery code signs in once, however it is written', async () => {
  const owner = await ownerWithApp()
  const [code = ''] = owner.recoveryCodes
  const { visitor } = await withPassword(owner)
  expect((await enter(visitor, ` ${code.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(303)
  expect(await isSignedIn(visitor)).toBe(true)
  expect((await enter((await withPassword(owner)).visitor, code)).status).toBe(400)
  expect(await actionsOf(world, owner.email)).toContain('second_factor.recovery_code_used')
  expect(await (await visitor.get(settings)).text()).toContain('9 unused recovery codes')
})

test('a wrong password gets the same answer with and without a second factor', async () => {
  const owner = await ownerWithApp()
  await signedUp(service, 'without@example.org')
  const answer = async (email: string) => {
    const response = await openVisitor(service).post('/signin', { email, password: 'wrong' })
    const text = (await response.text()).replaceAll(/nonce="[^"]+"/g, '').replaceAll(email, '')
    return { status: response.status, cookies: response.headers.getSetCookie(), text }
  }
  const [one, ...others] = await Promise.all(
    [owner.email, 'without@example.org', 'nobody-there@example.org'].map(answer),
  )
  expect(one?.status).toBe(400)
  for (const other of others) expect(other).toEqual(one)
})

test('only a code turns the second factor off', async () => {
  const owner = await ownerWithApp()
  const { visitor } = owner
  for (const code of ['', '000000', goodPassword])
    expect((await visitor.post(`${settings}/off`, { code })).status).toBe(400)
  expect((await withPassword(owner)).response.status).toBe(200)
  expect((await visitor.post(`${settings}/off`, { code: codeOf(owner.secret) })).status).toBe(303)
  const { visitor: next, response } = await withPassword(owner)
  expect([response.status, await isSignedIn(next)]).toEqual([303, true])
  const left = `select 1 from totp_secrets where account_id = $1 union all select 1 from recovery_codes where account_id = $1`
  expect(await world.rows(left, await accountOf(world, owner.email))).toEqual([])
  expect((await actionsOf(world, owner.email)).filter((action) => action.startsWith('second'))).toEqual([
    'second_factor.app_added',
    'second_factor.removed',
  ])
})

test('new recovery codes end the old ones', async () => {
  const owner = await ownerWithApp()
  const [first = ''] = owner.recoveryCodes
  const made = await owner.visitor.post(`${settings}/codes`, { code: codeOf(owner.secret) })
  const [fresh = ''] = recoveryCodesIn(await made.text())
  expect((await enter((await withPassword(owner)).visitor, first)).status).toBe(400)
  expect((await enter((await withPassword(owner)).visitor, fresh)).status).toBe(303)
})

test('a new password ends a sign-in that waits for its code', async () => {
  const owner = await ownerWithApp()
  const { visitor } = await withPassword(owner)
  const next = 'another phrase of unrelated words'
  await owner.visitor.post('/settings/account/password', { current: goodPassword, next })
  expect((await enter(visitor, codeOf(owner.secret))).headers.get('location')).toBe('/signin?ended=step')
})

test('a suspended account is not let in by its code', async () => {
  const owner = await ownerWithApp()
  const { visitor } = await withPassword(owner)
  await world.rows('update accounts set suspended_at = now() where email = $1', owner.email)
  expect((await enter(visitor, codeOf(owner.secret))).status).toBe(403)
  expect(await isSignedIn(visitor)).toBe(false)
})

test('the database has neither the secret nor a recovery code', async () => {
  const owner = await ownerWithApp()
  await withPassword(owner)
  for (const table of ['totp_secrets', 'recovery_codes', 'sign_in_steps', 'audit_log']) {
    const rows = await world.rows<{ row: string }>(`select row_to_json(t)::text as row from ${table} t`)
    const stored = rows.map(({ row }) => row).join('\n')
    const written = [
      owner.secret,
      ...owner.recoveryCodes,
      ...owner.recoveryCodes.map((code) => code.replaceAll('-', '')),
    ]
    for (const text of written) {
      expect(stored).not.toContain(text)
      expect(stored).not.toContain(Buffer.from(text).toString('hex'))
    }
  }
})

test('a use moves the secret to the newest KEY_PEPPER', async () => {
  const owner = await ownerWithApp()
  const accountId = await accountOf(world, owner.email)
  const both = parsePeppers(`2:another pepper for tests,1:${pepperText}`)
  const use = (peppers: typeof both) =>
    withTx(db.database, 'system', (tx) => useAppCode(tx, peppers, accountId, codeOf(owner.secret)))
  expect(await use(both)).toBe(true)
  await forgetUse(owner)
  expect(await use(parsePeppers('2:another pepper for tests'))).toBe(true)
})

test('the command line resets a second factor, with an audit line', async () => {
  const owner = await ownerWithApp()
  await runLine(db, ['accounts', 'reset-second-factor', '--email', owner.email])
  const { visitor } = await withPassword(owner)
  expect(await isSignedIn(visitor)).toBe(true)
  const rows = await world.rows(
    `select actor from audit_log where action = 'second_factor.removed' and account_id = $1`,
    await accountOf(world, owner.email),
  )
  expect(rows).toEqual([{ actor: 'command line' }])
})
