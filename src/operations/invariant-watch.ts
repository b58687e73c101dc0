import { Gauge, type Registry } from 'prom-client'
import { type CheckState, type Examination, examineUnlessFresh } from '../billing/checks/examine.ts'
import { invariants } from '../billing/checks/invariants.ts'
import type { Database } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'

const everyMs = 10 * 60_000
/** A check of another replica counts up to this age. */
const freshSeconds = 9 * 60
/** Delay after a failure, and while another replica makes the installation's first check. */
const retryMs = 60_000

/**
 * Checks the rules of money and runs every ten minutes, one replica at a time, and sets the metrics of every
 * replica to the latest result. Logs each broken rule with its rows.
 */
export function watchInvariants(
  database: Database,
  registry: Registry,
  log: Logger,
): { stop(): Promise<void> } {
  const gauges = registerGauges(registry)
  const watching = startPeriodicTask(
    async () => {
      const state = await examineUnlessFresh(database, freshSeconds, (found) => report(log, found))
      if (!state) throw new Error('another replica makes the first check')
      gauges.tell(state)
    },
    everyMs,
    (error) => {
      gauges.tellNothing()
      log.warn({ reason: reasonOf(error) }, 'invariants could not be checked')
    },
    retryMs,
  )
  watching.runSoon()
  return watching
}

function report(log: Logger, { broken, unchecked }: Examination): void {
  for (const { invariant, rows } of broken) log.error({ invariant, rows }, 'an invariant is broken')
  for (const { invariant, reason } of unchecked)
    log.warn({ invariant, reason }, 'an invariant could not be checked')
}

function registerGauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const broken = gauge(
    'service_broken_invariants',
    'Rules of the ledger and the runs that the newest check found broken; no sample when it found none and is not known to be complete',
  )
  const unchecked = gauge(
    'service_unchecked_invariants',
    'Rules of the ledger and the runs that the newest check could not check',
  )
  const at = gauge(
    'service_invariants_checked_timestamp_seconds',
    'When every rule was last checked; 0: never',
  )
  let known = 0
  const tell = (found: number, missing: number) => {
    known = found
    unchecked.set(missing)
    // A zero would mean that all rules hold, but some were not checked.
    if (found === 0 && missing > 0) broken.remove()
    else broken.set(found)
  }
  tell(0, invariants.length)
  return {
    tell(state: CheckState) {
      tell(state.broken.length, state.unchecked.length)
      at.set(state.checkedAt.getTime() / 1_000)
    },
    tellNothing: () => tell(known, invariants.length),
  }
}
