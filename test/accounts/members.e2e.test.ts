import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { type MemberRole, memberRoles } from '../../src/accounts/members/members.ts'
import { tokenDigest } from '../../src/accounts/sign-in/token-digest.ts'
import { accountsOnly, checkGuard } from '../../src/web/components/route-guards.ts'
import { isShort } from '../support/full.ts'
import { openPage, type PageRow, pageRows } from '../support/page-routes.ts'
import { goodPassword, openVisitor, type TestVisitor } from '../support/visitor.ts'
import { makeAccount } from '../support/world/accounts.ts'
import { newPerson } from '../support/world/person.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { makeOwner, makeThings, ownerKey, type Things } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { openWorld, type World } from '../support/world/world.ts'

/** The least role of every page of accounts, in other words than the routes say it; `person` for those about the person. */
function leastRole(route: string): MemberRole | 'person' {
  if (/ \/(settings\/(account|second-factor)|library)\b|\/members\/(act|leave)$/.test(route)) return 'person'
  if (/ \/settings\/alerts|^POST \/(settings\/members\/|projects\/:id\/delete)/.test(route)) return 'admin'
  return /^POST|\/settings\/keys|\/sheets\/add/.test(route) ? 'member' : 'viewer'
}

type Person = { readonly id: string; readonly email: string; readonly visitor: TestVisitor }

let world: World
/** Of the shared account, whose own person is `owner`. */
let things: Things
let owner: Person
/** One for each role in the shared account. */
const people = {} as Record<MemberRole, Person>
let stranger: Person
const declared: string[] = []

const sqlRows = async (text: string, values: unknown[] = []) =>
  (await world.db.database.systemPool.query(text, values)).rows

async function person(name: string): Promise<Person> {
  const email = `${name}@members.example`
  const { visitor, accountId: id } = await newPerson(world, email, `plan = 'pro'`)
  return { id, email, visitor }
}

/** Makes everybody a member again and lets their sessions act for the shared account. */
async function restore(): Promise<void> {
  await sqlRows(
    `with restored as (
       insert into members (account_id, member_id, role) select $1, * from unnest($2::text[], $3::text[])
       on conflict (account_id, member_id) do update set role = excluded.role)
     update web_sessions set acting_for = $1 where account_id = any($2)`,
    [things.accountId, memberRoles.map((role) => people[role].id), memberRoles],
  )
}

beforeAll(async () => {
  const note = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, config }) => {
      if (config?.page !== 'account') return
      for (const one of [method].flat().filter((name) => name !== 'HEAD'))
        declared.push(`${one} ${url} ${config.role ?? 'viewer'}`)
    })
  subscribe('fastify.initialization', note)
  world = await openWorld({ ...unhurried, script: [{ text: 'An answer.' }] })
  unsubscribe('fastify.initialization', note)
  owner = await person('own')
  stranger = await person('stranger')
  for (const role of memberRoles) people[role] = await person(role)
  const key = await ownerKey(world.db, owner.id)
  things = await makeThings(world.db, world.service, { accountId: owner.id, key })
})
afterAll(() => world.close())
beforeEach(restore)

const textOf = async (visitor: TestVisitor, path: string) => (await visitor.get(path)).text()

/** Invites by the form of the page. @returns the path of the link. */
async function invited(visitor: TestVisitor, role: MemberRole, email = ''): Promise<string> {
  const page = await (await visitor.post('/settings/members/invite', { role, email })).text()
  return /\/invitations\/[\w-]{43}/.exec(page)?.[0] ?? ''
}

