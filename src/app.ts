import multipart from '@fastify/multipart'
import sensible from '@fastify/sensible'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { openKeyLookup } from './accounts/keys/key-lookup.ts'
import type { TrustProxy } from './config.ts'
import { ServiceError } from './errors.ts'
import { registerAuth } from './http/auth.ts'
import { registerJsonBody } from './http/body/json-body.ts'
import { refuseUnreadable, requireOneHost } from './http/body/unreadable-requests.ts'
import { registerEarlyEnd } from './http/connection/early-end.ts'
import { registerCors } from './http/cors.ts'
import { refuseUnroutable, registerErrorHandler } from './http/error-handler.ts'
import { registerArrivingBodies } from './http/limits/arriving-bodies.ts'
import { bodyBytes } from './http/limits/bounds.ts'
import { createMessageReads } from './http/limits/message-reads.ts'
import { createRateLimits } from './http/limits/rate-limits.ts'
import {
  defaultReceiveTimeouts,
  type ReceiveTimeouts,
  registerReceiveTimeout,
} from './http/limits/receive-timeout.ts'
import {
  createConversationLimit,
  createLibraryLimits,
  type LibraryLimits,
} from './http/limits/work-limits.ts'
import { createHttpMetrics, registerMetrics } from './http/metrics.ts'
import { describeApi } from './http/openapi/document.ts'
import { type Api, registerZod } from './http/openapi/zod.ts'
import { productName } from './http/product.ts'
import { registerRequestRecord } from './http/request-record.ts'
import { newId } from './ids.ts'
import type { ServerState } from './models/reachability.ts'
import { chatRoutes } from './routes/chat/route.ts'
import { embeddingRoutes } from './routes/embeddings.ts'
import { fileRoutes } from './routes/files.ts'
import { type FileStoreState, healthRoutes } from './routes/health.ts'
import { keyRoutes } from './routes/key.ts'
import { accountRoutes } from './routes/management/accounts.ts'
import { budgetRoutes } from './routes/management/budgets.ts'
import { managedKeyRoutes } from './routes/management/keys.ts'
import { memberRoutes } from './routes/management/members.ts'
import { webhookRoutes } from './routes/management/webhooks.ts'
import { mcpRoutes } from './routes/mcp/route.ts'
import { modelRoutes } from './routes/models.ts'
import { openApiRoutes } from './routes/openapi.ts'
import { projectRoutes } from './routes/projects.ts'
import { conversationRoutes } from './routes/responses/conversations/route.ts'
import { responsesRoutes } from './routes/responses/route.ts'
import { runRoutes } from './routes/sessions/runs.ts'
import { sessionRoutes } from './routes/sessions/sessions.ts'
import { sourceRoutes } from './routes/sources.ts'
import type { ChatPace } from './routes/turn-reply/delivery.ts'
import { usageRoutes } from './routes/usage.ts'
import type { Services } from './turns/services.ts'
import { version } from './version/version.ts'
import type { WebSettings } from './web/pages/services.ts'
import { webPages } from './web/plugin.ts'
import { createAddressLimits } from './web/visitors/address-limits.ts'
import { createSignInLimits } from './web/visitors/sign-in-limits.ts'

export type AppOptions = {
  readonly trustProxy: TrustProxy
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins?: readonly string[]
  /** False during a drain; `/readyz` then answers 503. */
  readonly ready: () => boolean
  /** State of a separate library database, which `/readyz` shows. */
  readonly libraryState?: () => 'ok' | 'read-only' | 'unavailable' | undefined
  /** Which servers of models take connections, for `/readyz?details`. */
  readonly modelStates?: () => readonly ServerState[]
  /** Whether the store of files outside of Postgres answers, for `/readyz?details`. */
  readonly fileStoreState?: () => FileStoreState | undefined
  /** Requests with an invalid key that one address may send per minute. */
  readonly invalidKeysPerMinute?: number
  readonly chatPace?: ChatPace
  /** Settings of the web pages. */
  readonly web: WebSettings
  readonly receiveTimeouts?: ReceiveTimeouts
  readonly metrics?: { readonly registry: Registry; readonly token: string | undefined }
}

