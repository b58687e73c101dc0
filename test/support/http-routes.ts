import type { KeyScope } from '../../src/accounts/scopes.ts'
import { form, type Reply, send, sendJson } from './http-raw.ts'
import { signedUp, type TestVisitor } from './visitor.ts'
import { question } from './world/requests.ts'
import type { TestService } from './world/service.ts'
import { giveInstructions, makeFile, makeRun, makeSession, newProject, type Things } from './world/things.ts'
import type { World } from './world/world.ts'

export type Row = {
  readonly route: string
  readonly scope: KeyScope | 'any-key' | 'public'
  /** Creates the resource that the path names; a new one per call if the call consumes it. */
  readonly query?: string
  readonly own?: (things: Things, service: TestService) => string | Promise<string>
  readonly body?: (things: Things) => unknown
  /**
   * The body names the resource. This decides whether it is looked up before or after the check of the scope.
   */
  readonly named?: 'before the scope' | 'after the scope'
  readonly ownerOnly?: true
  /** For keys of accounts of operators; the accounts of the table are none. */
  readonly operatorOnly?: true
  /** The resource of `own` is in no project that a key bound to a project reaches. */
  readonly apart?: true
  /** The resource of `own` is in no project, and is looked up after the check of the scope. */
  readonly ofAccount?: true
  /** The route is not part of the API and its description. */
  readonly undescribed?: true
  /** Status for those who may. */
  readonly ok?: number
}

const inPlace = (things: Things) =>
  form([
    { name: 'project_id', value: things.projectId },
    { name: 'file', filename: 'a.txt', content: 'text' },
  ])

const asked = { model: 'service', input: 'Who is a tzaddik?' }
/** A response has the id of its run, with another prefix. */
const responseOf = ({ runId }: Pick<Things, 'runId'>) => runId.replace('run_', 'resp_')
/** A conversation has the id of its session, with another prefix. */
const conversationOf = ({ sessionId }: Pick<Things, 'sessionId'>) => sessionId.replace('sess_', 'conv_')

const addedItems = { items: [{ role: 'user', content: 'By the way' }] }

/** A new item of the conversation, as `pathOf` takes it. */
async function newItem(things: Things, service: TestService): Promise<string> {
  const conversation = conversationOf(things)
  const path = `/v1/conversations/${conversation}/items`
  const { text } = await sendJson(service, { method: 'POST', path, key: things.key, body: addedItems })
  return `${conversation}/${JSON.parse(text).data[0].id}`
}

const made = async (things: Things, service: TestService, path: string, body: object) =>
  JSON.parse((await sendJson(service, { method: 'POST', path, key: things.key, body })).text).id as string

const newKey = (things: Things, service: TestService) => made(things, service, '/v1/keys', { name: 'A key' })

let accountsMade = 0
const address = () => {
  accountsMade += 1
  return { email: `made-${accountsMade}@example.org` }
}
/** Works for things of an operator. */
const newAccount = (things: Things, service: TestService) => made(things, service, '/v1/accounts', address())

const hook = { url: 'https://hooks.example.org/', events: ['run.completed'] }

/** One endpoint for each thing: an account can have twenty. */
async function newHook(things: Things, service: TestService): Promise<string> {
  const path = '/v1/webhook_endpoints'
  const { text } = await send(service, { method: 'GET', path, key: things.key })
  const [, ...others] = JSON.parse(text).data as { id: string }[]
  for (const { id } of others)
    await send(service, { method: 'DELETE', path: `${path}/${id}`, key: things.key })
  return made(things, service, path, hook)
}

const newInvitation = (things: Things, service: TestService) =>
  made(things, service, '/v1/invitations', { role: 'member' })

/** A person of each service who becomes a member where one is needed: an address can have few new accounts in an hour. */
const people = new Map<string, Promise<TestVisitor>>()