describe('roles', () => {
  test('every page of accounts declares the role that it needs', () => {
    const expected = pageRows
      .filter(({ page }) => page === 'account')
      .map(({ route }) => `${route} ${leastRole(route)}`)
    expect(declared.toSorted()).toEqual(expected.toSorted())
  })

  test('a page that changes something and names no role keeps the service from starting', () => {
    const route = { url: '/x', ...accountsOnly }
    expect(() => checkGuard({ ...route, method: 'POST' })).toThrow('does not say which role may use it')
    expect(() => checkGuard({ ...route, method: ['GET', 'DELETE'] })).toThrow('which role')
    expect(() => checkGuard({ ...route, method: 'GET' })).not.toThrow()
  })

  /** What a member of a role gets; what belongs to the person of the account is not there for other persons. */
  function expected(row: PageRow, role: MemberRole): number {
    const { route, own, ok = 200 } = row
    const least = leastRole(route)
    if (least === 'person') return own ? 404 : ok
    if (memberRoles.indexOf(role) > memberRoles.indexOf(least)) return 403
    return role === 'member' && route.includes('/settings/keys/:id') ? 404 : ok
  }

  /** The least role and the one below it, as roles are in one order; the full tests have all of them. */
  const boundary = (least: MemberRole | 'person'): readonly MemberRole[] =>
    least === 'person' ? ['owner', 'viewer'] : memberRoles.slice(memberRoles.indexOf(least)).slice(0, 2)

  const rows = pageRows.filter(({ route, page }) => page === 'account' && !route.endsWith('/leave'))

  test.each(rows)('$route opens for each role that it needs, and for none below', async (row) => {
    const got: Record<string, number> = {}
    const wanted: Record<string, number> = {}
    for (const role of isShort ? boundary(leastRole(row.route)) : memberRoles) {
      await restore()
      const { visitor, email } = people[role]
      const reply = await openPage(world.service, row, visitor, (await row.own?.(things, world)) ?? '')
      got[role] = reply.status
      wanted[role] = expected(row, role)
      const text = await reply.text()
      if (reply.status === 403) expect(text).toMatch(/Only owners and admins|As a viewer of this account/)
      if (row.ends) await visitor.post('/signin', { email, password: goodPassword })
    }
    expect(got).toEqual(wanted)
  })

  test('a refusal is shown in the language of the reader', async () => {
    const { visitor } = people.viewer
    await visitor.post('/preferences', { language: 'he' })
    const page = await (await visitor.post('/projects', { name: 'P' })).text()
    await visitor.post('/preferences', { language: 'en' })
    expect(page).toContain('צופה בחשבון הזה יכול לקרוא')
  })

  test('a viewer has no box for a question', async () => {
    expect(await textOf(people.viewer.visitor, '/ask')).not.toContain('class="composer"')
    expect(await textOf(people.viewer.visitor, `/sessions/${things.sessionId}`)).not.toContain(
      'class="composer"',
    )
    expect(await textOf(people.member.visitor, '/ask')).toContain('class="composer"')
  })
})

describe('isolation', () => {
  test('a member sees what the account has, and of another account nothing', async () => {
    const foreign = await makeThings(world.db, world.service, await makeOwner(world.db))
    const byId = pageRows.filter(
      ({ route, own, page }) => own && page === 'account' && leastRole(route) !== 'person',
    )
    for (const row of byId) {
      const reply = await openPage(
        world.service,
        row,
        people.owner.visitor,
        (await row.own?.(foreign, world)) ?? '',
      )
      expect([row.route, reply.status]).toEqual([row.route, 404])
    }
  })

  test('a person cannot act for an account without being its member', async () => {
    const reply = await stranger.visitor.post('/settings/members/act', { account: things.accountId })
    expect(reply.status).toBe(404)
    await sqlRows('update web_sessions set acting_for = $1 where account_id = $2', [
      things.accountId,
      stranger.id,
    ])
    expect((await stranger.visitor.get(`/sessions/${things.sessionId}`)).status).toBe(403)
    expect((await stranger.visitor.get(`/sessions/${things.sessionId}`)).status).toBe(404)
  })

  test('a member who acts for the own account sees nothing of the shared one, and can switch back', async () => {
    const { visitor, id } = people.member
    await visitor.post('/settings/members/act', { account: id })
    expect((await visitor.get(`/sessions/${things.sessionId}`)).status).toBe(404)
    await visitor.post('/settings/members/act', { account: things.accountId })
    expect((await visitor.get(`/sessions/${things.sessionId}`)).status).toBe(200)
  })

  test('marks of a reader belong to the person, whatever account is acted for', async () => {
    const { visitor, id } = people.member
    await visitor.post('/library/daily', { work: 'None', action: 'stop' })
    expect(await sqlRows('select 1 from reading_marks where account_id = $1', [things.accountId])).toEqual([])
    expect(
      (await sqlRows('select acting_for from web_sessions where account_id = $1', [id]))[0].acting_for,
    ).toBe(things.accountId)
  })

  test('an operator is a person: members of the account of an operator see no page of operators', async () => {
    await sqlRows('update accounts set operator = true where id = $1', [owner.id])
    expect((await people.owner.visitor.get('/operator')).status).toBe(404)
    expect((await owner.visitor.get('/operator')).status).toBe(200)
    const form = { id: 'key_000000000000000000000000', name: 'K', reach: 'owner', expires: 'never' }
    const made = await people.owner.visitor.post('/settings/keys', { ...form, scopes: 'accounts:manage' })
    expect(made.status).toBe(403)
    await sqlRows('update accounts set operator = false where id = $1', [owner.id])
  })
})

