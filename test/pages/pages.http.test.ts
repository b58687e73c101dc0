import { beforeAll, expect, test } from 'vitest'
import { goodPassword, openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { makeKey } from '../support/world/accounts.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, service } = {} as World

const world = useWorld({ model: 'built-in', web: { signUpPlan: 'basic' } })
beforeAll(async () => {
  ;({ db, service } = world)
})

const keyFields = (id: string) => ({
  id,
  name: 'Website',
  scopes: 'models:read',
  reach: 'owner',
  expires: 'never',
})
const keysMade = async () =>
  (await world.rows<{ count: number }>('select count(*)::int from api_keys'))[0]?.count
/** Tables that have a row of the account. */
async function tablesOf(accountId: string): Promise<readonly string[]> {
  const tables = await world.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'account_id' order by 1`,
  )
  const found = await Promise.all(
    tables.map(({ name }) => world.rows(`select 1 from "${name}" where account_id = $1 limit 1`, accountId)),
  )
  return tables.map(({ name }) => name).filter((_, n) => found[n]?.length)
}

const whereTo = (response: Response) => [response.status, response.headers.get('location')]
const problem = async (response: Response) => /role="alert">([^<]*)</.exec(await response.text())?.[1]

test.each<[string, Record<string, string>]>([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of the same domain', { 'sec-fetch-site': 'same-site' }],
  ['an old browser on another site', { origin: 'https://elsewhere.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['something that does not say where it comes from', {}],
])('a form that is sent from %s changes nothing', async (_from, headers) => {
  const visitor = await signedUp(service, `csrf-${crypto.randomUUID()}@example.org`)
  const before = await keysMade()
  const refused = await visitor.post('/settings/keys', keyFields('key_aaaaaaaaaaaaaaaaaaaaaaaa'), headers)
  expect(refused.status).toBe(403)
  expect(await keysMade()).toBe(before)
})

test('a sign-in leads on to any path, whatever characters it has', async () => {
  const visitor = await signedUp(service, 'next-characters@example.org')
  for (const next of ['/ש', '/library?q=שמחה', '/a\u{1f4dc}', '/%D7%A9', '/\ufffd', '/\u0001']) {
    const reply = await visitor.get(`/signin?next=${encodeURIComponent(next)}`)
    expect([next, reply.status]).toEqual([next, 303])
    expect(reply.headers.get('location')).toMatch(/^\/[\x21-\x7e]+$/)
  }
})

test('a form of 321 fields is a 400', async () => {
  const fields = Object.fromEntries(Array.from({ length: 321 }, (_, i) => [`f${i}`, '']))
  const reply = await openVisitor(service).post('/signin', fields)
  expect(reply.status).toBe(400)
  expect(await reply.text()).toContain('at most 320 fields')
})

test('an old browser that names this origin only is let through', async () => {
  const visitor = await signedUp(service, 'origin@example.org')
  const made = await visitor.post('/settings/keys', keyFields('key_origin000000000000000000'.slice(0, 28)), {
    origin: service.url,
  })
  expect(made.status).toBe(200)
})

test('an unknown address and a wrong password get the same answer', async () => {
  await signedUp(service, 'known@example.org')
  const replies = []
  for (const email of ['known@example.org', 'unknown@example.org']) {
    const reply = await openVisitor(service).post('/signin', { email, password: 'not the password' })
    const text = (await reply.text()).replaceAll(email, 'EMAIL')
    replies.push([reply.status, text.replaceAll(/req_\w+|nonce="[^"]*"/g, '')])
  }
  expect(replies[0]).toEqual(replies[1])
  expect(replies[0]?.[0]).toBe(400)
})

test('the first field to fill has the focus, also after a refused password', async () => {
  const focused = async (reply: Promise<Response>) =>
    [...(await (await reply).text()).matchAll(/name="(\w+)"[^>]* autofocus>/g)].map(([, name]) => name)
  const visitor = openVisitor(service)
  expect(await focused(visitor.get('/signin'))).toEqual(['email'])
  expect(await focused(visitor.get('/signup'))).toEqual(['email'])
  const wrong = { email: 'nobody@example.org', password: 'not the password' }
  expect(await focused(visitor.post('/signin', wrong))).toEqual(['password'])
})

test('an account is locked to an address after ten wrong passwords; others are not', async () => {
  await signedUp(service, 'locked@example.org')
  await signedUp(service, 'free@example.org')
  const attempt = (email: string, password: string) =>
    openVisitor(service).post('/signin', { email, password })
  for (let n = 0; n < 10; n += 1) expect((await attempt('locked@example.org', `guess ${n}`)).status).toBe(400)
  const late = await attempt('locked@example.org', goodPassword)
  expect(late.status).toBe(429)
  expect(await problem(late)).toMatch(/Try again in \d+ min/)
  expect((await attempt('free@example.org', goodPassword)).status).toBe(303)
})

test('signing in ends the session that the browser had, and signing out ends a cookie that was kept', async () => {
  const visitor = await signedUp(service, 'renewed@example.org')
  const old = visitor.cookies.get('session') ?? ''
  await visitor.post('/signin', { email: 'renewed@example.org', password: goodPassword })
  expect(visitor.cookies.get('session')).not.toBe(old)
  expect(whereTo(await withCookie(old).get('/settings/keys'))).toEqual([
    303,
    '/signin?next=%2Fsettings%2Fkeys&ended=page',
  ])
  const kept = visitor.cookies.get('session') ?? ''
  await visitor.post('/signout', {})
  expect(visitor.cookies.has('session')).toBe(false)
  expect((await withCookie(kept).get('/settings/keys')).status).toBe(303)
})

test('a session that ended is said on the page to sign in, which leads back', async () => {
  const stale = 'a'.repeat(43)
  const sent = { 'sec-fetch-site': 'same-origin' }
  const page = await withCookie(stale).get('/projects?older=1')
  expect(whereTo(page)).toEqual([303, '/signin?next=%2Fprojects%3Folder%3D1&ended=page'])
  const form = await withCookie(stale).post(
    '/projects',
    { name: 'Lost' },
    { ...sent, referer: `${service.url}/projects?older=1` },
  )
  expect(whereTo(form)).toEqual([303, '/signin?next=%2Fprojects%3Folder%3D1&ended=form'])
  const textOf = async (path: string) => (await openVisitor(service).get(path)).text()
  expect(await textOf('/signin?ended=page')).toContain('Your session has ended. Sign in to go on.')
  expect(await textOf('/signin?ended=form')).toContain('so nothing was saved')
  expect(await textOf('/signin?ended=toString')).not.toContain('role="status"')
  // A form without a session, and a page before it that is none of ours.
  expect(whereTo(await openVisitor(service).post('/projects', { name: 'New' }))).toEqual([303, '/signin'])
  for (const referer of ['https://elsewhere.example//evil', 'no address'])
    expect(whereTo(await openVisitor(service).post('/projects', {}, { ...sent, referer }))).toEqual([
      303,
      '/signin',
    ])
})

test('a refused password stands in the form that was refused, with its field marked', async () => {
  const visitor = await signedUp(service, 'typo@example.org')
  const sent = { current: 'wrong', next: 'quite another phrase' }
  const html = await (await visitor.post('/settings/account/password', sent)).text()
  const card = /<section class="card[^"]*"><h2>Change the password[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
  expect(card).toContain('This is not your current password. Type it again.')
  expect(card).toMatch(/name="current"[^>]*aria-invalid="true"/)
  expect(html.split('role="alert"')).toHaveLength(2)
})

test('a changed password ends every other session of the account', async () => {
  const here = await signedUp(service, 'careful@example.org')
  const elsewhere = openVisitor(service)
  await elsewhere.post('/signin', { email: 'careful@example.org', password: goodPassword })
  expect((await elsewhere.get('/settings/keys')).status).toBe(200)
  const wrong = await here.post('/settings/account/password', {
    current: 'wrong',
    next: 'quite another phrase',
  })
  expect([wrong.status, await problem(wrong)]).toEqual([
    400,
    'This is not your current password. Type it again.',
  ])
  const weak = await here.post('/settings/account/password', { current: goodPassword, next: 'password1' })
  expect([weak.status, await problem(weak)]).toEqual([400, expect.stringContaining('Too easy to guess')])
  const changed = await here.post('/settings/account/password', {
    current: goodPassword,
    next: 'quite another phrase',
  })
  expect(whereTo(changed)).toEqual([303, '/settings/account?done=password'])
  expect((await here.get('/settings/keys')).status).toBe(200)
  expect((await elsewhere.get('/settings/keys')).status).toBe(303)
  expect(
    (await openVisitor(service).post('/signin', { email: 'careful@example.org', password: goodPassword }))
      .status,
  ).toBe(400)
})

test('a deleted account leaves only its ledger and audit log, and its address is free', async () => {
  const email = 'leaving@example.org'
  const visitor = await signedUp(service, email)
  const page = await (
    await visitor.post('/settings/keys', keyFields('key_leaving00000000000000000'.slice(0, 28)))
  ).text()
  const secret = /svc_\w{49}/.exec(page)?.[0] ?? ''
  expect((await call(service, secret, 'POST', '/v1/projects', { name: 'Mine' })).status).toBe(403)
  expect((await call(service, secret, 'GET', '/v1/models')).status).toBe(200)
  const { id } = await world.row<{ id: string }>('select id from accounts where email = $1', email)
  const asking = await makeKey(db.database, id, { reach: { kind: 'owner' } })
  expect((await call(service, asking, 'POST', '/v1/chat/completions', question('Stay?'))).status).toBe(200)
  expect(await tablesOf(id)).toEqual(expect.arrayContaining(['api_keys', 'messages', 'runs', 'web_sessions']))
  const gone = await visitor.post('/settings/account/delete', { current: goodPassword })
  expect(whereTo(gone)).toEqual([303, '/signin?done=deleted'])
  expect((await call(service, secret, 'GET', '/v1/models')).status).toBe(401)
  expect(await tablesOf(id)).toEqual(['audit_log', 'ledger'])
  expect(await world.rows('select 1 from accounts where email = $1', email)).toEqual([])
  expect(whereTo(await openVisitor(service).post('/signup', { email, password: goodPassword }))).toEqual([
    303,
    '/ask',
  ])
})

test.each([
  ['two weeks without a request', 'seen_at', 15],
  ['sixty days', 'created_at', 61],
])('a session ends after %s', async (_when, column, days) => {
  const visitor = await signedUp(service, `idle-${column}@example.org`)
  expect((await visitor.get('/settings/keys')).status).toBe(200)
  await world.rows(
    `update web_sessions set ${column} = now() - make_interval(days => $1)
     where account_id = (select id from accounts where email = $2)`,
    days,
    `idle-${column}@example.org`,
  )
  expect((await visitor.get('/settings/keys')).status).toBe(303)
  expect([...visitor.cookies.keys()]).toEqual(['known'])
})

test('the database holds no session token and no password in clear', async () => {
  const visitor = await signedUp(service, 'clear@example.org')
  const token = visitor.cookies.get('session') ?? ''
  expect(token).toHaveLength(43)
  const rows = await world.rows<{
    row: string
  }>(`select a::text || w::text || encode(w.digest, 'escape') as row
     from accounts a join web_sessions w on w.account_id = a.id where email = 'clear@example.org'`)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.row).not.toContain(token)
  expect(rows[0]?.row).not.toContain(goodPassword)
  expect(rows[0]?.row).toContain('$argon2id$v=19$m=19456,p=1,t=2$')
})

test('the session cookie is bound to the host and to https when the service has TLS', async () => {
  const secure = await world.start({ appUrl: 'https://chat.example.org' })
  try {
    const reply = await openVisitor(secure).post('/signup', {
      email: 'tls@example.org',
      password: goodPassword,
    })
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Max-Age=5184000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-known=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  } finally {
    await secure.stop()
  }
})

test('after signing in nobody is led to another host', async () => {
  await signedUp(service, 'next@example.org')
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    const reply = await openVisitor(service).post('/signin', {
      email: 'next@example.org',
      password: goodPassword,
      next,
    })
    expect(whereTo(reply)).toEqual([303, '/ask'])
  }
  const own = await openVisitor(service).post('/signin', {
    email: 'next@example.org',
    password: goodPassword,
    next: '/settings/keys?a=1',
  })
  expect(whereTo(own)).toEqual([303, '/settings/keys?a=1'])
})

test('a closed sign-up says who makes accounts, and sending its form makes none', async () => {
  const closed = await world.start({ web: { signUp: 'closed' } })
  try {
    const page = await openVisitor(closed).get('/signup')
    expect(await page.text()).toContain('The operator of this service creates accounts')
    const sent = await openVisitor(closed).post('/signup', {
      email: 'late@example.org',
      password: goodPassword,
    })
    expect(sent.status).toBe(404)
    expect(await world.rows(`select 1 from accounts where email = 'late@example.org'`)).toEqual([])
  } finally {
    await closed.stop()
  }
})

test('every page forbids inline scripts, framing and caches', async () => {
  const visitor = await signedUp(service, 'headers@example.org')
  const links = [...(await (await visitor.get('/ask')).text()).matchAll(/href="(\/[a-z][\w/]*)"/g)]
  // The API reference under /docs has headers of its own.
  const pages = links.map(([, path = '']) => path).filter((path) => !/^\/(assets|docs)/.test(path))
  expect(pages.length).toBeGreaterThan(3)
  for (const path of new Set(['/signin', '/signup', '/no-such-page', '/ask', ...pages])) {
    const { headers } = await visitor.get(path)
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src '(none|nonce-[\w-]{22})'; style-src 'self'( 'nonce-[\w-]{22}')?;.*frame-ancestors 'none'/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options'), path).toBe('DENY')
  }
})

test("an unknown route gives programs the API's error and people a page", async () => {
  const program = await fetch(`${service.url}/nothing-here`)
  expect([program.status, await program.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
  const person = await openVisitor(service).get('/nothing-here')
  expect([person.status, person.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
})

function withCookie(token: string): TestVisitor {
  const visitor = openVisitor(service)
  visitor.cookies.set('session', token)
  return visitor
}
