import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { endHold, placeHold } from '../../src/accounts/legal-hold.ts'
import { createLogger } from '../../src/log.ts'
import { removeClosed } from '../../src/operations/closed-accounts.ts'
import { resumeAccount, suspendAccount } from '../../src/turns/sessions/suspension.ts'
import { runLine } from '../support/command-line.ts'
import { goodPassword, openVisitor, type TestVisitor } from '../support/visitor.ts'
import { newPerson } from '../support/world/person.ts'
import { call, question } from '../support/world/requests.ts'
import { makeSheet, makeThings, ownerKey } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld, type World } from '../support/world/world.ts'
import { zipEntries } from '../support/zip-entries.ts'

let { db, service } = {} as World
const log = createLogger('silent')

const world = useWorld({ ...unhurried, model: 'built-in', web: { signUpPlan: 'pro', deletionDays: 7 } })
beforeAll(async () => {
  ;({ db, service } = world)
})

const rows = async (statement: string, ...values: readonly unknown[]) =>
  await world.rows(statement, ...values)
const passTime = (id: string) =>
  rows(`update accounts set deletion_due_at = deletion_due_at - interval '8 days' where id = $1`, id)

let people = 0
/** A person with an account that has a conversation, a file and a sheet. */
async function person() {
  people += 1
  const email = `data-${people}@example.org`
  const { visitor, accountId } = await newPerson(world, email)
  const things = await makeThings(db, service, { accountId, key: await ownerKey(db, accountId) })
  return { ...things, email, visitor, sheetId: await makeSheet(db, things) }
}
const closed = async () => {
  const owner = await person()
  const { headers } = await owner.visitor.post('/settings/account/delete', { current: goodPassword })
  expect(headers.get('location')).toBe('/signin?done=closed')
  return owner
}
const signInTo = (visitor: TestVisitor, email: string, password = goodPassword) =>
  visitor.post('/signin', { email, password })

test('an owner downloads all data on the page, batch by batch, and it is recorded', async () => {
  const { accountId, visitor, sessionId } = await person()
  await rows(
    `insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
     select 'long' || i, $1, $2, '', 2, i, 'user', to_jsonb(repeat(md5(i::text), 2000)) from generate_series(1, 450) i`,
    accountId,
    sessionId,
  )
  const response = await visitor.post('/settings/account/export', {})
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="export-[\d-]+\.zip"/)
  const entries = await zipEntries(Buffer.from(await response.arrayBuffer()))
  const messages = JSON.parse(String(entries.get('messages.json')))
  expect(messages.map(({ position }: { position: number }) => position).slice(-450)).toEqual(
    Array.from({ length: 450 }, (_, i) => i + 1),
  )
  expect(JSON.parse(String(entries.get('audit_log.json')))).toContainEqual(
    expect.objectContaining({ action: 'account.exported', actor: accountId }),
  )
})

test('a second export of an account is refused while the first one is read', async () => {
  const { accountId, visitor, sessionId } = await person()
  await rows(
    `insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
     select 'much' || i, $1, $2, '', 2, i, 'user', to_jsonb(array(select gen_random_uuid() from generate_series(1, 20000)))
     from generate_series(1, 60) i`,
    accountId,
    sessionId,
  )
  const first = await visitor.post('/settings/account/export', {})
  expect((await visitor.post('/settings/account/export', {})).status).toBe(429)
  await first.body?.cancel()
  await expect.poll(async () => (await visitor.post('/settings/account/export', {})).status).toBe(200)
})

