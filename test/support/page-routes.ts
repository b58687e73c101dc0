import { invite } from '../../src/accounts/members/invitations.ts'
import { tokenDigest } from '../../src/accounts/sign-in/token-digest.ts'
import { openWebSession } from '../../src/accounts/sign-in/web-sessions.ts'
import { withTx } from '../../src/db/client.ts'
import { members, passkeys } from '../../src/db/schema/index.ts'
import { newId } from '../../src/ids.ts'
import type { TestVisitor } from './visitor.ts'
import { makeAccount } from './world/accounts.ts'
import { bodyOf, call } from './world/requests.ts'
import { makeFile, makeKeyWithId, makeSession, makeSheet, newProject, type Things } from './world/things.ts'
import type { World } from './world/world.ts'

/** A new member of the things' account. */
async function newMember({ accountId }: Things, { db }: World): Promise<string> {
  const { id } = await makeAccount(db.database)
  await db.database.system.insert(members).values({ accountId, memberId: id, role: 'member' })
  return id
}

/** A new invitation to the things' account. */
async function newInvitation({ accountId }: Things, { db }: World): Promise<string> {
  const by = { accountId, role: 'owner' } as const
  const input = { email: undefined, role: 'viewer' } as const
  return (await withTx(db.database, 'system', (tx) => invite(tx, by, input))).invitation.id
}

/** A new endpoint of the things' account. */
async function newHook({ key }: Things, { service }: World): Promise<string> {
  const path = '/v1/webhook_endpoints'
  const { data } = await bodyOf(call(service, key, 'GET', path))
  for (const { id } of data.slice(10)) await call(service, key, 'DELETE', `${path}/${id}`)
  const body = { url: 'https://hooks.example.org/', events: ['run.completed'] }
  return (await bodyOf(call(service, key, 'POST', path, body))).id
}

/** A page, who may open it, and how to call it. */
export type PageRow = {
  readonly route: string
  readonly page: 'anyone' | 'account' | 'operator'
  /** The id of a thing of the owner's for the path, a fresh one where the call uses it up. */
  readonly own?: (things: Things, world: World) => string | Promise<string>
  readonly fields?: Readonly<Record<string, string>>
  readonly upload?: true
  /** Status for those who may; default: 200, and 303 after a form. */
  readonly ok?: number
  /** Ends the session that sends it. */
  readonly ends?: true
}

const oldSession = (t: Things, { service }: World) => makeSession(service, t)
const oldFile = (t: Things, { service }: World) => makeFile(service, t)
const oldSheet = (t: Things, { db }: World) => makeSheet(db, t)

const oldProject = (t: Things, { service }: World) => newProject(service, t)
const newKey = async ({ accountId }: Things, { db }: World) =>
  (await makeKeyWithId(db, accountId, { kind: 'owner' })).id
const newAccount = async (_: Things, { db }: World) => (await makeAccount(db.database)).id
const none = () => 'none'

async function newSignIn({ accountId }: Things, { db }: World): Promise<string> {
  return tokenDigest(await openWebSession(db.database.system, { accountId, agent: '' })).toString('base64url')
}

async function newPasskey({ accountId }: Things, { db }: World): Promise<string> {
  const id = newId('key')
  const passkey = { id, accountId, name: 'K', publicKey: Buffer.from('x'), counter: 0, transports: [] }
  await db.database.system.insert(passkeys).values(passkey)
  return id
}

const row =
  (page: PageRow['page']) =>
  (route: string, more: Omit<PageRow, 'route' | 'page'> = {}): PageRow => ({ route, page, ...more })
const [anyone, account, operator] = [row('anyone'), row('account'), row('operator')]

