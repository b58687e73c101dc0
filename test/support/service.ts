import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Registry } from 'prom-client'
import { type Account, accountColumns } from '../../src/accounts/accounts.ts'
import { createKey, type KeyReach } from '../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { hashPassword } from '../../src/accounts/passwords/passwords.ts'
import { builtInPlans, type Plans } from '../../src/accounts/plans.ts'
import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { type Database, withTx } from '../../src/db/client.ts'
import { accounts } from '../../src/db/schema/index.ts'
import type { ReceiveTimeouts } from '../../src/http/limits/receive-timeout.ts'
import { newId } from '../../src/ids.ts'
import { openCatalogue } from '../../src/models/model-catalogue.ts'
import type { ChatPace } from '../../src/routes/turn-reply/delivery.ts'
import { openTelemetry } from '../../src/telemetry.ts'
import { createRunner, type Runner } from '../../src/turns/ownership/runner.ts'
import type { Pressure } from '../../src/turns/replicas/pressure.ts'
import { defaultTurnLimits, type TurnLimits } from '../../src/turns/run/turn-limits.ts'
import { insertProject } from '../../src/turns/sessions/projects.ts'
import type { WebSettings } from '../../src/web/pages/services.ts'

export const pepperText = 'a pepper for tests only'
export const testPeppers = parsePeppers(pepperText)

export type TestService = {
  readonly app: FastifyInstance
  readonly runner: Runner
  readonly registry: Registry
  /** Such as `http://127.0.0.1:4321`. */
  readonly url: string
  stop(): Promise<void>
}

/** The whole service on a test database, listening on a real socket. Default model: the extractive one. */
export async function startTestService(
  database: Database,
  options: {
    readonly model?: Partial<Config['model']>
    readonly limits?: Partial<TurnLimits>
    readonly plans?: Plans
    readonly appUrl?: string
    readonly invalidKeysPerMinute?: number
    readonly chatPace?: ChatPace
    readonly receiveTimeouts?: ReceiveTimeouts
    readonly web?: Partial<WebSettings>
    readonly trustProxy?: Config['trustProxy']
    readonly corsOrigins?: readonly string[]
    /** A free one unless told. */
    readonly port?: number
    readonly telemetry?: Partial<Pick<Config, 'metricsToken' | 'otlpEndpoint'>>
    /** Data folder of the embedded Postgres, if it were used. */
    readonly dataDir?: string
    readonly pressure?: Pressure
    readonly log?: Logger
  } = {},
): Promise<TestService> {
  const log = options.log ?? pino({ level: 'silent' })
  const token = options.telemetry?.metricsToken
  const telemetry = await openTelemetry({
    metricsToken: token,
    otlpEndpoint: options.telemetry?.otlpEndpoint,
  })
  const { metrics, tracer, registry } = telemetry
  telemetry.watchDatabase(database, options.dataDir)
  const model = {
    baseUrl: undefined,
    apiKey: undefined,
    name: undefined,
    catalogueFile: undefined,
    ...options.model,
  }
  const catalogue = await openCatalogue(model, {
    onFailure: metrics?.upstreamFailed,
    onFalseUsage: (id, fault) =>
      log.warn({ model: id, fault }, 'token counts of a model are replaced by estimates'),
  })
  const plans = options.plans ?? builtInPlans
  const runner = createRunner({ database, catalogue, plans, log, metrics, tracer })
  const { pressure } = options
  const limits = { ...defaultTurnLimits, ...options.limits }
  const app = await buildApp(
    {
      database,
      peppers: testPeppers,
      plans,
      catalogue,
      runner,
      log,
      limits,
      metrics,
      tracer,
      pressure,
      appUrl: options.appUrl,
    },
    {
      trustProxy: options.trustProxy ?? false,
      corsOrigins: options.corsOrigins ?? [],
      ready: () => true,
      web: { signUp: 'open', signUpPlan: 'free', ...options.web },
      metrics: { registry, token },
      invalidKeysPerMinute: options.invalidKeysPerMinute ?? 1_000_000,
      ...(options.chatPace && { chatPace: options.chatPace }),
      ...(options.receiveTimeouts && { receiveTimeouts: options.receiveTimeouts }),
    },
  )
  await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  const address = app.server.address()
  return {
    app,
    runner,
    registry,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async stop() {
      app.server.closeAllConnections()
      await runner.drain()
      await app.close()
      await catalogue.close()
      await telemetry.close()
    },
  }
}

let accountsMade = 0
let passwordHash: Promise<string> | undefined

/**
 * Creates an account with a unique email address. No test signs in with the password, so a process hashes it
 * once.
 */
export async function makeAccount(
  database: Database,
  plan = 'pro',
  plans: Plans = builtInPlans,
): Promise<Account> {
  accountsMade += 1
  const email = `person-${accountsMade}-${Date.now()}@example.org`
  plans.of(plan)
  passwordHash ??= hashPassword('correct horse battery')
  const values = { id: newId('account'), email, plan, passwordHash: await passwordHash }
  const [account] = await withTx(database, 'system', (tx) =>
    tx.insert(accounts).values(values).returning(accountColumns),
  )
  if (!account) throw new Error('insert returned no row')
  return account
}

/**
 * Creates a key.
 * @returns its text.
 */
export async function makeKey(
  database: Database,
  accountId: string,
  options: { readonly reach?: KeyReach; readonly scopes?: readonly string[]; readonly expiresAt?: Date } = {},
): Promise<string> {
  const { key } = await withTx(database, 'system', (tx) =>
    createKey(tx, testPeppers, accountId, { name: 'test', reach: { kind: 'dedicated' }, ...options }),
  )
  return key
}

export async function makeProject(
  database: Database,
  accountId: string,
  name = 'A project',
): Promise<string> {
  return (await withTx(database, 'system', (tx) => insertProject(tx, accountId, name))).id
}

/** Sends a request with a key; a body is sent as JSON. */
export function call(
  service: TestService,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(service.url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export const question = (text: string) => ({ model: 'service', messages: [{ role: 'user', content: text }] })
