import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openProviders, type Provider } from '../../src/accounts/providers/providers.ts'
import type { ProviderEntry } from '../../src/accounts/providers/providers-file.ts'
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity-provider.ts'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { actionsOf } from '../support/world/person.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld, type World } from '../support/world/world.ts'

const rules: Provider['rules'] = {
  allowedDomains: undefined,
  createAccounts: 'as_signup',
  trustEmail: false,
  operators: undefined,
  plans: undefined,
}

let world: World
let { service } = {} as World
let idp: IdentityProvider
/** Services with a closed sign-up, and with one for addresses of other.example. */
let closed: TestService
let ofDomain: TestService
const providers = new Map<string, Provider>()
const logged: string[] = []

const entryOf = (own: Partial<ProviderEntry> = {}): ProviderEntry => ({
  ...{ id: 'school', label: 'School <b>', issuer: idp.issuer, clientId, clientSecret, rules },
  scopes: ['openid', 'email'],
  ...own,
})

/** The rules that a test needs; the next one begins with the defaults. */
function use(own: Partial<Provider['rules']> = {}): void {
  const entries = [
    entryOf({ rules: { ...rules, ...own } }),
    entryOf({ id: 'down', label: 'Down', issuer: 'http://127.0.0.1:9' }),
  ]
  for (const [id, provider] of openProviders(entries)) providers.set(id, provider)
}

beforeAll(async () => {
  idp = await startIdentityProvider()
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  world = await openWorld({ model: 'built-in', web: { providers }, log })
  ;({ service } = world)
  closed = await world.start({ model: 'built-in', web: { providers, signUp: 'closed' } })
  ofDomain = await world.start({ model: 'built-in', web: { providers, signUpDomains: ['other.example'] } })
  idp.serve([service, closed, ofDomain].map(({ url }) => `${url}/signin/with/school/callback`))
})
beforeEach(() => void use())
afterAll(async () => {
  await world?.close()
  await idp?.close()
})

const addressIn = (response: Response) => response.headers.get('refresh')?.replace('0; url=', '') ?? ''
const begin = async (visitor: TestVisitor, fields = {}) =>
  addressIn(await visitor.post('/signin/with/school', fields))

async function signIn(login: string, visitor = openVisitor(service), fields = {}) {
  const back = await idp.signIn(await begin(visitor, fields), login)
  const response = await visitor.get(back)
  return { visitor, response, back }
}

const person = (login: string, claims: Readonly<Record<string, unknown>> = {}) =>
  idp.people.set(login, { email: `${login}@school.example`, email_verified: true, ...claims })

type Row = {
  readonly id: string
  readonly plan: string
  readonly operator: boolean
  readonly password_hash: string
}

async function accountOf(email: string): Promise<Row | undefined> {
  const rows = await world.rows<Row>(
    'select id, plan, operator, password_hash from accounts where email = $1',
    email,
  )
  return rows[0]
}

async function emailOf(visitor: TestVisitor): Promise<string | undefined> {
  return /<bdi>([^<@]+@[^<]+)<\/bdi>/.exec(await (await visitor.get('/settings/account')).text())?.[1]
}

test('a first sign-in makes an account without a password, and a later one with another address enters it', async () => {
  person('alice')
  expect(await (await openVisitor(service).get('/signin')).text()).toContain('Sign in with School &lt;b&gt;')
  const first = await signIn('alice', openVisitor(service), { next: '/usage' })
  expect([first.response.status, first.response.headers.get('location')]).toEqual([303, '/usage'])
  expect(await emailOf(first.visitor)).toBe('alice@school.example')
  expect((await accountOf('alice@school.example'))?.password_hash).toBe('none')
  person('alice', { email: 'married@school.example' })
  const second = await signIn('alice')
  expect(await emailOf(second.visitor)).toBe('alice@school.example')
  expect(await actionsOf(world, 'alice@school.example')).toEqual([
    'identity.added',
    'session.signed_in',
    'session.signed_in',
  ])
})

