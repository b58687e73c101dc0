#!/usr/bin/env node
import process from 'node:process'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { openSignIn } from './accounts/providers/open-sign-in.ts'
import { buildApp } from './app.ts'
import { type Config, ConfigError, loadSettingsFile, readConfig } from './config.ts'
import type { RevivalEvent } from './db/embedded/revival.ts'
import type { LibraryDatabase } from './db/library/library-database.ts'
import { misspeltSettings } from './environment.ts'
import { firstStart, welcome } from './first-start.ts'
import { listenAt, requireFreeAddress, trackReplies, urlOf } from './http/connection/address.ts'
import { productName } from './http/product.ts'
import { type Installation, openInstallation } from './installation.ts'
import { createLogger, type Logger } from './log.ts'
import { openMailer } from './mail/mailer.ts'
import type { McpServers } from './mcp-servers/mcp-servers.ts'
import { readOutsideServers } from './mcp-servers/open-servers.ts'
import { openEmbeddingModel } from './models/embedding.ts'
import { offerOf } from './models/embedding-offer.ts'
import { type LiveCatalogue, openLiveCatalogue } from './models/live-catalogue.ts'
import type { Catalogue } from './models/model-catalogue.ts'
import { watchReachability } from './models/reachability.ts'
import { openModeration } from './moderation/moderation.ts'
import { keepNotices, type Leads, type NoticeServices } from './notices/notices.ts'
import { warnOfFewConnections } from './operations/connection-room.ts'
import { keepFileStore } from './operations/file-store.ts'
import { watchInvariants } from './operations/invariant-watch.ts'
import { keepLibrary, type LibraryUpkeep } from './operations/library-upkeep.ts'
import { createReadiness } from './operations/readiness.ts'
import { keepRetention } from './operations/retention.ts'
import { settleWhenIdle } from './operations/start-memory.ts'
import { warnOfLostKeys, warnOfNoFolder } from './operations/start-warnings.ts'
import { awaitTermination, exitLate, exitMs } from './operations/termination.ts'
import { watchSettingsFiles } from './settings-files/watch-settings-files.ts'
import { exportPlace } from './sources/collections/export-place.ts'
import type { Fallback } from './sources/fallback/fallback.ts'
import { openSemanticSearch } from './sources/search/semantic/semantic-search.ts'
import { loadTables } from './sources/vocabulary/spelling/load.ts'
import { openTelemetry, type Telemetry } from './telemetry.ts'
import { createRunner, type Runner } from './turns/drive/runner.ts'
import { watchPressure } from './turns/replicas/pressure.ts'
import { keepPrompts } from './turns/run/instructions.ts'
import { defaultTurnLimits } from './turns/run/turn-limits.ts'
import { version } from './version/version.ts'
import { within } from './waiting/waiting.ts'
import { deliverWebhooks } from './webhooks/deliver.ts'
import { openRecognition } from './workspace/recognition.ts'
import { openObjectStore } from './workspace/s3.ts'

