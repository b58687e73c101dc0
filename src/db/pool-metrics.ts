import type { Pool } from 'pg'
import { Gauge, type Registry } from 'prom-client'

/**
 * Registers gauges for the connections of the pools. They are read at each scrape.
 * @param named the pools, by the label of their metrics.
 */
export function registerPoolMetrics(registry: Registry, named: Readonly<Record<string, Pool>>): void {
  const pools = Object.entries(named)
  const registers = [registry]
  const gauge = (name: string, help: string, figure: (pool: Pool) => number) =>
    new Gauge({
      ...{ name, help, registers, labelNames: ['pool'] },
      collect() {
        for (const [pool, one] of pools) this.set({ pool }, figure(one))
      },
    })
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
  const most = 'Connections to Postgres that a pool may have'
  gauge('service_pg_pool_max_connections', most, ({ options }) => options.max)
  gauge('service_pg_pool_waiting_requests', 'Requests that wait for a connection', (one) => one.waitingCount)
}