/** The member that the account has, or a new one. */
async function someMember(things: Things, service: TestService): Promise<string> {
  const { key } = things
  const list = async () =>
    JSON.parse((await send(service, { method: 'GET', path: '/v1/members', key })).text).data as {
      id: string
    }[]
  const [, known] = await list()
  if (known) return known.id
  const person = people.get(service.url) ?? signedUp(service, `member-${Date.now()}@example.org`)
  people.set(service.url, person)
  const invited = await sendJson(service, {
    method: 'POST',
    path: '/v1/invitations',
    key,
    body: { role: 'member' },
  })
  await (await person).post(new URL(JSON.parse(invited.text).url).pathname, {})
  const [, member] = await list()
  return member?.id ?? ''
}

/** A delivery of a new endpoint, as `pathOf` takes it. */
async function newDelivery(things: Things, service: TestService): Promise<string> {
  const id = await newHook(things, service)
  const path = `/v1/webhook_endpoints/${id}`
  await sendJson(service, { method: 'POST', path: `${path}/test`, key: things.key, body: {} })
  const { text } = await send(service, { method: 'GET', path: `${path}/deliveries`, key: things.key })
  return `${id}/${JSON.parse(text).data[0].id}`
}

type More = Omit<Row, 'route' | 'scope'>
const row = (route: string, scope: Row['scope'], more: More = {}): Row => ({ route, scope, ...more })
const managing = (route: string, more: More = {}) =>
  row(route, 'account:manage', { ownerOnly: true, ...more })
const operating = (route: string, more: More = {}) =>
  row(route, 'accounts:manage', { ownerOnly: true, operatorOnly: true, ...more })

