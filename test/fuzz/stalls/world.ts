import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bundleService } from '../../../build/bundle.ts'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { openPlans } from '../../../src/accounts/plans.ts'
import { scopes } from '../../../src/accounts/scopes.ts'
import { withTx } from '../../../src/db/client.ts'
import { startPrivatePostgres } from '../../support/private-postgres.ts'
import { startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { reply, type ScriptSource, type UpstreamBody } from '../../support/upstream-scripts.ts'
import { goodPassword, openVisitor } from '../../support/visitor.ts'
import { widePlan } from '../../support/wide-plan.ts'
import { withDatabase } from '../../support/with-database.ts'
import { makeAccount, makeKey, pepperText } from '../../support/world/accounts.ts'
import { makeThings } from '../../support/world/things.ts'
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
  await writeFile(files.plans, JSON.stringify({ stalls: widePlan }))
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
      KEY_PEPPER: pepperText,
      PLANS_FILE: files.plans,
      MODELS_FILE: files.models,
      SIGNUP: 'open',
      SIGNUP_PLAN: 'stalls',
    })
  let service = await start()
  const things = await makeOwner(postgres.url, files.plans, service)
  const send = (request: WireRequest, as: 'key' | 'visitor' | 'nobody') =>
    sendOver(service.url, {
      ...request,
      headers: { ...request.headers, ...credentials(things, as, request) },
    })
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

/** The operator whose things the requests name, and another account. */
async function makeOwner(url: string, plansFile: string, service: WatchedService): Promise<Things> {
  const plans = await openPlans(plansFile)
  return withDatabase(url, async (database) => {
    await fillLibrary(database)
    const email = 'owner@stalls.example'
    const { id: accountId } = await withTx(database, 'system', (tx) =>
      createAccount(tx, plans, { email, plan: 'stalls', password: goodPassword, operator: true }),
    )
    const key = await makeKey(database, accountId, { reach: { kind: 'owner' }, scopes })
    const { id: otherAccountId } = await makeAccount(database, 'stalls', plans)
    const visitor = openVisitor(service)
    const { status } = await visitor.post('/signin', { email, password: goodPassword })
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
    if (cookie === '') throw new Error(`nobody could sign in: ${status}`)
    return { ...(await makeThings({ database }, service, { accountId, key })), cookie, otherAccountId }
  })
}