test('a form that the sign-in interrupted comes back after the provider', async () => {
  person('writer')
  const kept = JSON.stringify({ action: '/projects', fields: [['name', 'Lamps of my street']] })
  const { response } = await signIn('writer', openVisitor(service), { kept })
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('Lamps of my street'),
  ])
})

test('two first sign-ins of one person at the same time make one account', async () => {
  person('twice')
  const two = await Promise.all([signIn('twice'), signIn('twice')])
  for (const { visitor } of two) expect(await emailOf(visitor)).toBe('twice@school.example')
})

test('an address never leads to the account that has it, until its owner connects the provider', async () => {
  const email = 'owner@school.example'
  const owner = await signedUp(service, email)
  person('owner')
  const refused = await signIn('owner')
  expect([refused.response.status, refused.visitor.cookies.has('session')]).toEqual([400, false])
  expect(await refused.response.text()).toContain('exists already. Sign in to it, then connect')
  const connect = '/settings/account/providers/school/connect'
  expect((await owner.post(connect, { current: 'wrong' })).status).toBe(400)
  const back = await idp.signIn(addressIn(await owner.post(connect, { current: goodPassword })), 'owner')
  expect((await owner.get(back)).headers.get('location')).toBe('/settings/account?done=connected')
  expect(await emailOf((await signIn('owner')).visitor)).toBe(email)
  await owner.post('/settings/account/providers/school/disconnect', {})
  expect((await signIn('owner')).response.status).toBe(400)
  expect(await actionsOf(world, email)).toEqual(['identity.added', 'session.signed_in', 'identity.removed'])
})

test('an identity of one account is not connected to another', async () => {
  person('taken')
  await signIn('taken')
  const other = await signedUp(service, 'other@school.example')
  const connect = '/settings/account/providers/school/connect'
  const back = await idp.signIn(addressIn(await other.post(connect, { current: goodPassword })), 'taken')
  const refused = await other.get(back)
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('signs in to another account'),
  ])
})

test('a connection that another account began, or nobody signed in to, is refused', async () => {
  person('confused')
  const [one, other] = [
    await signedUp(service, 'one@school.example'),
    await signedUp(service, 'two@school.example'),
  ]
  const connect = '/settings/account/providers/school/connect'
  const back = await idp.signIn(addressIn(await one.post(connect, { current: goodPassword })), 'confused')
  other.cookies.set('step', one.cookies.get('step') ?? '')
  expect((await other.get(back)).headers.get('location')).toBe('/signin?ended=step')
  const rows = await world.rows(`select 1 from identities where subject = 'confused'`)
  expect(rows).toEqual([])
})

test('a trusted provider leads to the account of a verified address, and of no other', async () => {
  use({ trustEmail: true })
  const email = 'trusted@school.example'
  await signedUp(service, email)
  person('trusted', { email_verified: false })
  expect((await signIn('trusted')).response.status).toBe(400)
  person('trusted', { email_verified: 'true' })
  expect((await signIn('trusted')).response.status).toBe(400)
  person('trusted')
  expect(await emailOf((await signIn('trusted')).visitor)).toBe(email)
})

test('an address that is not verified gets no account', async () => {
  person('unverified', { email_verified: false })
  expect((await signIn('unverified')).response.status).toBe(400)
  idp.people.set('nameless', {})
  expect((await signIn('nameless')).response.status).toBe(400)
  expect(await accountOf('unverified@school.example')).toBeUndefined()
})

test('a callback counts once, and only in the browser that began it', async () => {
  person('bob')
  const visitor = openVisitor(service)
  const back = await idp.signIn(await begin(visitor), 'bob')
  const stranger = openVisitor(service)
  expect((await stranger.get(back)).headers.get('location')).toBe('/signin?ended=step')
  await begin(stranger)
  expect((await stranger.get(back)).status).toBe(502)
  const step = visitor.cookies.get('step') ?? ''
  expect((await visitor.get(back)).headers.get('location')).toBe('/ask')
  const again = openVisitor(service)
  again.cookies.set('step', step)
  expect((await again.get(back)).headers.get('location')).toBe('/signin?ended=step')
})

