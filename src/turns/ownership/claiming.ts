import type { Plans } from '../../accounts/plans.ts'
import { type Database, withBackgroundTx } from '../../db/client.ts'
import { type Repeated, repeat } from '../../periodic-work.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import { type Lease, leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { claimRun } from './leases.ts'
import type { Unanswered } from './unanswered.ts'

/** Signals make it sooner. */
const lookMs = 1_000
/** An outage this long can make leases run out whose owners are alive, since these renew them for three beats. */
const longOutageMs = (leaseSeconds * 1_000) / 2
/** After one, the time that owners have to renew before their runs count as orphans. */
const renewalMs = 5_000

export type ClaimingOptions = {
  readonly database: Database
  readonly lease: Lease
  readonly plans: Plans
  readonly unanswered: Unanswered
  readonly outage: OutageLog
  /** While true nothing is claimed. */
  readonly paused: () => boolean
  /** Given each run that was claimed. */
  readonly start: (run: Run) => void
}

/** Looks every second, and when asked, for runs that nobody drives, and claims them one by one. */
export function createClaiming(options: ClaimingOptions): Repeated {
  const { database, lease, plans, unanswered, outage } = options
  let lookedAt = performance.now()
  let orphansFrom = lookedAt

  const claimNext = async () => {
    const wasAway = performance.now() - lookedAt > longOutageMs
    const orphans = !wasAway && performance.now() >= orphansFrom
    const run = await withBackgroundTx(database, (tx) => claimRun(tx, lease, { plans, orphans }))
    lookedAt = performance.now()
    if (wasAway) orphansFrom = lookedAt + renewalMs
    return run
  }

  const look = async () => {
    await unanswered.settle(database)
    while (!options.paused()) {
      const run = await claimNext()
      outage.works()
      if (!run) return
      options.start(run)
    }
  }
  return repeat(look, lookMs, outage.failed)
}