/** Builds the HTTP service from its parts, in mount order. It does not listen. */
export async function buildApp(services: Services, options: AppOptions): Promise<FastifyInstance> {
  const rateLimits = createRateLimits(options.invalidKeysPerMinute ?? 120)
  const findKey = openKeyLookup(services.database.system, services.peppers, services.plans)
  const auth = { ...services, rateLimits, findKey }
  const app = Fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would be wasted work: log lines name their request themselves.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustedProxies(options.trustProxy),
    genReqId: () => newId('request'),
    requestIdHeader: false,
    // `requireOneHost` refuses with our own error body.
    http: { requireHostHeader: false },
    rewriteUrl: withoutTrailingSlash,
    bodyLimit: bodyBytes.other,
    // The hook below refuses with our own error body.
    return503OnClosing: false,
    // The header limit already bounds the length of a URL.
    routerOptions: { maxParamLength: 16_384 },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors(_error, request, reply) {
      record(request, reply)
      void refuseUnroutable(auth, request, reply)
    },
  })
  const { metrics } = options
  const httpMetrics = metrics?.token === undefined ? undefined : createHttpMetrics(app, metrics.registry)
  const record = registerRequestRecord(app, { ...services, httpMetrics })
  await registerCors(app, options.corsOrigins ?? [])

  refuseWhileClosing(app)
  registerReceiveTimeout(app, options.receiveTimeouts ?? defaultReceiveTimeouts)
  registerEarlyEnd(app)
  registerErrorHandler(app, services)
  requireOneHost(app)
  registerArrivingBodies(app)
  registerJsonBody(app)
  registerZod(app)
  registerAuth(app, auth)
  const api = describeApi(app, services.appName ?? productName, version)
  await app.register(sensible)
  await app.register(multipart)

  if (metrics) registerMetrics(app, metrics.registry, metrics.token)
  const { ready, libraryState, modelStates, fileStoreState } = options
  healthRoutes(app, { ...services, ready, libraryState, modelStates, fileStoreState })
  openApiRoutes(app, api)
  const limits = createLibraryLimits()
  await app.register(
    (v1, _options, done) => apiRoutes(v1.withTypeProvider(), services, limits, options.chatPace, done),
    { prefix: '/v1' },
  )
  await mcpRoutes(app, services, limits, options.corsOrigins)
  const web = {
    ...auth,
    settings: options.web,
    signInLimits: createSignInLimits(),
    addressLimits: createAddressLimits(),
    conversationLimit: createConversationLimit(),
  }
  await app.register((pages, _options, done) => {
    webPages(pages, web, api).then(() => done(), done)
  })
  return app
}

/** Names each request in its reply, and refuses those that come during the shutdown. */
function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (!closing) return
    throw new ServiceError('overloaded', 'The service is shutting down. Send the request again.', {
      retryAfterSeconds: 1,
    })
  })
}

function apiRoutes(
  v1: Api,
  services: Services,
  limits: LibraryLimits,
  pace: ChatPace | undefined,
  done: () => void,
): void {
  const reads = createMessageReads()
  modelRoutes(v1, services)
  chatRoutes(v1, services, pace)
  embeddingRoutes(v1, services)
  projectRoutes(v1, services)
  sessionRoutes(v1, services, reads)
  runRoutes(v1, services)
  fileRoutes(v1, services)
  sourceRoutes(v1, services, limits)
  keyRoutes(v1, services)
  usageRoutes(v1, services)
  responsesRoutes(v1, services, reads, pace)
  conversationRoutes(v1, services, reads)
  managedKeyRoutes(v1, services)
  budgetRoutes(v1, services)
  memberRoutes(v1, services)
  webhookRoutes(v1, services)
  accountRoutes(v1, services)
  done()
}

/**
 * The URL of an API request without slashes at the end of its path: some clients join a base URL and a path with
 * one too many. Pages keep theirs.
 */
export function withoutTrailingSlash({ url = '' }: { readonly url?: string | undefined }): string {
  if (!url.startsWith('/v1/')) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (!path.endsWith('/')) return url
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end) + url.slice(path.length)
}

/**
 * Converts the setting to the form that Fastify takes. A number becomes a function, because Fastify trusts no
 * proxy when it gets a bare number.
 */
export function trustedProxies(
  setting: TrustProxy,
): false | string[] | ((address: string, hop: number) => boolean) {
  if (setting === false) return false
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  return [...setting]
}