test('a person who refuses at the provider gets a page that says so', async () => {
  const visitor = openVisitor(service)
  const state = new URL(await begin(visitor)).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ error: 'access_denied', state, iss: idp.issuer })
  const refused = await visitor.get(`/signin/with/school/callback?${query}`)
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('was refused')])
})

test('the request has PKCE, a state and a nonce of its own', async () => {
  const addresses = await Promise.all([begin(openVisitor(service)), begin(openVisitor(service))])
  const [one, other] = addresses.map((address) => new URL(address).searchParams)
  expect(one?.get('code_challenge_method')).toBe('S256')
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one?.get(name)).toMatch(/^[\w-]{43}$/)
    expect(one?.get(name)).not.toBe(other?.get(name))
  }
})

test('closed sign-up and its domains hold for providers too, unless the row says always', async () => {
  person('newcomer')
  const from = async (one: TestService) => (await signIn('newcomer', openVisitor(one))).response.status
  expect([await from(closed), await from(ofDomain)]).toEqual([400, 400])
  use({ createAccounts: 'never' })
  expect(await from(service)).toBe(400)
  use({ createAccounts: 'always' })
  expect(await from(closed)).toBe(303)
})

test('the form for a new account takes only addresses of the domains', async () => {
  const up = (email: string) => openVisitor(ofDomain).post('/signup', { email, password: goodPassword })
  expect((await up('x@school.example')).status).toBe(400)
  expect((await up('x@other.example.school.example')).status).toBe(400)
  expect((await up('form@Other.example')).status).toBe(303)
})

test('only the allowed domains of a provider sign in, also to an account that exists', async () => {
  person('moves')
  expect((await signIn('moves')).response.status).toBe(303)
  use({ allowedDomains: ['school.example'] })
  expect((await signIn('moves')).response.status).toBe(303)
  person('moves', { email: 'moves@elsewhere.example' })
  expect((await signIn('moves')).response.status).toBe(400)
})

test('claims give and take the role of an operator, and give the plan', async () => {
  use({
    operators: { claim: 'groups', value: 'admins' },
    plans: { claim: 'tier', values: { gold: 'pro' } },
  })
  const email = 'chief@school.example'
  person('chief', { groups: ['staff', 'admins'], tier: 'gold' })
  const { visitor } = await signIn('chief')
  expect(await accountOf(email)).toMatchObject({ operator: true, plan: 'pro' })
  expect((await visitor.get('/operator')).status).toBe(200)
  person('chief', { groups: 'staff', tier: 'silver' })
  await signIn('chief')
  expect(await accountOf(email)).toMatchObject({ operator: false, plan: 'pro' })
  expect((await visitor.get('/operator')).status).toBe(404)
  const changes = (await actionsOf(world, email)).filter((action) => action.startsWith('account.'))
  expect(changes).toEqual(['account.role_changed', 'account.plan_changed', 'account.role_changed'])
})

test('a provider that cannot be reached gets a page, and the others work', async () => {
  const visitor = openVisitor(service)
  const down = await visitor.post('/signin/with/down', {})
  expect([down.status, await down.text()]).toEqual([502, expect.stringContaining('cannot be reached')])
  person('works')
  expect((await signIn('works')).response.status).toBe(303)
})

test('a second factor is asked for after the provider, too', async () => {
  person('careful')
  const { visitor } = await signIn('careful')
  await visitor.post('/settings/second-factor/app', {})
  await world.rows(
    'update totp_secrets set confirmed_at = now() where account_id = $1',
    (await accountOf('careful@school.example'))?.id,
  )
  const again = await signIn('careful')
  expect([again.response.status, again.visitor.cookies.has('session')]).toEqual([200, false])
  expect(await again.response.text()).toContain('action="/signin/code"')
})