const rows: readonly PageRow[] = [
  anyone('GET /'),
  anyone('GET /signin'),
  anyone('POST /signin', { fields: { email: 'nobody@example.org', password: 'x' }, ok: 400 }),
  anyone('GET /signup'),
  anyone('POST /signup', { fields: { email: 'no address', password: 'x' }, ok: 400 }),
  anyone('POST /signout', { ends: true }),
  anyone('GET /reset-password/:token', { own: none, ok: 404 }),
  anyone('POST /reset-password/:token', { own: none, fields: { next: 'x' }, ok: 404 }),
  // Without mail these pages do not exist; see mail.e2e.test.ts.
  anyone('GET /forgot-password', { ok: 404 }),
  anyone('POST /forgot-password', { fields: { email: 'x@example.org' }, ok: 404 }),
  anyone('GET /confirm/:token', { own: none, ok: 404 }),
  anyone('POST /confirm/:token', { own: none, ok: 404 }),
  account('POST /settings/account/address', { fields: { email: 'x@example.org', current: 'x' }, ok: 404 }),
  account('GET /settings/alerts'),
  account('POST /settings/alerts/budgets', { fields: { project: '', period: 'day', credits: '5' } }),
  account('POST /settings/alerts/webhooks', {
    fields: { url: 'https://hooks.example.org/', events: 'run.completed' },
    ok: 200,
  }),
  account('GET /settings/alerts/webhooks/:id', { own: newHook }),
  account('POST /settings/alerts/webhooks/:id', {
    own: newHook,
    fields: { url: 'https://hooks.example.org/', events: 'run.failed' },
  }),
  account('POST /settings/alerts/webhooks/:id/rotate', { own: newHook, ok: 200 }),
  account('POST /settings/alerts/webhooks/:id/test', { own: newHook }),
  account('POST /settings/alerts/webhooks/:id/delete', { own: newHook }),
  account('POST /settings/alerts/webhooks/:id/deliveries/:delivery/send', { own: newHook, ok: 404 }),
  account('POST /settings/account/sign-ins/:id/end', { own: newSignIn }),
  // Without providers these pages do not exist; see provider-sign-in.e2e.test.ts.
  anyone('POST /signin/with/:provider', { own: none, ok: 404 }),
  anyone('GET /signin/with/:provider/callback', { own: none, ok: 404 }),
  account('POST /settings/account/providers/:provider/connect', { own: none, ok: 404 }),
  account('POST /settings/account/providers/:provider/disconnect', { own: none, ok: 404 }),
  anyone('GET /signin/code', { ok: 303 }),
  anyone('POST /signin/code', { fields: { code: '123456' } }),
  anyone('GET /signin/keep', { ok: 303 }),
  anyone('POST /signin/keep'),
  account('GET /settings/members'),
  account('POST /settings/members/invite', { fields: { email: 'x', role: 'member' }, ok: 400 }),
  account('POST /settings/members/act', { fields: { account: 'acct_none' }, ok: 404 }),
  account('POST /settings/members/leave', { ok: 400 }),
  account('POST /settings/members/:id/role', { own: newMember, fields: { role: 'viewer' } }),
  account('POST /settings/members/:id/remove', { own: newMember }),
  account('POST /settings/members/invitations/:id/revoke', { own: newInvitation }),
  anyone('GET /invitations/:token', { own: none, ok: 404 }),
  anyone('POST /invitations/:token', { own: none, ok: 404 }),
  anyone('POST /invitations/:token/account', { own: none, ok: 404 }),
  account('GET /settings/second-factor'),
  account('POST /settings/second-factor/app', { fields: { current: 'x' }, ok: 400 }),
  account('POST /settings/second-factor/app/confirm', { fields: { code: '1' }, ok: 400 }),
  account('POST /settings/second-factor/passkeys', { fields: { current: 'x' }, ok: 400 }),
  account('POST /settings/second-factor/passkeys/confirm', {
    fields: { name: 'x', answer: '{}', until: '1' },
    ok: 400,
  }),
  account('POST /settings/second-factor/codes', { fields: { code: '1' }, ok: 400 }),
  account('POST /settings/second-factor/off', { fields: { code: '1' }, ok: 400 }),
  account('POST /settings/account/sign-ins/end', { ends: true }),
  anyone('POST /preferences', { fields: { theme: 'dark' } }),
  anyone('GET /assets/:version/*'),
  anyone('GET /docs'),
  anyone('GET /docs/:name', { own: none, ok: 404 }),
  anyone('GET /library'),
  anyone('GET /library/search'),
  anyone('GET /library/work/:title', { own: () => 'None', ok: 404 }),
  anyone('GET /library/read/:ref', { own: () => 'None 1:1', ok: 404 }),
  anyone('GET /library/preview/:ref', { own: () => 'None 1:1', ok: 404 }),
  anyone('GET /library/work-preview/:title', { own: () => 'None', ok: 404 }),
  anyone('GET /library/passage/:ref', { own: () => 'None 1:1', ok: 404 }),
  anyone('POST /library/settings', { fields: { show: 'he' } }),
  account('POST /library/marks', { fields: { ref: '' }, ok: 400 }),
  account('GET /library/mine'),
  account('POST /library/history/clear'),
  anyone('GET /library/daily'),
  account('POST /library/daily', { fields: { work: 'None', action: 'stop' } }),
  account('GET /sheets'),
  account('POST /sheets', { fields: { title: '' }, ok: 400 }),
  account('POST /sheets/:id/delete', { own: oldSheet }),
  account('GET /sheets/add'),
  account('POST /sheets/add', { fields: { ref: 'None 1:1' }, ok: 400 }),
  account('GET /sheets/:id', { own: oldSheet }),
  account('POST /sheets/:id', { own: oldSheet, fields: { title: 'T' } }),
  account('POST /sheets/:id/share', { own: oldSheet }),
  account('POST /sheets/:id/unshare', { own: oldSheet }),
  account('GET /sheets/:id/preview', { own: oldSheet }),
  // A file needs a passage, and this sheet has none.
  account('GET /sheets/:id/file', { own: oldSheet, ok: 400 }),
  anyone('GET /sheets/shared/:token', { own: none, ok: 404 }),
  anyone('GET /sheets/shared/:token/file', { own: none, ok: 404 }),
  anyone('GET /*', { ok: 404 }),
  account('GET /settings/keys'),
  account('GET /settings/keys/new'),
  account('POST /settings/keys', {
    fields: { id: 'x', name: 'K', scopes: 'models:read', reach: 'owner', expires: 'never' },
    ok: 400,
  }),
  account('GET /settings/keys/:id', { own: newKey }),
  account('POST /settings/keys/:id', { own: newKey, fields: { name: '' }, ok: 400 }),
  account('POST /settings/keys/:id/revoke', { own: newKey }),
  account('GET /settings/account'),
  account('POST /settings/account/password', { fields: { current: 'wrong', next: 'x' }, ok: 400 }),
  account('POST /settings/account/export', { ok: 200 }),
  account('POST /settings/account/delete', { fields: { current: 'wrong' }, ok: 400 }),
  account('GET /ask/rail'),
  account('GET /ask'),
  account('POST /ask', { fields: { question: '' }, ok: 400 }),
  account('POST /ask/files', { upload: true, ok: 200 }),
  account('GET /sessions/:id', { own: (t) => t.sessionId }),
  account('POST /sessions/:id/rename', { own: (t) => t.sessionId, fields: { name: 'N' } }),
  account('POST /sessions/:id/delete', { own: oldSession }),
  account('POST /sessions/:id/share', { own: (t) => t.sessionId }),
  account('POST /sessions/:id/unshare', { own: (t) => t.sessionId }),
  account('GET /sessions/:id/export', { own: (t) => t.sessionId }),
  anyone('GET /shared/:token', { own: none, ok: 404 }),
  account('GET /runs/:id', { own: (t) => t.runId }),
  account('GET /runs/:id/live', { own: (t) => t.runId }),
  account('GET /runs/:id/turn', { own: (t) => t.runId }),
  account('POST /runs/:id/branch', {
    own: (t) => t.runId,
    fields: { form: 'f', question: '', model: 'service' },
    ok: 400,
  }),
  account('POST /runs/:id/feedback', { own: (t) => t.runId, fields: { rating: 'up', note: 'Good.' } }),
  account('POST /runs/:id/cancel', { own: (t) => t.runId }),
  account('GET /projects'),
  account('POST /projects', { fields: { name: '' }, ok: 400 }),
  account('GET /projects/:id', { own: (t) => t.projectId }),
  account('POST /projects/:id/rename', { own: (t) => t.projectId, fields: { name: 'N' } }),
  account('POST /projects/:id/instructions', {
    own: (t) => t.projectId,
    fields: { instructions: 'Be brief.' },
  }),
  account('POST /projects/:id/delete', { own: oldProject }),
  account('POST /projects/:id/files', { own: (t) => t.projectId, upload: true }),
  account('GET /files/:id', { own: (t) => t.fileId }),
  account('GET /files/:id/content', { own: (t) => t.fileId }),
  account('POST /files/:id/rename', { own: (t) => t.fileId, fields: { name: 'b.txt' } }),
  account('POST /files/:id/delete', { own: oldFile }),
  account('GET /usage'),
  account('GET /usage.csv'),
  operator('GET /operator'),
  operator('GET /operator/accounts/new'),
  operator('GET /operator/runs'),
  operator('POST /operator/accounts', { fields: { email: 'no address', plan: 'pro' }, ok: 400 }),
  operator('GET /operator/accounts/:id', { own: (t) => t.accountId }),
  operator('POST /operator/accounts/:id/plan', { own: (t) => t.accountId, fields: { plan: 'pro' } }),
  operator('POST /operator/accounts/:id/grant', {
    own: (t) => t.accountId,
    fields: { amount: 'x' },
    ok: 400,
  }),
  operator('POST /operator/accounts/:id/take-back', {
    own: (t) => t.accountId,
    fields: { amount: 'x', seen: '0' },
    ok: 400,
  }),
  operator('POST /operator/accounts/:id/reset-password', { own: (t) => t.accountId, ok: 200 }),
  operator('POST /operator/accounts/:id/suspend', { own: newAccount }),
  operator('POST /operator/accounts/:id/resume', { own: (t) => t.accountId }),
  operator('POST /operator/accounts/:id/hold', { own: newAccount, fields: { reason: 'A court' } }),
  operator('POST /operator/accounts/:id/release', { own: (t) => t.accountId }),
  operator('POST /operator/accounts/:id/delete', {
    own: (t) => t.accountId,
    fields: { confirm: 'not its address' },
    ok: 400,
  }),
  operator('GET /operator/audit'),
  operator('GET /operator/feedback'),
  operator('GET /operator/feedback.jsonl'),
  operator('GET /operator/library'),
  operator('GET /operator/library/collections'),
  operator('GET /operator/library/collections/:name', { own: () => 'tanya' }),
  operator('POST /operator/library/collections/:name/start', { own: () => 'tanya' }),
  operator('POST /operator/library/collections/:name/cancel', { own: () => 'tanya' }),
  operator('GET /operator/health'),
  // Last, because the owner has a second factor from here on.
  account('POST /settings/second-factor/passkeys/:id/remove', {
    own: newPasskey,
    fields: { code: '' },
    ok: 400,
  }),
]

/** Every page, who may open it, and what it answers to them. */
export const pageRows: readonly PageRow[] = rows.map((row) => ({
  ok: row.route.startsWith('POST') ? 303 : 200,
  ...row,
}))

/** Calls a page as a browser does. @param id for the path. */
export async function openPage(
  service: { readonly url: string },
  { route, fields, upload }: PageRow,
  visitor: TestVisitor,
  id: string,
): Promise<Response> {
  const [method = '', template = ''] = route.split(' ')
  const path = template
    .replace(':version/*', 'any/base.css')
    .replace(/:\w+/, encodeURIComponent(id))
    .replace('/*', '/none')
  if (method === 'GET') return visitor.get(path)
  if (!upload) return visitor.post(path, fields ?? {})
  const body = new FormData()
  body.set('file', new File(['text'], 'a.txt'))
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { 'sec-fetch-site': 'same-origin', cookie }
  return fetch(service.url + path, { method, body, headers, redirect: 'manual' })
}