/** All routes of the service, with the key that each requires. */
export const table: readonly Row[] = [
  row('GET /healthz', 'public'),
  row('GET /readyz', 'public'),
  row('GET /openapi.json', 'public'),
  row('GET /v1/openapi.json', 'any-key'),
  row('GET /v1/models', 'models:read'),
  row('GET /v1/models/:model', 'models:read'),
  row('POST /v1/chat/completions', 'chat:write', { body: () => question('Who is a tzaddik?') }),
  row('POST /v1/chat/completions', 'chat:write', {
    named: 'after the scope',
    body: ({ projectId }) => ({ ...question('Who?'), x_service: { project_id: projectId } }),
  }),
  row('POST /v1/chat/completions', 'sessions:write', {
    named: 'before the scope',
    body: ({ sessionId }) => ({ ...question('Who?'), x_service: { session_id: sessionId } }),
  }),
  row('POST /v1/projects', 'projects:write', { ownerOnly: true, body: () => ({ name: 'New' }) }),
  row('GET /v1/projects', 'projects:read'),
  row('GET /v1/projects/:id', 'projects:read', { own: (t) => t.projectId }),
  row('GET /v1/projects/:id/instructions/:hash', 'projects:read', {
    own: (t, service) => giveInstructions(service, t),
  }),
  row('PATCH /v1/projects/:id', 'projects:write', {
    own: (t) => t.projectId,
    ownerOnly: true,
    body: () => ({ name: 'Renamed' }),
  }),
  row('DELETE /v1/projects/:id', 'projects:write', {
    own: (t, service) => newProject(service, t),
    ownerOnly: true,
    apart: true,
  }),
  managing('GET /v1/keys'),
  managing('POST /v1/keys', { body: () => ({ name: 'New' }) }),
  managing('GET /v1/keys/:id', { own: newKey, apart: true }),
  managing('PATCH /v1/keys/:id', { own: newKey, apart: true, body: () => ({ name: 'Renamed' }) }),
  managing('POST /v1/keys/:id/rotate', { own: newKey, apart: true, body: () => ({}) }),
  managing('DELETE /v1/keys/:id', { own: newKey, apart: true }),
  operating('GET /v1/accounts'),
  operating('POST /v1/accounts', { body: address }),
  operating('GET /v1/accounts/:id', { own: newAccount }),
  operating('PATCH /v1/accounts/:id', { own: newAccount, body: () => ({ plan: 'pro' }) }),
  operating('POST /v1/accounts/:id/credits', { own: newAccount, body: () => ({ amount: '1' }) }),
  operating('DELETE /v1/accounts/:id', { own: newAccount }),
  managing('GET /v1/budgets'),
  managing('POST /v1/budgets', { body: () => ({ period: 'month', credits: '100' }) }),
  managing('GET /v1/members'),
  managing('PATCH /v1/members/:id', { own: someMember, ofAccount: true, body: () => ({ role: 'viewer' }) }),
  managing('DELETE /v1/members/:id', { own: someMember, ofAccount: true }),
  managing('GET /v1/invitations'),
  managing('POST /v1/invitations', { body: () => ({ role: 'member' }) }),
  managing('DELETE /v1/invitations/:id', { own: newInvitation, ofAccount: true }),
  managing('GET /v1/webhook_endpoints'),
  managing('POST /v1/webhook_endpoints', { body: () => hook }),
  managing('GET /v1/webhook_endpoints/:id', { own: newHook, apart: true }),
  managing('PATCH /v1/webhook_endpoints/:id', {
    own: newHook,
    apart: true,
    body: () => ({ enabled: false }),
  }),
  managing('DELETE /v1/webhook_endpoints/:id', { own: newHook, apart: true }),
  managing('POST /v1/webhook_endpoints/:id/rotate_secret', { own: newHook, apart: true }),
  managing('POST /v1/webhook_endpoints/:id/test', { own: newHook, apart: true }),
  managing('GET /v1/webhook_endpoints/:id/deliveries', { own: newHook, apart: true }),
  managing('POST /v1/webhook_endpoints/:id/deliveries/:delivery/send', { own: newDelivery, apart: true }),
  row('POST /v1/agent/sessions', 'sessions:write', { body: () => ({}) }),
  row('POST /v1/agent/sessions', 'sessions:write', {
    named: 'after the scope',
    body: ({ projectId }) => ({ projectId }),
  }),
  row('GET /v1/agent/sessions', 'sessions:write'),
  row('GET /v1/agent/sessions/:id', 'sessions:write', { own: (t) => t.sessionId }),
  row('PATCH /v1/agent/sessions/:id', 'sessions:write', {
    own: (t) => t.sessionId,
    body: () => ({ name: 'Renamed' }),
  }),
  row('DELETE /v1/agent/sessions/:id', 'sessions:write', { own: (t, service) => makeSession(service, t) }),
  row('GET /v1/agent/sessions/:id/messages', 'sessions:write', { own: (t) => t.sessionId }),
  row('GET /v1/agent/sessions/:id/runs', 'chat:write', { own: (t) => t.sessionId }),
  row('GET /v1/agent/runs/:id', 'chat:write', { own: (t) => t.runId }),
  row('POST /v1/agent/runs/:id/cancel', 'chat:write', { own: (t) => t.runId }),
  row('GET /v1/agent/runs/:id/events', 'chat:write', { own: (t) => t.runId }),
  row('POST /v1/files', 'files:write', {
    body: () => form([{ name: 'file', filename: 'a.txt', content: 'text' }]),
  }),
  row('POST /v1/files', 'files:write', { named: 'after the scope', body: inPlace }),
  row('GET /v1/files', 'files:read'),
  row('GET /v1/files/:id', 'files:read', { own: (t) => t.fileId }),
  row('GET /v1/files/:id/content', 'files:read', { own: (t) => t.fileId }),
  row('DELETE /v1/files/:id', 'files:write', { own: (t, service) => makeFile(service, t) }),
  row('GET /v1/sources/works', 'sources:read'),
  row('GET /v1/sources/search', 'sources:read', { query: '?q=beinoni' }),
  row('GET /v1/sources/:ref', 'sources:read', { ok: 404 }),
  row('POST /v1/sources/verify', 'sources:read', { body: () => ({ text: 'A “quotation” of few words.' }) }),
  row('POST /mcp', 'sources:read', {
    undescribed: true,
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  }),
  row('GET /mcp', 'public', { undescribed: true, ok: 405 }),
  row('DELETE /mcp', 'public', { undescribed: true, ok: 405 }),
  row('GET /.well-known/oauth-protected-resource', 'public', { undescribed: true }),
  row('GET /.well-known/oauth-protected-resource/mcp', 'public', { undescribed: true }),
  row('GET /v1/key', 'any-key'),
  row('GET /v1/usage', 'any-key'),
  row('POST /v1/embeddings', 'chat:write', { body: () => ({ model: 'embedding', input: 'A text' }) }),
  row('POST /v1/responses', 'chat:write', { body: () => asked }),
  row('POST /v1/responses', 'chat:write', {
    named: 'after the scope',
    body: ({ projectId }) => ({ ...asked, x_service: { project_id: projectId } }),
  }),
  row('POST /v1/responses', 'sessions:write', {
    named: 'before the scope',
    body: (t) => ({ ...asked, previous_response_id: responseOf(t) }),
  }),
  row('GET /v1/responses/:id', 'chat:write', { own: responseOf }),
  row('POST /v1/responses', 'sessions:write', {
    named: 'before the scope',
    body: (t) => ({ ...asked, conversation: conversationOf(t) }),
  }),
  row('POST /v1/responses/:id/cancel', 'chat:write', { own: responseOf }),
  row('GET /v1/responses/:id/input_items', 'chat:write', { own: responseOf }),
  row('DELETE /v1/responses/:id', 'sessions:write', {
    own: async (t, service) => responseOf({ runId: await makeRun(service, t) }),
  }),
  row('POST /v1/responses/input_tokens', 'chat:write', { body: () => asked }),
  row('POST /v1/conversations', 'sessions:write', { body: () => ({}) }),
  row('GET /v1/conversations/:id', 'sessions:write', { own: conversationOf }),
  row('POST /v1/conversations/:id', 'sessions:write', {
    own: conversationOf,
    body: () => ({ metadata: {} }),
  }),
  row('DELETE /v1/conversations/:id', 'sessions:write', {
    own: async (t, service) => conversationOf({ sessionId: await makeSession(service, t) }),
  }),
  row('GET /v1/conversations/:id/items', 'sessions:write', { own: conversationOf }),
  row('POST /v1/conversations/:id/items', 'sessions:write', { own: conversationOf, body: () => addedItems }),
  row('GET /v1/conversations/:id/items/:item_id', 'sessions:write', { own: newItem }),
  row('DELETE /v1/conversations/:id/items/:item_id', 'sessions:write', { own: newItem }),
]

/** Scopes that open a route beside its own: `chat:write` includes reading the library. */
export const wider: Partial<Record<Row['scope'], readonly KeyScope[]>> = { 'sources:read': ['chat:write'] }

/** The path with an id in it, or with two ids that a slash separates. */
export function pathOf(url: string, ids: string): string {
  const [id = '', item = 'none'] = ids.split('/')
  return url
    .replace(/:(id|ref|file)/, id)
    .replace(/:(item_id|hash|delivery)/, item)
    .replace(':model', 'service')
}

/** Calls a route with the values of its row; `method` replaces the row's own. */
export async function ask(
  { service }: World,
  row: Row,
  key: string | undefined,
  things: Things,
  method?: string,
): Promise<Reply> {
  const [verb = '', url = ''] = row.route.split(' ')
  const path = pathOf(url, (await row.own?.(things, service)) ?? 'none') + (row.query ?? '')
  const body = row.body?.(things)
  const call = { method: method ?? verb, path, key }
  if (body === undefined) return send(service, call)
  if (verb === 'POST' && url === '/v1/files')
    return send(service, { ...call, ...(body as ReturnType<typeof form>) })
  return send(service, {
    ...call,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  })
}