describe('losing an account', () => {
  const lost = 'You can no longer act for the account that you acted for.'

  test('a removed member loses access at the next request, which does nothing in the own account', async () => {
    const { visitor, id } = people.member
    expect((await people.admin.visitor.post(`/settings/members/${id}/remove`, {})).status).toBe(303)
    const refused = await visitor.post('/projects', { name: 'Stray' })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(lost)])
    expect(await sqlRows(`select id from projects where name = 'Stray'`)).toEqual([])
    expect((await visitor.get(`/sessions/${things.sessionId}`)).status).toBe(404)
    expect((await visitor.get('/ask')).status).toBe(200)
  })

  test('a suspended account cannot be acted for', async () => {
    const { visitor } = people.admin
    await sqlRows('update accounts set suspended_at = now() where id = $1', [things.accountId])
    const refused = await visitor.get('/ask')
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(lost)])
    expect((await visitor.post('/settings/members/act', { account: things.accountId })).status).toBe(404)
    await sqlRows('update accounts set suspended_at = null where id = $1', [things.accountId])
  })

  test('a member can leave, and the keys that the member made stop working', async () => {
    const { visitor, id } = people.member
    const key = await keyBy(visitor)
    expect((await call(world.service, key, 'GET', '/v1/key')).status).toBe(200)
    expect((await visitor.post('/settings/members/leave', {})).headers.get('location')).toContain('done=left')
    expect(await sqlRows('select 1 from members where member_id = $1', [id])).toEqual([])
    await expect.poll(async () => (await call(world.service, key, 'GET', '/v1/key')).status).toBe(401)
  })

  test('the deletion of an account removes its memberships both ways', async () => {
    const { id } = await makeAccount(world.db.database)
    await sqlRows(`insert into members values ($1, $2, 'admin'), ($2, $1, 'admin')`, [id, stranger.id])
    await deleteAccount(world.db.database, { actor: id, accountId: id })
    expect(await sqlRows('select 1 from members where account_id = $1 or member_id = $1', [id])).toEqual([])
  })
})

/** A key that a visitor makes by the form. */
async function keyBy(visitor: TestVisitor, scopes = 'chat:write'): Promise<string> {
  const page = await textOf(visitor, '/settings/keys/new')
  const id = /name="id" value="(key_\w+)"/.exec(page)?.[1] ?? ''
  const made = await visitor.post('/settings/keys', {
    id,
    name: 'K',
    scopes,
    reach: 'owner',
    expires: 'never',
  })
  return /svc_\w{49}/.exec(await made.text())?.[0] ?? ''
}

