import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleService } from '../../../build/bundle.ts'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../../src/accounts/keys/pepper.ts'
import { openPlans } from '../../../src/accounts/plans.ts'
import { scopes } from '../../../src/accounts/scopes.ts'
import { openDatabase, withTx } from '../../../src/db/client.ts'
import { form } from '../../support/http-raw.ts'
import { startPrivatePostgres } from '../../support/private-postgres.ts'
import { startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { reply, type ScriptSource, type UpstreamBody } from '../../support/upstream-scripts.ts'
import type { WireReply, WireRequest } from './case.ts'
import { fillLibrary } from './library.ts'
import type { Things } from './things.ts'
import { startWatchedService, type WatchedService } from './watched-service.ts'
import { sendOver } from './wire.ts'

/**
 * A running service with an account without narrow limits, a library of many headings, and a scripted model.
 */
export type World = {
  service(): WatchedService
  readonly things: Things
  readonly document: { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  /** Tools that the service offers to its model. */
  readonly tools: readonly { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> }[]
  /** Sets the model's script from now on; without one it gives a short reply. */
  say(script: ScriptSource | undefined): void
  send(request: WireRequest, as: 'key' | 'visitor' | 'nobody'): Promise<WireReply>
  /** Restarts the service if its process has ended. */
  revive(): Promise<void>
  close(): Promise<void>
}

const pepper = 'a pepper of the stall suite'
const password = 'four unrelated words here'

/** Limits that a run does not reach; the bounds of requests are not part of the plan. */
const plan = {
  api_access: true,
  monthly_credits: 1_000_000_000,
  requests_per_minute: 100_000_000,
  turns_per_minute: 100_000_000,
  concurrent_turns: 10_000,
  queued_turns: 4,
  stored_megabytes: 1_000_000,
  file_megabytes: 64,
}

const shortReply = reply('An answer.')

export async function openWorld(): Promise<World> {
  await bundleService({ ifChanged: true })
  const folder = await mkdtemp(path.join(tmpdir(), 'stalls-'))
  const postgres = await startPrivatePostgres()
  const upstream = await startScriptedUpstream({ records: false })
  const tools = new Map<string, World['tools'][number]>()
  const say = (script: ScriptSource = shortReply) =>
    upstream.setDefault((body, headers) => {
      noteTools(body, tools)
      return typeof script === 'function' ? script(body, headers) : script
    })
  say(undefined)
  const files = { plans: path.join(folder, 'plans.json'), models: path.join(folder, 'models.json') }
  await writeFile(files.plans, JSON.stringify({ stalls: plan }))
  const model = { id: 'service', base_url: upstream.baseUrl, name: 'scripted', images: true }
  const free = { price: { input: 0, output: 0, tool_call: 0 } }
  await writeFile(
    files.models,
    JSON.stringify({
      models: [
        { ...model, ...free },
        { id: 'built-in', ...free },
      ],
    }),
  )
  const start = () =>
    startWatchedService(folder, {
      DATABASE_URL: postgres.url,
      KEY_PEPPER: pepper,
      PLANS_FILE: files.plans,
      MODELS_FILE: files.models,
      SIGNUP: 'open',
      SIGNUP_PLAN: 'stalls',
    })
  let service = await start()
  const accounts = await makeAccounts(postgres.url, files.plans)
  const send = (request: WireRequest, as: 'key' | 'visitor' | 'nobody') =>
    sendOver(service.url, {
      ...request,
      headers: { ...request.headers, ...credentials(things, as, request) },
    })
  let things: Things = { ...accounts, cookie: '', projectId: '', sessionId: '', runId: '', fileId: '' }
  things = { ...things, cookie: await signIn(service.url) }
  things = await makeThings(things, send)
  const document = await (await fetch(`${service.url}/openapi.json`)).json()
  return {
    service: () => service,
    things,
    document: document as World['document'],
    tools: [...tools.values()],
    say,
    send,
    async revive() {
      if (!service.ended()) return
      await service.stop()
      service = await start()
    },
    async close() {
      await service.stop()
      await upstream.close()
      await postgres.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function noteTools({ tools = [] }: UpstreamBody, known: Map<string, World['tools'][number]>): void {
  for (const { function: spec } of tools as readonly { readonly function: World['tools'][number] }[])
    if (!known.has(spec.name)) known.set(spec.name, spec)
}

/** Credentials of a request, unless the case sets that header itself. */
function credentials(things: Things, as: 'key' | 'visitor' | 'nobody', { headers = {} }: WireRequest) {
  if (as === 'key') return 'authorization' in headers ? {} : { authorization: `Bearer ${things.key}` }
  const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers }
  return as === 'nobody'
    ? page
    : { ...page, cookie: [things.cookie, headers['cookie']].filter(Boolean).join('; ') }
}

async function makeAccounts(url: string, plansFile: string) {
  const plans = await openPlans(plansFile)
  const database = openDatabase({ url, onIdleError: () => undefined, maxConnections: 2 })
  try {
    await fillLibrary(database)
    return await withTx(database, 'system', async (tx) => {
      const make = (email: string, operator: boolean) =>
        createAccount(tx, plans, { email, plan: 'stalls', password, operator })
      const owner = await make('owner@stalls.example', true)
      const input = { name: 'stalls', reach: { kind: 'owner' }, scopes } as const
      const { key } = await createKey(tx, parsePeppers(pepper), owner.id, input)
      return { key, otherAccountId: (await make('other@stalls.example', false)).id }
    })
  } finally {
    await database.close()
  }
}

async function signIn(url: string): Promise<string> {
  const reply_ = await fetch(`${url}/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: 'owner@stalls.example', password }),
  })
  const cookie = reply_.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`nobody could sign in: ${reply_.status}`)
  return cookie
}

async function makeThings(things: Things, send: World['send']): Promise<Things> {
  const make = async (route: string, body: object | Buffer, headers: Record<string, string>) => {
    const request = {
      method: 'POST',
      path: route,
      headers,
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }
    const { status, text } = await send(request, 'key')
    if (status !== 200) throw new Error(`${route} answered ${status}: ${text}`)
    return JSON.parse(text)
  }
  const json = { 'content-type': 'application/json' }
  const project = await make('/v1/projects', { name: 'A project' }, json)
  const messages = [{ role: 'user', content: 'Who is a beinoni?' }]
  const x_service = { project_id: project.id }
  const turn = await make('/v1/chat/completions', { model: 'service', messages, x_service }, json)
  const upload = form([
    { name: 'project_id', value: project.id },
    { name: 'file', filename: 'a.txt', content: 'a text' },
  ])
  const file = await make('/v1/files', upload.body, upload.headers)
  const { session_id: sessionId, run_id: runId } = turn.x_service
  return { ...things, projectId: project.id, sessionId, runId, fileId: file.id }
}
