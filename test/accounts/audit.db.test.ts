import { beforeAll, expect, test } from 'vitest'
import { auditActions } from '../../src/accounts/audit.ts'
import { runLine } from '../support/command-line.ts'
import { goodPassword, openVisitor, type TestVisitor } from '../support/visitor.ts'
import { makeKey } from '../support/world/accounts.ts'
import { accountOf, newPerson } from '../support/world/person.ts'
import { call } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, service } = {} as World
let operator: TestVisitor
let operatorId: string

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  ;({ db, service } = world)
  const person = await newPerson(world, 'ops@example.org', 'operator = true')
  operator = person.visitor
  operatorId = person.accountId
})

const command = (line: string, env: Readonly<Record<string, string>> = {}) =>
  runLine(db, line.split(' '), env)

type Entry = { id: string; actor: string; action: string; account: string; email: string; details: object }
const entries = async (options = '') =>
  JSON.parse(await command(`accounts audit --json${options}`)) as readonly Entry[]

const email = 'person@example.org'

test('each command that changes an account logs one entry, without secrets or e-mail', async () => {
  await command(`accounts create --email ${email} --plan free`)
  await command(`accounts set-plan --email ${email} --plan basic`)
  const key = JSON.parse(await command(`keys create --account ${email}`)) as { id: string; key: string }
  await command(`keys revoke ${key.id}`)
  await command(`credits grant --account ${email} --amount 12.5`)
  await command(`credits take-back --account ${email} --amount 2.5`)
  const link = JSON.parse(await command(`accounts reset-password --email ${email} --json`)) as {
    path: string
  }
  await command(`accounts suspend --email ${email}`)
  await command(`accounts suspend --email ${email}`)
  await command(`accounts resume --email ${email}`)
  const id = await accountOf(world, email)
  await expect(command(`accounts delete --email ${email}`)).rejects.toThrow(`--confirm ${email}`)
  await expect(command(`accounts delete --email ${email} --confirm other@example.org`)).rejects.toThrow()
  await command(`accounts delete --email ${email} --confirm ${email}`)
  const found = await entries(` --account ${id}`)
  expect(found.map(({ action }) => action)).toEqual([
    ...['account.deleted', 'account.resumed', 'account.suspended', 'password.reset_link_created'],
    ...['credits.taken_back', 'credits.granted', 'key.revoked', 'key.created'],
    ...['account.plan_changed', 'account.created'],
  ])
  expect(new Set(found.map((entry) => `${entry.actor} ${entry.account} ${entry.email}`))).toEqual(
    new Set([`command line ${id} null`]),
  )
  const stored = JSON.stringify(await world.rows('select to_jsonb(a) as row from audit_log a'))
  for (const secret of [email, key.key, link.path.split('/').at(-1) ?? ''])
    expect(stored).not.toContain(secret)
  // Unknown from here on, by every command.
  for (const line of [
    `accounts suspend --email ${email}`,
    `accounts reset-password --email ${email}`,
    `credits grant --account ${id.toLowerCase()}@deleted.invalid --amount 1`,
  ])
    await expect(command(line), line).rejects.toMatchObject({ code: 'not_found' })
})