describe('keys', () => {
  test('a member sees and revokes the own keys, and an admin all', async () => {
    await keyBy(people.member.visitor)
    const [own] = await sqlRows('select id from api_keys where created_by = $1 and revoked_at is null', [
      people.member.id,
    ])
    await keyBy(people.admin.visitor)
    const [other] = await sqlRows('select id from api_keys where created_by = $1', [people.admin.id])
    const seen = await textOf(people.member.visitor, '/settings/keys')
    expect([seen.includes(own.id), seen.includes(other.id)]).toEqual([true, false])
    const revoke = (visitor: TestVisitor, id: string) => visitor.post(`/settings/keys/${id}/revoke`, {})
    expect((await revoke(people.member.visitor, other.id)).status).toBe(404)
    expect((await revoke(people.admin.visitor, own.id)).status).toBe(303)
  })

  test('a member gives no key the scope to manage the account', async () => {
    expect(await textOf(people.member.visitor, '/settings/keys/new')).not.toContain('account:manage')
    expect(await keyBy(people.member.visitor, 'account:manage')).toBe('')
    expect(await keyBy(people.admin.visitor, 'account:manage')).toMatch(/^svc_/)
  })

  test('a lower role takes back the keys that it could not make', async () => {
    const { visitor, id } = people.admin
    const key = await keyBy(visitor, 'account:manage')
    await owner.visitor.post(`/settings/members/${id}/role`, { role: 'member' })
    await expect.poll(async () => (await call(world.service, key, 'GET', '/v1/key')).status).toBe(401)
  })
})

describe('members', () => {
  test('the person of the account is always its owner', async () => {
    for (const role of ['owner', 'admin'] as const) {
      const { visitor } = people[role]
      expect((await visitor.post(`/settings/members/${owner.id}/remove`, {})).status).toBe(400)
      expect((await visitor.post(`/settings/members/${owner.id}/role`, { role: 'viewer' })).status).toBe(400)
    }
    expect((await owner.visitor.post('/settings/members/leave', {})).status).toBe(400)
  })

  test('an admin does not touch owners, and makes none', async () => {
    const { visitor } = people.admin
    const change = (id: string, role: string) => visitor.post(`/settings/members/${id}/role`, { role })
    expect((await change(people.owner.id, 'viewer')).status).toBe(403)
    expect((await change(people.viewer.id, 'owner')).status).toBe(403)
    expect((await visitor.post(`/settings/members/${people.owner.id}/remove`, {})).status).toBe(403)
    expect(await invited(visitor, 'owner')).toBe('')
    expect((await change(people.viewer.id, 'member')).status).toBe(303)
  })

  test('the audit log names the person who acted', async () => {
    await people.admin.visitor.post(`/settings/members/${people.viewer.id}/role`, { role: 'member' })
    const [entry] = await sqlRows(
      `select actor, account_id, details from audit_log where action = 'member.role_changed' order by id desc limit 1`,
    )
    expect(entry).toMatchObject({
      ...{ actor: people.admin.id, account_id: things.accountId },
      details: { member: people.viewer.id, role: 'member' },
    })
    await people.member.visitor.post(`/projects/${things.projectId}/rename`, { name: 'Renamed' })
    const [renamed] = await sqlRows(
      `select actor from audit_log where action = 'project.renamed' order by id desc`,
    )
    expect(renamed).toEqual({ actor: people.member.id })
  })
})