async function main(): Promise<void> {
  loadSettingsFile()
  const config = readConfig(process.env)
  const log = createLogger(config.logLevel)
  const termination = awaitTermination()
  // A start with an embedded Postgres goes on until it can be stopped, or it would be orphaned.
  let isReady = false
  if (config.databaseUrl !== undefined) void termination.signal.then(() => !isReady && process.exit(0))
  for (const { name, nearest } of misspeltSettings(Object.keys(process.env)))
    log.warn({ name, nearest }, `the setting ${name} is unknown. Did you mean ${nearest}?`)
  // Opened before the database, so that a wrong setting starts nothing.
  const telemetry = await openTelemetry(config)
  const catalogue = await openLiveCatalogue(config.model, {
    onFailure: telemetry.metrics?.upstreamFailed,
    onFalseUsage: (model, fault) =>
      log.warn({ model, fault }, 'token counts of a model are replaced by estimates'),
    onFallback: (model, from, reason) =>
      log.warn({ model, from, reason }, 'a server of a model failed, so the next one is asked'),
  })
  const openOutsideTools = await readOutsideServers(config)
  await requireFreeAddress(config)
  const installation = await openInstallation(config, log)
  try {
    if (termination.isRequested()) return
    await reserve(installation, config)
    installation.embedded?.keepRunning((event) => logRevival(log, event))
    await warnOfFewConnections(installation.database, log)
    await warnOfLostKeys(installation, log)
    const exported = exportPlace(config.libraryExport)
    await warnOfNoFolder(exported, log)
    const upkeep = await keepLibrary(installation.library, {
      exportPlace: exported,
      registry: telemetry.registry,
      log,
    })
    if (config.fallback && upkeep.state() === 'read-only')
      log.warn(
        'LIBRARY_FALLBACK has no effect: LIBRARY_DATABASE_URL is read-only. Name its primary server there.',
      )
    const mcpServers = await openOutsideTools?.(installation, telemetry, log)
    const opened = { catalogue, telemetry, upkeep, mcpServers }
    const service = await startService(config, opened, installation, log)
    const baseUrl = config.appUrl ?? service.url
    const first = installation.embedded && (await firstStart(installation))
    // Before the message, because its reader may end the process immediately.
    isReady = true
    // Not on standard output, which has one JSON object per line.
    process.stderr.write(first ? welcome(first, baseUrl) : `\n  The service is ready at ${baseUrl}/v1\n\n`)
    const stopSettling = settleWhenIdle(loadTables)
    const drainMs = (await termination.signal) === 'SIGTERM' ? config.drainMs : 0
    stopSettling()
    exitLate(log, drainMs + exitMs)
    await service.stop(drainMs)
    await mcpServers?.close()
    await telemetry.close()
  } finally {
    await installation.close()
  }
}

function logRevival(log: Logger, { kind, reason }: RevivalEvent): void {
  if (kind === 'ended') log.error('the embedded Postgres has ended: it is started again')
  else if (kind === 'started') log.warn('the embedded Postgres runs again')
  else log.error({ reason }, 'the embedded Postgres does not start: it is tried again')
}

/** An unreachable database must not keep `/readyz` from answering. */
const seenMs = 5_000

type RunningService = {
  readonly url: string
  /** Shuts down. Turns and open replies may continue for `drainMs`. */
  stop(drainMs: number): Promise<void>
}

type Opened = {
  readonly catalogue: LiveCatalogue
  readonly telemetry: Telemetry
  readonly upkeep: LibraryUpkeep
  readonly mcpServers: McpServers | undefined
}

async function startService(
  config: Config,
  { catalogue, telemetry, upkeep, mcpServers }: Opened,
  installation: Installation,
  log: Logger,
): Promise<RunningService> {
  const { database, library, peppers, plans } = installation
  const embeddings = openEmbeddingModel(config, (text) => log.info(text))
  const semantic = openSemanticSearch(library, embeddings, log)
  const { metrics, tracer, registry } = telemetry
  const fallback = await openTextFallback(config, library, telemetry, log)
  telemetry.watchDatabase(database, library, installation.embedded && config.dataDir)
  const pressure = watchPressure()
  const recognition = config.ocr && openRecognition(config.ocr, log)
  const objects = openObjectStore(config.files)
  const moderation = config.moderation && openModeration(config.moderation, log)
  const used = { catalogue, plans, semantic, recognition, objects, fallback, moderation, mcpServers }
  const shared = { database, library, ...used, log, metrics, tracer, pressure }
  await keepPrompts(database, catalogue.models)
  const runner = createRunner(shared)
  const readiness = createReadiness()
  const offer = embeddings && offerOf(embeddings, config.embeddingMicrosPerToken)
  const { appUrl, appName, fileUrlHosts, webhooksAllowPrivate } = config
  const told = { appUrl, appName, fileUrlHosts, webhooksAllowPrivate, embeddings: offer }
  const services = { ...shared, peppers, runner, limits: defaultTurnLimits, ...told }
  const { signUp, signUpPlan, signUpDomains } = config
  const mailer = config.mail && (await openMailer({ ...config.mail, product: appName ?? productName }, log))
  const providers = await openSignIn(config.signIn, plans.names)
  const store = keepFileStore({ database, objects }, log)
  const reachability = watchReachability(catalogue, log)
  const reloading = reloadSettings(config, installation, catalogue, log)
  const others = startJobs(config, installation, { mailer, registry, log, leads: runner.leads })
  const jobs = [reachability, store, reloading, ...others]
  const closeUsed = () => closeAll([mailer, moderation, recognition, semantic, catalogue])
  const app = await buildApp(services, {
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    ready: readiness.ask,
    libraryState: upkeep.state,
    modelStates: reachability.states,
    fileStoreState: store.state,
    web: {
      ...{ signUp, signUpPlan, signUpDomains, providers, mailer },
      deletionDays: config.deletionDays,
      libraryExport: exportPlace(config.libraryExport),
    },
    metrics: { registry, token: config.metricsToken },
  })
  const replies = trackReplies(app.server)
  try {
    await within(runner.seen, seenMs)
    await listenAt(config, app)
  } catch (error) {
    await Promise.all([upkeep, ...jobs].map((job) => job.stop()))
    await runner.drain()
    await closeUsed()
    throw error
  }
  return {
    url: urlOf(config, app),
    async stop(drainMs) {
      const upkeepEnded = upkeep.stop()
      log.info({ drainMs }, 'shutting down: no new turns, and open replies continue')
      const finished = readiness.end(drainMs, runner.finish).then(replies.answered)
      await within(finished, drainMs)
      log.info('closing connections: turns that still run are handed over')
      await closeApp(app, runner)
      pressure.stop()
      await Promise.all([upkeepEnded, ...jobs.map((job) => job.stop())])
      await closeUsed()
    },
  }
}

