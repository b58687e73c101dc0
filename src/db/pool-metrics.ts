import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'

/**
 * Registers gauges for the connections of the pools. They are read at each scrape.
 * @param named the pools, by the label of their metrics.
 */
export function registerPoolMetrics(registry: Registry, named: Readonly<Record<string, Pool>>): void {
  const pools = Object.entries(named)
  const registers = [registry]
  new Gauge({
    name: 'service_pg_pool_connections',
    help: 'Connections to Postgres',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount }] of pools) {
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'used' }, totalCount - idleCount)
      }
    },
  })
  new Gauge({
    name: 'service_pg_pool_max_connections',
    help: 'Connections to Postgres that a pool may have',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { options }] of pools) this.set({ pool }, options.max)
    },
  })
  new Gauge({
    name: 'service_pg_pool_waiting_requests',
    help: 'Requests that wait for a connection',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waitingCount }] of pools) this.set({ pool }, waitingCount)
    },
  })
}
