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

const rows: readonly PageRow[] = [
  { route: 'GET /', page: 'anyone' },
  { route: 'GET /signin', page: 'anyone' },
  { route: 'POST /signin', page: 'anyone', fields: { email: 'nobody@example.org', password: 'x' }, ok: 400 },
  { route: 'GET /signup', page: 'anyone' },
  { route: 'POST /signup', page: 'anyone', fields: { email: 'no address', password: 'x' }, ok: 400 },
  { route: 'POST /signout', page: 'anyone', ends: true },
  { route: 'GET /reset-password/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'POST /reset-password/:token', page: 'anyone', own: none, fields: { next: 'x' }, ok: 404 },
  // Without mail these pages do not exist; see mail.e2e.test.ts.
  { route: 'GET /forgot-password', page: 'anyone', ok: 404 },
  { route: 'POST /forgot-password', page: 'anyone', fields: { email: 'x@example.org' }, ok: 404 },
  { route: 'GET /confirm/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'POST /confirm/:token', page: 'anyone', own: none, ok: 404 },
  {
    route: 'POST /settings/account/address',
    page: 'account',
    fields: { email: 'x@example.org', current: 'x' },
    ok: 404,
  },
  { route: 'GET /settings/alerts', page: 'account' },
  {
    route: 'POST /settings/alerts/budgets',
    page: 'account',
    fields: { project: '', period: 'day', credits: '5' },
  },
  {
    route: 'POST /settings/alerts/webhooks',
    page: 'account',
    fields: { url: 'https://hooks.example.org/', events: 'run.completed' },
    ok: 200,
  },
  { route: 'GET /settings/alerts/webhooks/:id', page: 'account', own: newHook },
  {
    route: 'POST /settings/alerts/webhooks/:id',
    page: 'account',
    own: newHook,
    fields: { url: 'https://hooks.example.org/', events: 'run.failed' },
  },
  { route: 'POST /settings/alerts/webhooks/:id/rotate', page: 'account', own: newHook, ok: 200 },
  { route: 'POST /settings/alerts/webhooks/:id/test', page: 'account', own: newHook },
  { route: 'POST /settings/alerts/webhooks/:id/delete', page: 'account', own: newHook },
  {
    route: 'POST /settings/alerts/webhooks/:id/deliveries/:delivery/send',
    page: 'account',
    own: newHook,
    ok: 404,
  },
  { route: 'POST /settings/account/sign-ins/:id/end', page: 'account', own: newSignIn },
  // Without providers these pages do not exist; see provider-sign-in.e2e.test.ts.
  { route: 'POST /signin/with/:provider', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /signin/with/:provider/callback', page: 'anyone', own: none, ok: 404 },
  ...(['connect', 'disconnect'] as const).map((action) => ({
    route: `POST /settings/account/providers/:provider/${action}`,
    page: 'account' as const,
    own: none,
    ok: 404,
  })),
  { route: 'GET /signin/code', page: 'anyone', ok: 303 },
  { route: 'POST /signin/code', page: 'anyone', fields: { code: '123456' } },
  { route: 'GET /signin/keep', page: 'anyone', ok: 303 },
  { route: 'POST /signin/keep', page: 'anyone' },
  { route: 'GET /settings/members', page: 'account' },
  {
    route: 'POST /settings/members/invite',
    page: 'account',
    fields: { email: 'x', role: 'member' },
    ok: 400,
  },
  { route: 'POST /settings/members/act', page: 'account', fields: { account: 'acct_none' }, ok: 404 },
  { route: 'POST /settings/members/leave', page: 'account', ok: 400 },
  { route: 'POST /settings/members/:id/role', page: 'account', own: newMember, fields: { role: 'viewer' } },
  { route: 'POST /settings/members/:id/remove', page: 'account', own: newMember },
  { route: 'POST /settings/members/invitations/:id/revoke', page: 'account', own: newInvitation },
  { route: 'GET /invitations/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'POST /invitations/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'POST /invitations/:token/account', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /settings/second-factor', page: 'account' },
  { route: 'POST /settings/second-factor/app', page: 'account', fields: { current: 'x' }, ok: 400 },
  { route: 'POST /settings/second-factor/app/confirm', page: 'account', fields: { code: '1' }, ok: 400 },
  { route: 'POST /settings/second-factor/passkeys', page: 'account', fields: { current: 'x' }, ok: 400 },
  {
    route: 'POST /settings/second-factor/passkeys/confirm',
    page: 'account',
    fields: { name: 'x', answer: '{}', until: '1' },
    ok: 400,
  },
  { route: 'POST /settings/second-factor/codes', page: 'account', fields: { code: '1' }, ok: 400 },
  { route: 'POST /settings/second-factor/off', page: 'account', fields: { code: '1' }, ok: 400 },
  { route: 'POST /settings/account/sign-ins/end', page: 'account', ends: true },
  { route: 'POST /preferences', page: 'anyone', fields: { theme: 'dark' } },
  { route: 'GET /assets/:version/*', page: 'anyone' },
  { route: 'GET /docs', page: 'anyone' },
  { route: 'GET /docs/:name', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /library', page: 'anyone' },
  { route: 'GET /library/search', page: 'anyone' },
  { route: 'GET /library/work/:title', page: 'anyone', own: () => 'None', ok: 404 },
  { route: 'GET /library/read/:ref', page: 'anyone', own: () => 'None 1:1', ok: 404 },
  { route: 'GET /library/preview/:ref', page: 'anyone', own: () => 'None 1:1', ok: 404 },
  { route: 'GET /library/work-preview/:title', page: 'anyone', own: () => 'None', ok: 404 },
  { route: 'GET /library/passage/:ref', page: 'anyone', own: () => 'None 1:1', ok: 404 },
  { route: 'POST /library/settings', page: 'anyone', fields: { show: 'he' } },
  { route: 'POST /library/marks', page: 'account', fields: { ref: '' }, ok: 400 },
  { route: 'GET /library/mine', page: 'account' },
  { route: 'POST /library/history/clear', page: 'account' },
  { route: 'GET /library/daily', page: 'anyone' },
  { route: 'POST /library/daily', page: 'account', fields: { work: 'None', action: 'stop' } },
  { route: 'GET /sheets', page: 'account' },
  { route: 'POST /sheets', page: 'account', fields: { title: '' }, ok: 400 },
  { route: 'POST /sheets/:id/delete', page: 'account', own: oldSheet },
  { route: 'GET /sheets/add', page: 'account' },
  { route: 'POST /sheets/add', page: 'account', fields: { ref: 'None 1:1' }, ok: 400 },
  { route: 'GET /sheets/:id', page: 'account', own: oldSheet },
  { route: 'POST /sheets/:id', page: 'account', own: oldSheet, fields: { title: 'T' } },
  { route: 'POST /sheets/:id/share', page: 'account', own: oldSheet },
  { route: 'POST /sheets/:id/unshare', page: 'account', own: oldSheet },
  { route: 'GET /sheets/:id/preview', page: 'account', own: oldSheet },
  // A file needs a passage, and this sheet has none.
  { route: 'GET /sheets/:id/file', page: 'account', own: oldSheet, ok: 400 },
  { route: 'GET /sheets/shared/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /sheets/shared/:token/file', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /*', page: 'anyone', ok: 404 },
  { route: 'GET /settings/keys', page: 'account' },
  { route: 'GET /settings/keys/new', page: 'account' },
  {
    route: 'POST /settings/keys',
    page: 'account',
    fields: { id: 'x', name: 'K', scopes: 'models:read', reach: 'owner', expires: 'never' },
    ok: 400,
  },
  { route: 'GET /settings/keys/:id', page: 'account', own: newKey },
  { route: 'POST /settings/keys/:id', page: 'account', own: newKey, fields: { name: '' }, ok: 400 },
  { route: 'POST /settings/keys/:id/revoke', page: 'account', own: newKey },
  { route: 'GET /settings/account', page: 'account' },
  {
    route: 'POST /settings/account/password',
    page: 'account',
    fields: { current: 'wrong', next: 'x' },
    ok: 400,
  },
  { route: 'POST /settings/account/export', page: 'account', ok: 200 },
  { route: 'POST /settings/account/delete', page: 'account', fields: { current: 'wrong' }, ok: 400 },
  { route: 'GET /ask/rail', page: 'account' },
  { route: 'GET /ask', page: 'account' },
  { route: 'POST /ask', page: 'account', fields: { question: '' }, ok: 400 },
  { route: 'POST /ask/files', page: 'account', upload: true, ok: 200 },
  { route: 'GET /sessions/:id', page: 'account', own: (t) => t.sessionId },
  { route: 'POST /sessions/:id/rename', page: 'account', own: (t) => t.sessionId, fields: { name: 'N' } },
  { route: 'POST /sessions/:id/delete', page: 'account', own: oldSession },
  { route: 'POST /sessions/:id/share', page: 'account', own: (t) => t.sessionId },
  { route: 'POST /sessions/:id/unshare', page: 'account', own: (t) => t.sessionId },
  { route: 'GET /sessions/:id/export', page: 'account', own: (t) => t.sessionId },
  { route: 'GET /shared/:token', page: 'anyone', own: none, ok: 404 },
  { route: 'GET /runs/:id', page: 'account', own: (t) => t.runId },
  { route: 'GET /runs/:id/live', page: 'account', own: (t) => t.runId },
  { route: 'GET /runs/:id/turn', page: 'account', own: (t) => t.runId },
  {
    route: 'POST /runs/:id/branch',
    page: 'account',
    own: (t) => t.runId,
    fields: { form: 'f', question: '', model: 'service' },
    ok: 400,
  },
  {
    route: 'POST /runs/:id/feedback',
    page: 'account',
    own: (t) => t.runId,
    fields: { rating: 'up', note: 'Good.' },
  },
  { route: 'POST /runs/:id/cancel', page: 'account', own: (t) => t.runId },
  { route: 'GET /projects', page: 'account' },
  { route: 'POST /projects', page: 'account', fields: { name: '' }, ok: 400 },
  { route: 'GET /projects/:id', page: 'account', own: (t) => t.projectId },
  { route: 'POST /projects/:id/rename', page: 'account', own: (t) => t.projectId, fields: { name: 'N' } },
  {
    route: 'POST /projects/:id/instructions',
    page: 'account',
    own: (t) => t.projectId,
    fields: { instructions: 'Be brief.' },
  },
  { route: 'POST /projects/:id/delete', page: 'account', own: oldProject },
  { route: 'POST /projects/:id/files', page: 'account', own: (t) => t.projectId, upload: true },
  { route: 'GET /files/:id', page: 'account', own: (t) => t.fileId },
  { route: 'GET /files/:id/content', page: 'account', own: (t) => t.fileId },
  { route: 'POST /files/:id/rename', page: 'account', own: (t) => t.fileId, fields: { name: 'b.txt' } },
  { route: 'POST /files/:id/delete', page: 'account', own: oldFile },
  { route: 'GET /usage', page: 'account' },
  { route: 'GET /usage.csv', page: 'account' },
  { route: 'GET /operator', page: 'operator' },
  { route: 'GET /operator/accounts/new', page: 'operator' },
  { route: 'GET /operator/runs', page: 'operator' },
  {
    route: 'POST /operator/accounts',
    page: 'operator',
    fields: { email: 'no address', plan: 'pro' },
    ok: 400,
  },
  { route: 'GET /operator/accounts/:id', page: 'operator', own: (t) => t.accountId },
  {
    route: 'POST /operator/accounts/:id/plan',
    page: 'operator',
    own: (t) => t.accountId,
    fields: { plan: 'pro' },
  },
  {
    route: 'POST /operator/accounts/:id/grant',
    page: 'operator',
    own: (t) => t.accountId,
    fields: { amount: 'x' },
    ok: 400,
  },
  {
    route: 'POST /operator/accounts/:id/take-back',
    page: 'operator',
    own: (t) => t.accountId,
    fields: { amount: 'x', seen: '0' },
    ok: 400,
  },
  { route: 'POST /operator/accounts/:id/reset-password', page: 'operator', own: (t) => t.accountId, ok: 200 },
  { route: 'POST /operator/accounts/:id/suspend', page: 'operator', own: newAccount },
  { route: 'POST /operator/accounts/:id/resume', page: 'operator', own: (t) => t.accountId },
  {
    route: 'POST /operator/accounts/:id/hold',
    page: 'operator',
    own: newAccount,
    fields: { reason: 'A court' },
  },
  { route: 'POST /operator/accounts/:id/release', page: 'operator', own: (t) => t.accountId },
  {
    route: 'POST /operator/accounts/:id/delete',
    page: 'operator',
    own: (t) => t.accountId,
    fields: { confirm: 'not its address' },
    ok: 400,
  },
  { route: 'GET /operator/audit', page: 'operator' },
  { route: 'GET /operator/feedback', page: 'operator' },
  { route: 'GET /operator/feedback.jsonl', page: 'operator' },
  { route: 'GET /operator/library', page: 'operator' },
  { route: 'GET /operator/library/collections', page: 'operator' },
  { route: 'GET /operator/library/collections/:name', page: 'operator', own: () => 'tanya' },
  { route: 'POST /operator/library/collections/:name/start', page: 'operator', own: () => 'tanya' },
  { route: 'POST /operator/library/collections/:name/cancel', page: 'operator', own: () => 'tanya' },
  { route: 'GET /operator/health', page: 'operator' },
  // Last, because the owner has a second factor from here on.
  {
    route: 'POST /settings/second-factor/passkeys/:id/remove',
    page: 'account',
    own: newPasskey,
    fields: { code: '' },
    ok: 400,
  },
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
