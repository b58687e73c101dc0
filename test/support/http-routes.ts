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

const managing = { scope: 'account:manage', ownerOnly: true } as const
const operating = { scope: 'accounts:manage', ownerOnly: true, operatorOnly: true } as const

/** All routes of the service, with the key that each requires. */
export const table: readonly Row[] = [
  { route: 'GET /healthz', scope: 'public' },
  { route: 'GET /readyz', scope: 'public' },
  { route: 'GET /openapi.json', scope: 'public' },
  { route: 'GET /v1/openapi.json', scope: 'any-key' },
  { route: 'GET /v1/models', scope: 'models:read' },
  { route: 'GET /v1/models/:model', scope: 'models:read' },
  { route: 'POST /v1/chat/completions', scope: 'chat:write', body: () => question('Who is a tzaddik?') },
  {
    route: 'POST /v1/chat/completions',
    scope: 'chat:write',
    named: 'after the scope',
    body: ({ projectId }) => ({ ...question('Who?'), x_service: { project_id: projectId } }),
  },
  {
    route: 'POST /v1/chat/completions',
    scope: 'sessions:write',
    named: 'before the scope',
    body: ({ sessionId }) => ({ ...question('Who?'), x_service: { session_id: sessionId } }),
  },
  { route: 'POST /v1/projects', scope: 'projects:write', ownerOnly: true, body: () => ({ name: 'New' }) },
  { route: 'GET /v1/projects', scope: 'projects:read' },
  { route: 'GET /v1/projects/:id', scope: 'projects:read', own: (t) => t.projectId },
  {
    route: 'GET /v1/projects/:id/instructions/:hash',
    scope: 'projects:read',
    own: (t, service) => giveInstructions(service, t),
  },
  {
    route: 'PATCH /v1/projects/:id',
    scope: 'projects:write',
    own: (t) => t.projectId,
    ownerOnly: true,
    body: () => ({ name: 'Renamed' }),
  },
  {
    route: 'DELETE /v1/projects/:id',
    scope: 'projects:write',
    own: (t, service) => newProject(service, t),
    ownerOnly: true,
    apart: true,
  },
  { route: 'GET /v1/keys', ...managing },
  { route: 'POST /v1/keys', ...managing, body: () => ({ name: 'New' }) },
  { route: 'GET /v1/keys/:id', ...managing, own: newKey, apart: true },
  { route: 'PATCH /v1/keys/:id', ...managing, own: newKey, apart: true, body: () => ({ name: 'Renamed' }) },
  { route: 'POST /v1/keys/:id/rotate', ...managing, own: newKey, apart: true, body: () => ({}) },
  { route: 'DELETE /v1/keys/:id', ...managing, own: newKey, apart: true },
  { route: 'GET /v1/accounts', ...operating },
  { route: 'POST /v1/accounts', ...operating, body: address },
  { route: 'GET /v1/accounts/:id', ...operating, own: newAccount },
  { route: 'PATCH /v1/accounts/:id', ...operating, own: newAccount, body: () => ({ plan: 'pro' }) },
  { route: 'POST /v1/accounts/:id/credits', ...operating, own: newAccount, body: () => ({ amount: '1' }) },
  { route: 'DELETE /v1/accounts/:id', ...operating, own: newAccount },
  { route: 'GET /v1/budgets', ...managing },
  { route: 'POST /v1/budgets', ...managing, body: () => ({ period: 'month', credits: '100' }) },
  { route: 'GET /v1/members', ...managing },
  {
    route: 'PATCH /v1/members/:id',
    ...managing,
    own: someMember,
    ofAccount: true,
    body: () => ({ role: 'viewer' }),
  },
  { route: 'DELETE /v1/members/:id', ...managing, own: someMember, ofAccount: true },
  { route: 'GET /v1/invitations', ...managing },
  { route: 'POST /v1/invitations', ...managing, body: () => ({ role: 'member' }) },
  { route: 'DELETE /v1/invitations/:id', ...managing, own: newInvitation, ofAccount: true },
  { route: 'GET /v1/webhook_endpoints', ...managing },
  { route: 'POST /v1/webhook_endpoints', ...managing, body: () => hook },
  { route: 'GET /v1/webhook_endpoints/:id', ...managing, own: newHook, apart: true },
  {
    route: 'PATCH /v1/webhook_endpoints/:id',
    ...managing,
    own: newHook,
    apart: true,
    body: () => ({ enabled: false }),
  },
  { route: 'DELETE /v1/webhook_endpoints/:id', ...managing, own: newHook, apart: true },
  { route: 'POST /v1/webhook_endpoints/:id/rotate_secret', ...managing, own: newHook, apart: true },
  { route: 'POST /v1/webhook_endpoints/:id/test', ...managing, own: newHook, apart: true },
  { route: 'GET /v1/webhook_endpoints/:id/deliveries', ...managing, own: newHook, apart: true },
  {
    route: 'POST /v1/webhook_endpoints/:id/deliveries/:delivery/send',
    ...managing,
    own: newDelivery,
    apart: true,
  },
  { route: 'POST /v1/agent/sessions', scope: 'sessions:write', body: () => ({}) },
  {
    route: 'POST /v1/agent/sessions',
    scope: 'sessions:write',
    named: 'after the scope',
    body: ({ projectId }) => ({ projectId }),
  },
  { route: 'GET /v1/agent/sessions', scope: 'sessions:write' },
  { route: 'GET /v1/agent/sessions/:id', scope: 'sessions:write', own: (t) => t.sessionId },
  {
    route: 'PATCH /v1/agent/sessions/:id',
    scope: 'sessions:write',
    own: (t) => t.sessionId,
    body: () => ({ name: 'Renamed' }),
  },
  {
    route: 'DELETE /v1/agent/sessions/:id',
    scope: 'sessions:write',
    own: (t, service) => makeSession(service, t),
  },
  { route: 'GET /v1/agent/sessions/:id/messages', scope: 'sessions:write', own: (t) => t.sessionId },
  { route: 'GET /v1/agent/sessions/:id/runs', scope: 'chat:write', own: (t) => t.sessionId },
  { route: 'GET /v1/agent/runs/:id', scope: 'chat:write', own: (t) => t.runId },
  { route: 'POST /v1/agent/runs/:id/cancel', scope: 'chat:write', own: (t) => t.runId },
  { route: 'GET /v1/agent/runs/:id/events', scope: 'chat:write', own: (t) => t.runId },
  {
    route: 'POST /v1/files',
    scope: 'files:write',
    body: () => form([{ name: 'file', filename: 'a.txt', content: 'text' }]),
  },
  { route: 'POST /v1/files', scope: 'files:write', named: 'after the scope', body: inPlace },
  { route: 'GET /v1/files', scope: 'files:read' },
  { route: 'GET /v1/files/:id', scope: 'files:read', own: (t) => t.fileId },
  { route: 'GET /v1/files/:id/content', scope: 'files:read', own: (t) => t.fileId },
  { route: 'DELETE /v1/files/:id', scope: 'files:write', own: (t, service) => makeFile(service, t) },
  { route: 'GET /v1/sources/works', scope: 'sources:read' },
  { route: 'GET /v1/sources/search', scope: 'sources:read', query: '?q=beinoni' },
  { route: 'GET /v1/sources/:ref', scope: 'sources:read', ok: 404 },
  {
    route: 'POST /v1/sources/verify',
    scope: 'sources:read',
    body: () => ({ text: 'A “quotation” of few words.' }),
  },
  {
    route: 'POST /mcp',
    scope: 'sources:read',
    undescribed: true,
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  },
  { route: 'GET /mcp', scope: 'public', undescribed: true, ok: 405 },
  { route: 'DELETE /mcp', scope: 'public', undescribed: true, ok: 405 },
  { route: 'GET /.well-known/oauth-protected-resource', scope: 'public', undescribed: true },
  { route: 'GET /.well-known/oauth-protected-resource/mcp', scope: 'public', undescribed: true },
  { route: 'GET /v1/key', scope: 'any-key' },
  { route: 'GET /v1/usage', scope: 'any-key' },
  {
    route: 'POST /v1/embeddings',
    scope: 'chat:write',
    body: () => ({ model: 'embedding', input: 'A text' }),
  },
  { route: 'POST /v1/responses', scope: 'chat:write', body: () => asked },
  {
    route: 'POST /v1/responses',
    scope: 'chat:write',
    named: 'after the scope',
    body: ({ projectId }) => ({ ...asked, x_service: { project_id: projectId } }),
  },
  {
    route: 'POST /v1/responses',
    scope: 'sessions:write',
    named: 'before the scope',
    body: (t) => ({ ...asked, previous_response_id: responseOf(t) }),
  },
  { route: 'GET /v1/responses/:id', scope: 'chat:write', own: responseOf },
  {
    route: 'POST /v1/responses',
    scope: 'sessions:write',
    named: 'before the scope',
    body: (t) => ({ ...asked, conversation: conversationOf(t) }),
  },
  { route: 'POST /v1/responses/:id/cancel', scope: 'chat:write', own: responseOf },
  { route: 'GET /v1/responses/:id/input_items', scope: 'chat:write', own: responseOf },
  {
    route: 'DELETE /v1/responses/:id',
    scope: 'sessions:write',
    own: async (t, service) => responseOf({ runId: await makeRun(service, t) }),
  },
  { route: 'POST /v1/responses/input_tokens', scope: 'chat:write', body: () => asked },
  { route: 'POST /v1/conversations', scope: 'sessions:write', body: () => ({}) },
  { route: 'GET /v1/conversations/:id', scope: 'sessions:write', own: conversationOf },
  {
    route: 'POST /v1/conversations/:id',
    scope: 'sessions:write',
    own: conversationOf,
    body: () => ({ metadata: {} }),
  },
  {
    route: 'DELETE /v1/conversations/:id',
    scope: 'sessions:write',
    own: async (t, service) => conversationOf({ sessionId: await makeSession(service, t) }),
  },
  { route: 'GET /v1/conversations/:id/items', scope: 'sessions:write', own: conversationOf },
  {
    route: 'POST /v1/conversations/:id/items',
    scope: 'sessions:write',
    own: conversationOf,
    body: () => addedItems,
  },
  { route: 'GET /v1/conversations/:id/items/:item_id', scope: 'sessions:write', own: newItem },
  { route: 'DELETE /v1/conversations/:id/items/:item_id', scope: 'sessions:write', own: newItem },
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
