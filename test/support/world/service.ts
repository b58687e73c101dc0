import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Registry } from 'prom-client'
import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
import { type AppOptions, buildApp } from '../../../src/app.ts'
import type { Config } from '../../../src/config.ts'
import type { Database } from '../../../src/db/client.ts'
import type { LibraryDatabase } from '../../../src/db/library/library-database.ts'
import type { ReceiveTimeouts } from '../../../src/http/limits/receive-timeout.ts'
import { createMcpMetrics } from '../../../src/mcp-servers/mcp-metrics.ts'
import { type McpServersOptions, openMcpServers } from '../../../src/mcp-servers/mcp-servers.ts'
import type { ServerEntry } from '../../../src/mcp-servers/servers-file.ts'
import type { EmbeddingOffer } from '../../../src/models/embedding-offer.ts'
import { type LiveCatalogue, openLiveCatalogue } from '../../../src/models/live-catalogue.ts'
import type { Moderation } from '../../../src/moderation/moderation.ts'
import type { ChatPace } from '../../../src/routes/turn-reply/delivery.ts'
import { exportPlace } from '../../../src/sources/collections/export-place.ts'
import { openFallback } from '../../../src/sources/fallback/fallback.ts'
import type { FallbackLimits } from '../../../src/sources/fallback/limits.ts'
import { openTelemetry } from '../../../src/telemetry.ts'
import { createRunner, type Runner } from '../../../src/turns/drive/runner.ts'
import type { Pressure } from '../../../src/turns/replicas/pressure.ts'
import { keepPrompts } from '../../../src/turns/run/instructions.ts'
import { defaultTurnLimits, type TurnLimits } from '../../../src/turns/run/turn-limits.ts'
import type { WebSettings } from '../../../src/web/pages/services.ts'
import type { ObjectStore } from '../../../src/workspace/object-store.ts'
import { libraryIn } from '../library-database.ts'
import { testPeppers } from './accounts.ts'

export type TestService = {
  readonly catalogue: LiveCatalogue
  readonly app: FastifyInstance
  readonly runner: Runner
  readonly registry: Registry
  /** Such as `http://127.0.0.1:4321`. */
  readonly url: string
  stop(): Promise<void>
}

export type ServiceOptions = {
  readonly model?: Partial<Config['model']>
  readonly limits?: Partial<TurnLimits>
  readonly plans?: Plans
  readonly appUrl?: string
  readonly appName?: string
  readonly fileUrlHosts?: readonly string[]
  readonly invalidKeysPerMinute?: number
  readonly chatPace?: ChatPace
  readonly receiveTimeouts?: ReceiveTimeouts
  readonly web?: Partial<WebSettings>
  readonly trustProxy?: Config['trustProxy']
  readonly corsOrigins?: readonly string[]
  /** Default: a free one. */
  readonly port?: number
  readonly telemetry?: Partial<Pick<Config, 'metricsToken' | 'otlpEndpoint'>>
  /** Data folder of the embedded Postgres, if it were used. */
  readonly dataDir?: string
  readonly pressure?: Pressure
  readonly log?: Logger
  /** Default: no texts are fetched. */
  readonly fallback?: Config['fallback']
  /** Default: the library is in the main database. */
  readonly libraryDatabase?: LibraryDatabase
  readonly fallbackLimits?: Partial<FallbackLimits>
  /** Default: turns have no tools of outside servers. */
  readonly mcpServers?: readonly ServerEntry[]
  /** Default: no texts are turned into vectors for clients. */
  readonly embeddings?: EmbeddingOffer
  /** Default: nothing is moderated. */
  readonly moderation?: Moderation
  readonly mcpLimits?: McpServersOptions['limits']
  /** Default: Postgres has all files. */
  readonly objects?: ObjectStore
  readonly fileStoreState?: AppOptions['fileStoreState']
}

/** The whole service on a test database, listening on a real socket. Default model: the extractive one. */
export async function startService(database: Database, options: ServiceOptions = {}): Promise<TestService> {
  const log = options.log ?? pino({ level: 'silent' })
  const token = options.telemetry?.metricsToken
  const telemetry = await openTelemetry({
    metricsToken: token,
    otlpEndpoint: options.telemetry?.otlpEndpoint,
    otlpHeaders: undefined,
  })
  const { metrics, tracer, registry } = telemetry
  const library = options.libraryDatabase ?? libraryIn(database)
  telemetry.watchDatabase(database, library, options.dataDir)
  const model = {
    baseUrl: undefined,
    apiKey: undefined,
    name: undefined,
    catalogueFile: undefined,
    ...options.model,
  }
  const catalogue = await openLiveCatalogue(model, {
    onFailure: metrics?.upstreamFailed,
    onFalseUsage: (id, fault) =>
      log.warn({ model: id, fault }, 'token counts of a model are replaced by estimates'),
  })
  const plans = options.plans ?? builtInPlans
  const fallback =
    options.fallback && openFallback(library, options.fallback, { log, limits: options.fallbackLimits })
  const mcpServers =
    options.mcpServers &&
    (await openMcpServers(options.mcpServers, {
      ...{ log, limits: options.mcpLimits },
      metrics: token === undefined ? undefined : createMcpMetrics(registry),
    }))
  const { moderation, objects } = options
  const shared = { database, library, catalogue, plans, objects, fallback, mcpServers, moderation }
  await keepPrompts(database, catalogue.models)
  const runner = createRunner({ ...shared, log, metrics, tracer })
  const { pressure } = options
  const limits = { ...defaultTurnLimits, ...options.limits }
  const app = await buildApp(
    {
      database,
      library,
      peppers: testPeppers,
      plans,
      catalogue,
      runner,
      fallback,
      objects,
      moderation,
      log,
      limits,
      metrics,
      tracer,
      pressure,
      appUrl: options.appUrl,
      appName: options.appName,
      fileUrlHosts: options.fileUrlHosts,
      embeddings: options.embeddings,
    },
    {
      trustProxy: options.trustProxy ?? false,
      corsOrigins: options.corsOrigins ?? [],
      ready: () => true,
      ...(options.fileStoreState && { fileStoreState: options.fileStoreState }),
      web: {
        signUp: 'open',
        signUpPlan: 'free',
        // Nothing answers there: a test that adds collections names its own server.
        libraryExport: exportPlace('http://127.0.0.1:9'),
        ...options.web,
      },
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
    catalogue,
    runner,
    registry,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    stop: once(async () => {
      app.server.closeAllConnections()
      await runner.drain()
      await mcpServers?.close()
      await app.close()
      await catalogue.close()
      await telemetry.close()
    }),
  }
}

/** A test may stop a service that its world stops again. */
function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}
