import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { form, send } from '../support/http-raw.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { error, reply, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { type Ended, launchService, type ServiceProcess } from '../support/service-process.ts'
import { openWithRole } from '../support/service-role.ts'
import { openVisitor } from '../support/visitor.ts'
import { question } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'

const marked = {
  databasePassword: 'MARKED-database-password-71c0',
  keyPepper: 'MARKED-key-pepper-9d1e5a7b3c',
  modelKey: 'MARKED-model-api-key-44be02d8',
  metricsToken: 'MARKED-metrics-token-5f60aa31',
  password: 'MARKED unrelated words 83ad',
  nextPassword: 'MARKED other phrase 19fe',
  wrongPassword: 'MARKED mistyped phrase c00d',
}

let folder: string
let database: Awaited<ReturnType<typeof openWithRole>>
let proxy: PostgresProxy
let service: ServiceProcess
let at: TestService
let ended: Ended | undefined
let upstream: Awaited<ReturnType<typeof startScriptedUpstream>>
/** Everything that a client was told, with where it was told. */
const told: (readonly [where: string, text: string])[] = []
const secrets = new Map<string, string>(Object.entries(marked))

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-secrets-'))
  database = await openWithRole(marked.databasePassword)
  proxy = await startPostgresProxy(database.roleUrl)
  upstream = await startScriptedUpstream()
  service = launchService(folder, {
    ...{ DATABASE_URL: proxy.url, MIGRATE_DATABASE_URL: database.ownerUrl, KEY_PEPPER: marked.keyPepper },
    ...{ MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'scripted', MODEL_API_KEY: marked.modelKey },
    ...{ METRICS_TOKEN: marked.metricsToken, SIGNUP: 'open', SIGNUP_PLAN: 'pro', LOG_LEVEL: 'trace' },
  })
  at = { url: await service.ready } as TestService
})
afterAll(async () => {
  if (!ended) service.signal('SIGKILL')
  await upstream.close()
  await proxy.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function note(where: string, answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  told.push([where, `${JSON.stringify(headers)} ${await response.clone().text()}`])
  return response
}

async function asKey(where: string, key: string, method: string, target: string, body?: unknown) {
  const sent = {
    method,
    path: target,
    key,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
  const answer = await send(at, sent)
  told.push([where, `${JSON.stringify(answer.headers)} ${answer.text}`])
  return answer
}

/** What the model's server says of itself when it fails. */
const failures = [
  error(
    401,
    `Incorrect API key provided: ${marked.modelKey}. You sent "Authorization: Bearer ${marked.modelKey}".`,
  ),
  error(400, { error: { message: `bad request of ${marked.modelKey}`, param: marked.modelKey } }),
  [{ text: 'Half of it ' }, { sse: [{ error: { message: `key ${marked.modelKey} has no quota` } }] }],
  [{ text: 'Half of it ' }, { destroy: true as const }],
]

test('a tour through everything, failures included, tells and stores no secret', {
  timeout: 600_000,
}, async () => {
  const visitor = openVisitor(at)
  await note('sign-up', visitor.post('/signup', { email: 'marked@example.org', password: marked.password }))
  await note(
    'wrong password',
    openVisitor(at).post('/signin', { email: 'marked@example.org', password: marked.wrongPassword }),
  )
  const strangeForm = openVisitor(at).post('/signin', {
    email: 'marked@example.org\0',
    password: marked.password,
  })
  await note('broken form', strangeForm)
  secrets.set('session cookie', visitor.cookies.get('session') ?? '')
  const fields = { id: 'key_marked000000000000000000', name: 'K', reach: 'owner', expires: 'never' }
  const page = await visitor.post('/settings/keys', {
    ...fields,
    id: fields.id.slice(0, 28),
    scopes: 'chat:write',
  })
  const key = /svc_\w{49}/.exec(await page.text())?.[0] ?? ''
  expect(key).toMatch(/^svc_/)
  secrets.set('API key', key)
  const pages = '/ask /settings/keys /settings/account /usage /usage.csv /projects /library /none'
  for (const target of pages.split(' ')) await note(target, visitor.get(target))

  upstream.setDefault(reply('An answer.'))
  for (const target of [
    ...'/openapi.json /v1/models /v1/key /v1/usage /v1/agent/runs/x /healthz /readyz /metrics'.split(' '),
    ...[`/v1/models?api_key=${key}`, `/none/${'x'.repeat(20_000)}`],
  ])
    await asKey(target, key, 'GET', target)
  const accept = 'application/json, text/event-stream'
  const tools = await fetch(`${at.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(await (await note('MCP', tools)).text()).toContain('verify_quotations')
  await note(
    'metrics',
    fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${marked.metricsToken}` } }),
  )
  await note(
    'metrics, nearly',
    fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${marked.metricsToken}x` } }),
  )
  for (const form of [`Basic ${key}`, key, `Bearer ${key}x`, `Bearer ${key} ${key}`])
    await note('a wrong form of the key', fetch(`${at.url}/v1/models`, { headers: { authorization: form } }))
  for (const name of ['x-api-key', 'api-key'])
    for (const sent of [key, `${key}x`])
      await note(`the key as ${name}`, fetch(`${at.url}/v1/models`, { headers: { [name]: sent } }))
  for (const stream of [false, true]) {
    await asKey('chat', key, 'POST', '/v1/chat/completions', { ...question('Who?'), stream })
    for (const failure of failures) {
      upstream.enqueue(failure)
      await asKey('chat, model failing', key, 'POST', '/v1/chat/completions', { ...question('Who?'), stream })
    }
    upstream.enqueue(failures[0] ?? [])
    await asKey('responses, model failing', key, 'POST', '/v1/responses', {
      model: 'service',
      input: 'Who?',
      stream,
    })
  }
  await asKey('wrong input', key, 'POST', '/v1/chat/completions', { messages: 5 })
  const parts = form([{ name: 'file', filename: 'a.txt', content: 'text' }])
  const upload = await send(at, { method: 'POST', path: '/v1/files', key, ...parts })
  told.push(['upload', upload.text])

  proxy.refuse(true)
  proxy.cutAll()
  await asKey('database away', key, 'GET', '/v1/agent/sessions')
  await asKey('database away', key, 'POST', '/v1/chat/completions', question('Who?'))
  await note('database away, page', visitor.get('/settings/keys'))
  await note(
    'database away, sign-in',
    openVisitor(at).post('/signin', { email: 'marked@example.org', password: marked.password }),
  )
  proxy.refuse(false)
  await expect
    .poll(async () => (await asKey('database back', key, 'GET', '/v1/models')).status)
    .toBeGreaterThan(0)

  await upstream.close()
  await asKey('model away', key, 'POST', '/v1/chat/completions', question('Who?'))
  await note(
    'another password',
    visitor.post('/settings/account/password', { current: marked.password, next: marked.nextPassword }),
  )
  await note('revoke', visitor.post(`/settings/keys/${fields.id.slice(0, 28)}/revoke`, {}))
  await asKey('revoked', key, 'GET', '/v1/models')

  expect(
    await found(
      'what clients were told',
      told.map(([where, text]) => `${where.split('?')[0]}: ${text}`),
    ),
  ).toEqual([])
  expect(await found('the database', await everyRow())).toEqual([])
  ended = await service.stop('SIGTERM')
  expect(ended.code).toBe(0)
  const log = ended.stdout + ended.stderr
  expect(log).toMatch(/"level":50/)
  expect(await found('the log', log.split('\n'))).toEqual([])
})

test('a start that fails says why without the password of the database', async () => {
  const wrong = new URL(database.roleUrl)
  wrong.password = marked.databasePassword.toLowerCase()
  const env = { DATABASE_URL: wrong.href, KEY_PEPPER: marked.keyPepper, LOG_LEVEL: 'trace' }
  const { code, stdout, stderr } = await launchService(folder, env).ended
  expect(code).toBe(1)
  expect((stdout + stderr).toLowerCase()).not.toContain('marked-')
})

/** Where a secret stands, as it is or in hex as bytes are shown. */
async function found(where: string, lines: readonly string[]): Promise<readonly string[]> {
  expect(lines.length).toBeGreaterThan(10)
  return [...secrets].flatMap(([name, secret]) => {
    expect(secret.length, name).toBeGreaterThan(15)
    const forms = [
      secret,
      Buffer.from(secret).toString('hex'),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ]
    return lines
      .filter((line) => forms.some((one) => line.includes(one)))
      .map((line) => `${name} in ${where}: ${line.slice(0, 300)}`)
  })
}

async function everyRow(): Promise<readonly string[]> {
  const { systemPool, close } = openDatabase({ url: database.ownerUrl, onIdleError: () => undefined })
  const { rows: tables } = await systemPool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const lines: string[] = []
  for (const { name } of tables) {
    const { rows } = await systemPool.query<{ row: string }>(`select t::text as row from "${name}" t`)
    lines.push(...rows.map(({ row }) => `${name} ${row}`))
  }
  await close()
  return lines
}