test('the command writes the export to a new file that only its user can read', async () => {
  const { email, fileId } = await person()
  const folder = await mkdtemp(path.join(tmpdir(), 'export-'))
  try {
    const out = path.join(folder, 'a.zip')
    await runLine(db, ['accounts', 'export', '--email', email, '--out', out])
    const entries = await zipEntries(await readFile(out))
    expect(String(entries.get(`files/${fileId}/1/a.txt`))).toBe('a text')
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    await expect(runLine(db, ['accounts', 'export', '--email', email, '--out', out])).rejects.toThrow(
      'name a new file',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a closed account refuses keys, pages and sign-in at once, and is deleted after its days', async () => {
  const { accountId, key, email, visitor } = await closed()
  expect((await call(service, key, 'POST', '/v1/chat/completions', question('Still?'))).status).toBe(403)
  expect((await visitor.get('/settings/account')).status).toBe(303)
  const stopped = openVisitor(service)
  expect(await (await signInTo(stopped, email)).text()).toContain('action="/signin/keep"')
  expect((await stopped.get('/settings/account')).status).toBe(303)
  expect(await removeClosed(db.database, log)).toBe(0)
  await passTime(accountId)
  expect(await removeClosed(db.database, log)).toBe(1)
  expect(await rows('select from projects where account_id = $1', accountId)).toEqual([])
  expect(
    await rows('select action from audit_log where account_id = $1 order by id desc limit 2', accountId),
  ).toEqual([{ action: 'account.deleted' }, { action: 'account.closed' }])
})

test('an owner takes the deletion back by signing in, with the right password only', async () => {
  const { accountId, key, email } = await closed()
  const other = openVisitor(service)
  expect((await signInTo(other, email, 'not the words of it')).status).toBe(400)
  expect((await other.post('/signin/keep', {})).headers.get('location')).toBe('/signin?ended=step')
  const owner = openVisitor(service)
  await signInTo(owner, email)
  const kept = await owner.post('/signin/keep', { next: '/usage' })
  expect([kept.status, kept.headers.get('location')]).toEqual([303, '/usage'])
  expect((await owner.get('/settings/account')).status).toBe(200)
  expect((await call(service, key, 'GET', '/v1/key')).status).toBe(200)
  expect(await rows('select deletion_due_at as due from accounts where id = $1', accountId)).toEqual([
    { due: null },
  ])
  expect(await removeClosed(db.database, log)).toBe(0)
})

test('an operator takes a deletion back, and cannot suspend the account before', async () => {
  const { accountId, email } = await closed()
  const acting = { actor: commandLine, accountId }
  await expect(suspendAccount(db.database, acting)).rejects.toThrow('Take the deletion back first')
  await resumeAccount(db.database, acting)
  expect((await signInTo(openVisitor(service), email)).status).toBe(303)
  await suspendAccount(db.database, acting)
  expect((await signInTo(openVisitor(service), email)).status).toBe(403)
})

test('nothing of an account under a legal hold is deleted, by whatever way, until the hold ends', async () => {
  const owner = await closed()
  const { accountId, key, projectId, sessionId, fileId, sheetId } = owner
  const acting = { actor: commandLine, accountId }
  await resumeAccount(db.database, acting)
  const visitor = openVisitor(service)
  await visitor.post('/signin', { email: owner.email, password: goodPassword })
  await placeHold(db.database, { ...acting, reason: 'A court asked for it.' })
  const refusals = [
    ...[`/v1/projects/${projectId}`, `/v1/agent/sessions/${sessionId}`, `/v1/files/${fileId}`].map((route) =>
      call(service, key, 'DELETE', route),
    ),
    visitor.post(`/sheets/${sheetId}/delete`, {}),
    visitor.post('/settings/account/delete', { current: goodPassword }),
  ]
  for (const refusal of refusals) {
    const response = await refusal
    expect(response.status, response.url).toBe(409)
    expect(await response.text()).toContain('under a legal hold')
  }
  await rows('update accounts set suspended_at = now(), deletion_due_at = now() where id = $1', accountId)
  expect(await removeClosed(db.database, log)).toBe(0)
  await endHold(db.database, acting)
  expect(await removeClosed(db.database, log)).toBe(1)
})

test('an operator places and ends a legal hold on the page and by command', async () => {
  const { accountId, email } = await person()
  const { visitor: operator } = await newPerson(world, 'operator-of-holds@example.org', 'operator = true')
  const page = `/operator/accounts/${accountId}`
  const empty = await operator.post(`${page}/hold`, { reason: ' ' })
  expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining('needs a reason')])
  expect((await operator.post(`${page}/hold`, { reason: 'Court <1>' })).status).toBe(303)
  expect(await (await operator.get(page)).text()).toContain('Court &lt;1&gt;')
  expect((await operator.post(`${page}/release`, {})).status).toBe(303)
  await runLine(db, ['accounts', 'hold', '--email', email, '--reason', 'Another court'])
  expect(JSON.parse(await runLine(db, ['accounts', 'release', '--email', email, '--json']))).toMatchObject({
    legal_hold: false,
  })
  const entries = await world.rows<{ action: string; actor: string }>(
    'select action, actor from audit_log where account_id = $1 order by id desc',
    accountId,
  )
  expect(entries.filter(({ action }) => action.startsWith('account.hold')).map(({ actor }) => actor)).toEqual(
    [commandLine, commandLine, expect.stringMatching(/^acct_/), expect.stringMatching(/^acct_/)],
  )
})
