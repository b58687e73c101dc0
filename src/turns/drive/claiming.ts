import type { Plans } from '../../accounts/plans.ts'
import { type Database, withBackgroundTx } from '../../db/client.ts'
import { type PeriodicTask, startPeriodicTask } from '../../periodic-work.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import { type Lease, leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { claimRun } from './leases.ts'

/** Signals make a look happen sooner. */
const pollMs = 1_000
/** Owners renew every third of a lease. After an outage this long, leases of live owners may have expired. */
const longOutageMs = (leaseSeconds * 1_000) / 2
/** After a long outage, owners get this time to renew before their runs count as orphans. */
const renewalMs = 5_000

export type ClaimingOptions = {
  readonly database: Database
  readonly lease: Lease
  readonly plans: Plans
  readonly outage: OutageLog
  /** While it returns true, nothing is claimed. */
  readonly paused: () => boolean
  /** Called with each claimed run. */
  readonly start: (run: Run) => void
}

/** Looks for runs without an owner every second and on signals, and claims them one by one. */
export function createClaiming(options: ClaimingOptions): PeriodicTask {
  const { database, lease, plans, outage } = options
  let lastClaimAt = performance.now()
  let orphansFrom = lastClaimAt

  const claimNext = async () => {
    const wasAway = performance.now() - lastClaimAt > longOutageMs
    const orphans = !wasAway && performance.now() >= orphansFrom
    const run = await withBackgroundTx(database, (tx) => claimRun(tx, lease, { plans, orphans }))
    lastClaimAt = performance.now()
    if (wasAway) orphansFrom = lastClaimAt + renewalMs
    return run
  }

  const claimAll = async () => {
    while (!options.paused()) {
      const run = await claimNext()
      outage.works()
      if (!run) return
      options.start(run)
    }
  }
  return startPeriodicTask(claimAll, pollMs, outage.failed)
}