/** Reads the files of models and plans again when they change. */
function reloadSettings(
  config: Config,
  { database, reloadPlans }: Installation,
  catalogue: LiveCatalogue,
  log: Logger,
): { stop(): Promise<void> } {
  const keep = (next: Catalogue) => keepPrompts(database, next.models)
  return watchSettingsFiles(
    [
      { setting: 'MODELS_FILE', path: config.model.catalogueFile, load: () => catalogue.reload(keep) },
      { setting: 'PLANS_FILE', path: config.plansFile, load: reloadPlans },
    ],
    log,
  )
}

/** What runs beside the requests. */
function startJobs(
  { appName, retentionDays, webhooksAllowPrivate: allowPrivate }: Config,
  { database, library, peppers, plans }: Installation,
  { registry, ...told }: Pick<NoticeServices, 'mailer' | 'log'> & { registry: Registry; leads: Leads },
): readonly { stop(): Promise<void> }[] {
  const userAgent = `${appName ?? productName}/${version}`
  return [
    watchInvariants(database, registry, told.log),
    keepRetention(database, retentionDays, told.log),
    keepNotices({ database, library, plans, ...told }),
    deliverWebhooks(database, { peppers, allowPrivate, userAgent, log: told.log }),
  ]
}

async function closeAll(opened: readonly ({ close(): Promise<void> } | undefined)[]): Promise<void> {
  for (const one of opened) await one?.close()
}

/** Loads what fetches missing texts only if the settings enable it. */
async function openTextFallback(
  { fallback, metricsToken }: Config,
  library: LibraryDatabase,
  { registry }: Telemetry,
  log: Logger,
): Promise<Fallback | undefined> {
  if (!fallback) return undefined
  const [{ openFallback }, { createFallbackMetrics }] = await Promise.all([
    import('./sources/fallback/fallback.ts'),
    import('./sources/fallback/fallback-metrics.ts'),
  ])
  const metrics = metricsToken === undefined ? undefined : createFallbackMetrics(registry)
  return openFallback(library, fallback, { log, metrics })
}

/** Time until connections are closed after the hand-over. */
const closeMs = 5_000

/**
 * Closes the HTTP service: it refuses new requests, hands over the runs, which ends their streams, and closes
 * idle connections.
 */
async function closeApp(app: FastifyInstance, runner: Runner): Promise<void> {
  const closing = app.close()
  const idle = setInterval(() => app.server.closeIdleConnections(), 200)
  await runner.drain()
  const late = setTimeout(() => app.server.closeAllConnections(), closeMs)
  await closing
  clearInterval(idle)
  clearTimeout(late)
}

/** One service may run per embedded database. */
async function reserve({ embedded }: Installation, { dataDir }: Config): Promise<void> {
  if (!embedded || (await embedded.reserve())) return
  throw new ConfigError(`Another service uses the data folder ${dataDir}. Stop it, or set DATA_DIR.`)
}

try {
  await main()
  // Everything is closed. Node's natural exit can hang forever on one of thousands of broken connections.
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}