describe('invitations', () => {
  test('a link makes a person a member once, and its token is stored hashed', async () => {
    const link = await invited(people.admin.visitor, 'viewer')
    const token = link.split('/').at(-1) ?? ''
    const [row] = await sqlRows('select digest, id from invitations order by created_at desc limit 1')
    expect(row.digest).toEqual(tokenDigest(token))
    const page = await textOf(stranger.visitor, link)
    for (const said of [owner.email, people.admin.email, 'Viewer', 'see its conversations'])
      expect(page).toContain(said)
    expect((await stranger.visitor.post(link, {})).headers.get('location')).toContain('done=joined')
    expect((await stranger.visitor.get(`/sessions/${things.sessionId}`)).status).toBe(200)
    await stranger.visitor.post('/settings/members/leave', {})
    expect((await stranger.visitor.post(link, {})).status).toBe(404)
  })

  test('an unknown, a used, a revoked and an expired link are answered alike', async () => {
    const { visitor } = people.admin
    const expired = await invited(visitor, 'viewer')
    await sqlRows(`update invitations set expires_at = now() - interval '1 second'`)
    const revoked = await invited(visitor, 'viewer')
    const [{ id }] = await sqlRows('select id from invitations where expires_at > now()')
    await visitor.post(`/settings/members/invitations/${id}/revoke`, {})
    const replies = await Promise.all(
      [expired, revoked, `/invitations/${'x'.repeat(43)}`].map(async (link) => {
        const reply = await stranger.visitor.get(link)
        const text = (await reply.text()).replaceAll(/nonce="[^"]+"/g, '')
        return [reply.status, text.replaceAll(/\/invitations\/[\w-]+/g, '')]
      }),
    )
    expect(replies[0]?.[0]).toBe(404)
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
  })

  test('an invitation to an address is for the account of that address only', async () => {
    const link = await invited(people.admin.visitor, 'member', 'guest@members.example')
    expect((await stranger.visitor.post(link, {})).status).toBe(400)
    expect(await textOf(stranger.visitor, link)).toContain('guest@members.example')
    const guest = openVisitor(world.service)
    expect((await guest.post(`${link}/account`, { password: 'short' })).status).toBe(400)
    expect((await guest.post(`${link}/account`, { password: goodPassword })).status).toBe(303)
    expect((await guest.get(`/sessions/${things.sessionId}`)).status).toBe(200)
  })

  test('inviting an address says nothing about whether it has an account', async () => {
    const reply = async (email: string) => {
      const page = await people.admin.visitor.post('/settings/members/invite', { role: 'viewer', email })
      return [page.status, (await page.text()).replaceAll(/nonce="[^"]+"|[\w-]{43}|inv_\w+/g, '')]
    }
    expect(await reply(stranger.email)).toEqual(await reply('nobody@members.example'))
  })

  test('with sign-up closed an invitation lets nobody new in; with "invited" it does', async () => {
    const link = await invited(people.admin.visitor, 'viewer', 'new@members.example')
    const closed = await world.start({ web: { signUp: 'closed' } })
    expect(await textOf(openVisitor(closed), link)).not.toContain('type="password"')
    expect((await openVisitor(closed).post(`${link}/account`, { password: goodPassword })).status).toBe(404)
    const onlyInvited = await world.start({ web: { signUp: 'invited' } })
    const bad = { email: 'x@members.example', password: goodPassword }
    expect((await openVisitor(onlyInvited).post('/signup', bad)).status).toBe(404)
    expect((await openVisitor(onlyInvited).post(`${link}/account`, { password: goodPassword })).status).toBe(
      303,
    )
  })
})

test('what each member used adds up to what the account used', async () => {
  const key = await keyBy(people.member.visitor)
  await bodyOf(call(world.service, key, 'POST', '/v1/chat/completions', question('By key?')))
  for (const role of ['owner', 'member'] as const) {
    const { visitor } = people[role]
    const asked = await visitor.post('/ask', { form: `req_${role}`, question: 'By page?', model: 'service' })
    const session = /sess_\w+/.exec(asked.headers.get('location') ?? '')?.[0]
    const [run] = await sqlRows('select id, member_id from runs where session_id = $1', [session])
    expect(run.member_id).toBe(people[role].id)
    // The stream of a turn ends with it.
    await textOf(visitor, `/runs/${run.id}/live`)
    expect(await textOf(visitor, `/runs/${run.id}`)).not.toContain(`>${people[role].email}</bdi></dd>`)
    expect(await textOf(owner.visitor, `/runs/${run.id}`)).toContain(people[role].email)
  }
  const usage = async (group: string) =>
    (await bodyOf(call(world.service, things.key, 'GET', `/v1/usage?group_by=${group}`))).data as {
      id: string
      turns: number
      cost: number
    }[]
  const byMember = await usage('member')
  const turnsOf = (id: string) => byMember.find((row) => row.id === id)?.turns
  expect([turnsOf(people.owner.id), turnsOf(people.member.id)]).toEqual([1, 2])
  const sum = (rows: readonly { cost: number }[]) => rows.reduce((total, { cost }) => total + cost, 0)
  expect(sum(byMember)).toBeCloseTo(sum(await usage('day')), 9)
  const page = await textOf(people.viewer.visitor, '/usage')
  for (const said of ['By member', people.owner.email, people.member.email]) expect(page).toContain(said)
  expect(await textOf(people.viewer.visitor, '/usage.csv')).toContain(
    `${people.member.id},${people.member.email}`,
  )
})