test('the audit log records each rename and deletion of a project, by page and by key', async () => {
  const { visitor, accountId: id } = await newPerson(world, 'projects@example.org')
  const formSeen = async () =>
    /name="seen" value="(\d+)"/.exec(await (await operator.get(`/operator/accounts/${id}`)).text())?.[1]
  const seen = await formSeen()
  const made = await visitor.post('/projects', { name: 'Private name' })
  const page = made.headers.get('location') ?? ''
  const project = page.replace('/projects/', '')
  expect((await visitor.post(`${page}/rename`, { name: 'Another name' })).status).toBe(303)
  expect((await visitor.post(`${page}/rename`, { name: '' })).status).toBe(400)
  await command('accounts set-plan --email projects@example.org --plan basic')
  const changed = await formSeen()
  expect(Number(changed)).toBeGreaterThan(Number(seen))
  const key = await makeKey(db.database, id, { reach: { kind: 'owner' }, scopes: ['projects:write'] })
  const byKey = (method: string, body?: object) => call(service, key, method, `/v1${page}`, body)
  expect((await byKey('PATCH', { name: 'A third name' })).status).toBe(200)
  expect((await byKey('DELETE')).status).toBe(200)
  expect((await byKey('DELETE')).status).toBe(404)
  expect(await formSeen()).toBe(changed)
  const found = (await entries(` --account ${id}`)).filter(({ action }) => action.startsWith('project.'))
  const keyId = expect.stringMatching(/^key_/)
  expect(found.map(({ action, actor, details }) => [action, actor, details])).toEqual([
    ['project.deleted', id, { project, key: keyId }],
    ['project.renamed', id, { project, key: keyId }],
    ['project.renamed', id, { project, key: null }],
  ])
  expect(await (await operator.get('/operator/audit')).text()).toContain('Project deleted')
})

test('each change on the pages of operators is recorded with the id of who made it', async () => {
  const made = await operator.post('/operator/accounts', { email, plan: 'free' })
  expect(made.status).toBe(200)
  const id = await accountOf(world, email)
  const page = `/operator/accounts/${id}`
  const fieldOf = async (form: string) => {
    const text = await (await operator.get(page)).text()
    return new RegExp(`action="${page}/${form}"><input type="hidden" name="seen" value="(\\d+)"`).exec(
      text,
    )?.[1]
  }
  const send = async (path: string, fields: Record<string, string>) =>
    (await operator.post(`${page}/${path}`, fields)).status
  expect(await send('plan', { plan: 'pro' })).toBe(303)
  expect(await send('grant', { amount: '5', seen: (await fieldOf('grant')) ?? '' })).toBe(303)
  const seen = (await fieldOf('take-back')) ?? ''
  expect(await send('take-back', { amount: '100000', seen })).toBe(400)
  expect(await send('take-back', { amount: '5', seen })).toBe(303)
  expect(await send('take-back', { amount: '5', seen })).toBe(400)
  const linkPage = await (await operator.post(`${page}/reset-password`, {})).text()
  const path = /\/reset-password\/[\w-]{43}/.exec(linkPage)?.[0] ?? ''
  expect(linkPage).toContain(service.url + path)
  expect((await openVisitor(service).post(path, { next: goodPassword })).status).toBe(303)
  expect(await send('suspend', {})).toBe(303)
  expect(await send('resume', {})).toBe(303)
  expect(await send('delete', { confirm: 'other@example.org' })).toBe(400)
  expect(await accountOf(world, email)).toBe(id)
  expect(await send('delete', { confirm: ` ${email.toUpperCase()} ` })).toBe(303)
  const found = await entries(` --account ${id}`)
  expect(found.map(({ action, actor }) => [action, actor])).toEqual([
    ['account.deleted', operatorId],
    ['account.resumed', operatorId],
    ['account.suspended', operatorId],
    ['password.reset', id],
    ['password.reset_link_created', operatorId],
    ['credits.taken_back', operatorId],
    ['credits.granted', operatorId],
    ['account.plan_changed', operatorId],
    ['account.created', operatorId],
  ])
  const shown = await (await operator.get(`/operator/audit?account=${id}`)).text()
  for (const { action } of found) expect(shown).toContain(auditActions[action as keyof typeof auditActions])
  expect((await operator.get(page)).status).toBe(404)
})

