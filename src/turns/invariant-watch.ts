import { Gauge, type Registry } from 'prom-client'
import { findViolations } from '../billing/invariants.ts'
import type { Database } from '../db/client.ts'
import type { Logger } from '../log.ts'
import { repeat } from './repeat.ts'

const everyMs = 10 * 60_000

/**
 * Checks the rules of the money and the runs every ten minutes, while the service runs: a broken one is logged with
 * its rows, and the metric `service_broken_invariants` counts them.
 */
export function watchInvariants(
  database: Database,
  registry: Registry,
  log: Logger,
): { stop(): Promise<void> } {
  const gauge = new Gauge({
    name: 'service_broken_invariants',
    help: 'Rules of the ledger and the runs that are broken, as `doctor` lists them',
    registers: [registry],
  })
  const check = async () => {
    const violations = await findViolations(database.system)
    gauge.set(violations.length)
    for (const { invariant, rows } of violations) log.error({ invariant, rows }, 'an invariant is broken')
  }
  const watching = repeat(check, everyMs, (error) =>
    log.warn({ err: error }, 'invariants could not be checked'),
  )
  watching.soon()
  return watching
}
