import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import { type LibraryDatabase, libraryPoolsOf } from './db/library/library-database.ts'
import { registerPoolMetrics } from './db/pool-metrics.ts'
import { registerDatabaseMetrics } from './operations/database-metrics.ts'
import type { Tracer } from './tracing.ts'
import { createTurnMetrics, type TurnMetrics } from './turns/drive/turn-metrics.ts'
import { version } from './version/version.ts'

/** Metrics and traces of the process, as far as the settings enable them. Disabled parts are not loaded. */
export type Telemetry = {
  readonly registry: Registry
  readonly metrics: TurnMetrics | undefined
  readonly tracer: Tracer | undefined
  /** @param dataDir the folder of the embedded Postgres. Undefined for an external database. */
  watchDatabase(database: Database, library: LibraryDatabase, dataDir: string | undefined): void
  close(): Promise<void>
}

export async function openTelemetry(
  config: Pick<Config, 'metricsToken' | 'otlpEndpoint' | 'otlpHeaders'>,
): Promise<Telemetry> {
  const registry = new Registry()
  const isMeasured = config.metricsToken !== undefined
  if (isMeasured) {
    collectDefaultMetrics({ register: registry })
    const build = { name: 'service_build_info', help: 'The version, in a label' }
    new Gauge({ ...build, labelNames: ['version'], registers: [registry] }).set({ version }, 1)
  }
  const tracer = await tracerFor(config)
  return {
    registry,
    metrics: isMeasured ? createTurnMetrics(registry) : undefined,
    tracer,
    watchDatabase(database, library, dataDir) {
      if (!isMeasured) return
      registerPoolMetrics(registry, { ...poolsOf(database), ...libraryPoolsOf(library) })
      registerDatabaseMetrics(registry, database)
      if (dataDir !== undefined) registerDiskMetrics(registry, dataDir)
    },
    async close() {
      await tracer?.close()
    },
  }
}

/** The pools of the main database, by the label of their metrics. */
const poolsOf = (database: Database) => ({
  tenant: database.tenantPool,
  system: database.systemPool,
  background: database.backgroundPool,
  imports: database.importPool,
})

async function tracerFor({
  otlpEndpoint: endpoint,
  otlpHeaders: headers,
}: Pick<Config, 'otlpEndpoint' | 'otlpHeaders'>): Promise<Tracer | undefined> {
  if (endpoint === undefined) return undefined
  // Loading takes about 0.3 s and 30 MB, so it happens only if traces are enabled.
  const { openTracer } = await import('./otel.ts')
  return openTracer({ endpoint, headers, version })
}

function registerDiskMetrics(registry: Registry, folder: string): void {
  const registers = [registry]
  const size = new Gauge({
    name: 'service_data_disk_size_bytes',
    help: 'Size of the file system that DATA_DIR is on',
    registers,
  })
  new Gauge({
    name: 'service_data_disk_free_bytes',
    help: 'What is left of it for the embedded Postgres',
    registers,
    async collect() {
      const { bsize, blocks, bavail } = await statfs(folder)
      size.set(bsize * blocks)
      this.set(bsize * bavail)
    },
  })
}