test('sign-ins with their address, also failed ones, and keys and passwords of the pages are recorded', async () => {
  const owner = 'owner-acts@example.org'
  const { visitor, accountId: id } = await newPerson(world, owner)
  const page = `/operator/accounts/${id}`
  const formSeen = async () => /name="seen" value="(\d+)"/.exec(await (await operator.get(page)).text())?.[1]
  const seen = await formSeen()
  const stranger = openVisitor(service)
  for (const email of [owner, 'nobody@example.org'])
    await stranger.post('/signin', { email, password: 'not this one at all' })
  await stranger.post('/signin', { email: owner, password: goodPassword })
  const key = {
    id: 'key_0123456789abcdefghijklmn',
    name: 'Mine',
    scopes: 'chat:write',
    reach: 'owner',
    expires: 'never',
  }
  const made = await visitor.post('/settings/keys', key)
  expect(made.status).toBe(200)
  const [{ id: keyId } = { id: '' }] = await world.rows<{ id: string }>(
    'select id from api_keys where account_id = $1',
    id,
  )
  await visitor.post(`/settings/keys/${keyId}/revoke`, {})
  await visitor.post('/settings/account/password', {
    current: goodPassword,
    next: 'five other unrelated words now',
  })
  const found = (await entries(` --account ${id}`)).filter(({ actor }) => actor === id)
  const address = { address: '127.0.0.1' }
  expect(found.map(({ action, details }) => [action, details])).toEqual([
    ['password.changed', {}],
    ['key.revoked', { key: keyId }],
    ['key.created', { key: keyId }],
    ['session.signed_in', address],
    ['session.sign_in_failed', address],
  ])
  const unknown = (await entries()).find(({ account, action }) => !account && action.endsWith('failed'))
  expect(unknown).toMatchObject({ details: address })
  expect(await formSeen(), 'an owner cannot block the form of an operator').toBe(seen)
})

test('an operator can neither suspend nor delete the account they are signed in with', async () => {
  const page = `/operator/accounts/${operatorId}`
  expect((await operator.post(`${page}/suspend`, {})).status).toBe(400)
  expect((await operator.post(`${page}/delete`, { confirm: 'ops@example.org' })).status).toBe(400)
  expect((await operator.get('/operator')).status).toBe(200)
})

test('an account that its owner deletes leaves an entry by its owner', async () => {
  const { visitor, accountId: id } = await newPerson(world, 'leaving@example.org')
  expect((await visitor.post('/settings/account/delete', { current: goodPassword })).status).toBe(303)
  expect(await entries(` --account ${id}`)).toMatchObject([{ action: 'account.deleted', actor: id }])
})

test('audit entries refuse update, delete and truncate for every role', async () => {
  for (const change of [`update audit_log set actor = 'x'`, 'delete from audit_log', 'truncate audit_log'])
    await expect(db.database.systemPool.query(change), change).rejects.toThrow(
      'audit entries cannot be changed',
    )
})

test('the audit log comes in pages by command and by page, without gap and repetition', async () => {
  await world.rows(
    `insert into audit_log (actor, action, account_id) select 'command line', 'account.resumed', 'acct_many' from generate_series(1, 120)`,
  )
  const seen: string[] = []
  for (let before = ''; ; ) {
    const page = await entries(` --account acct_many --limit 50${before}`)
    seen.push(...page.map(({ id }) => id))
    if (page.length < 50) break
    before = ` --before ${page.at(-1)?.id}`
  }
  expect([seen.length, new Set(seen).size]).toEqual([120, 120])
  let shown = 0
  for (let path: string | undefined = '/operator/audit?account=acct_many'; path; ) {
    const text: string = await (await operator.get(path)).text()
    shown += text.split('>command line</div>').length - 1
    path = /href="([^"]+)">Older</.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(shown).toBe(120)
})

test('a reset link has the address of APP_URL, or is a path with an instruction', async () => {
  const line = 'accounts reset-password --email ops@example.org'
  expect(await command(line, { APP_URL: 'https://chat.example.org/' })).toMatch(
    /^https:\/\/chat\.example\.org\/reset-password\/[\w-]{43}\n/,
  )
  expect(await command(line)).toMatch(/^\/reset-password\/[\w-]{43}\nAPP_URL is not set: /)
})