test('the owner of a closed account keeps it after the provider', async () => {
  person('leaving')
  await signIn('leaving')
  await world.rows(
    `update accounts set suspended_at = now(), deletion_due_at = now() + interval '7 days' where email = 'leaving@school.example'`,
  )
  const { response, visitor } = await signIn('leaving', openVisitor(service), { next: '/usage' })
  expect([response.status, visitor.cookies.has('session')]).toEqual([200, false])
  expect(await response.text()).toContain('action="/signin/keep"')
  expect((await visitor.post('/signin/keep', {})).status).toBe(303)
  expect(await emailOf(visitor)).toBe('leaving@school.example')
  expect((await actionsOf(world, 'leaving@school.example')).slice(-2)).toEqual([
    'account.deletion_taken_back',
    'session.signed_in',
  ])
})

test('a suspended account is not let in by a provider', async () => {
  person('suspended')
  await signIn('suspended')
  await world.rows(`update accounts set suspended_at = now() where email = 'suspended@school.example'`)
  const { response, visitor } = await signIn('suspended')
  expect([response.status, visitor.cookies.has('session')]).toEqual([403, false])
})

test('an account without a password needs a fresh sign-in where a password is asked for', async () => {
  const email = 'fresh@school.example'
  person('fresh')
  const { visitor } = await signIn('fresh')
  const page = await (await visitor.get('/settings/account')).text()
  expect(page).not.toContain('name="current"')
  for (const password of ['', 'none', goodPassword])
    expect((await openVisitor(service).post('/signin', { email, password })).status).toBe(400)
  await world.rows(
    `update web_sessions set created_at = now() - interval '11 minutes' where account_id = $1`,
    (await accountOf(email))?.id,
  )
  const setPassword = () => visitor.post('/settings/account/password', { next: goodPassword })
  const forms = [
    setPassword(),
    visitor.post('/settings/account/delete', {}),
    visitor.post('/settings/second-factor/app', {}),
  ]
  for (const refused of await Promise.all(forms)) expect(refused.status).toBe(400)
  expect((await visitor.post('/settings/account/providers/school/disconnect', {})).status).toBe(400)
  await signIn('fresh', visitor)
  expect((await setPassword()).status).toBe(303)
  expect((await openVisitor(service).post('/signin', { email, password: goodPassword })).status).toBe(303)
  expect((await visitor.post('/settings/account/providers/school/disconnect', {})).status).toBe(303)
})

test('an account without a password is deleted with its identity', async () => {
  person('leaves')
  const { visitor } = await signIn('leaves')
  expect((await visitor.post('/settings/account/delete', {})).headers.get('location')).toBe(
    '/signin?done=deleted',
  )
  const rows = await world.rows(`select 1 from identities where subject = 'leaves'`)
  expect(rows).toEqual([])
  expect(await emailOf((await signIn('leaves')).visitor)).toBe('leaves@school.example')
})

test('a form of another site begins no sign-in', async () => {
  const visitor = openVisitor(service)
  const refused = await visitor.post('/signin/with/school', {}, { 'sec-fetch-site': 'cross-site' })
  expect([refused.status, visitor.cookies.has('step')]).toEqual([403, false])
})

test('no log line has the client secret, a code or the token of a step', async () => {
  person('quiet')
  const visitor = openVisitor(service)
  const address = await begin(visitor)
  const step = visitor.cookies.get('step') ?? ''
  const back = await idp.signIn(address, 'quiet')
  await visitor.get(back)
  const code = new URLSearchParams(back.split('?')[1]).get('code') ?? ''
  const text = logged.join('\n')
  expect(text).not.toBe('')
  for (const secret of [clientSecret, code, step]) expect(text).not.toContain(secret)
})
