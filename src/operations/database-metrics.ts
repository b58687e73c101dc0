import { Gauge, type Registry } from 'prom-client'
import type { Database, Executor } from '../db/client.ts'

/** Minimum age before the database is read again, so that many scrapes cost it one query. */
const freshMs = 5_000

type Readings = {
  readonly queued: number
  readonly in_progress: number
  readonly orphaned: number
  readonly oldest_seconds: number
  readonly bytes: number
}

/**
 * Registers metrics that only the database knows: its size and the unfinished runs of all replicas. They are
 * read when Prometheus scrapes, at most every five seconds. If the database does not answer,
 * `service_database_up` is 0 and the other gauges are absent.
 */
export function registerDatabaseMetrics(registry: Registry, database: Database): void {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> = Promise.resolve()
  // The first gauge of a scrape starts the query and the others wait for it; otherwise they would report old
  // values.
  const collect = () => {
    if (performance.now() - readAt >= freshMs) {
      readAt = performance.now()
      reading = read(database.system).then(tell, () => tell(undefined))
    }
    return reading
  }
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, collect, registers: [registry] })
  const up = gauge('service_database_up', 'Whether the database answered, 0 or 1')
  const runs = gauge('service_runs', 'Unfinished runs of all replicas', 'state')
  const oldest = gauge('service_queue_oldest_seconds', 'How long the oldest waiting run has waited')
  const bytes = gauge('service_database_size_bytes', 'Size of the database on disk')

  function tell(readings: Readings | undefined): void {
    up.set(readings ? 1 : 0)
    runs.reset()
    oldest.remove()
    bytes.remove()
    if (!readings) return
    runs.set({ state: 'queued' }, readings.queued)
    runs.set({ state: 'in_progress' }, readings.in_progress)
    runs.set({ state: 'orphaned' }, readings.orphaned)
    oldest.set(readings.oldest_seconds)
    bytes.set(readings.bytes)
  }
}

/** The index on unfinished runs bounds the cost, however many runs are stored. */
async function read(executor: Executor): Promise<Readings | undefined> {
  const { rows } = await executor.execute<Readings>(`
    select count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status = 'in_progress')::int as in_progress,
      count(*) filter (where status = 'in_progress' and (lease_owner is null or lease_expires_at < now()))::int as orphaned,
      coalesce(extract(epoch from now() - min(created_at) filter (where status = 'queued')), 0)::float8 as oldest_seconds,
      pg_database_size(current_database())::float8 as bytes
    from runs where status in ('queued', 'in_progress')`)
  return rows[0]
}
