import { type Database, withTx } from '../db/client.ts'
import { databaseFault } from '../db/errors.ts'
import { messageOf } from '../errors.ts'
import { randomBase62 } from '../ids.ts'
import type { Logger } from '../log.ts'
import { LeaseLost } from './event-log.ts'
import { claimRun, type Lease, leaseSeconds, releaseLeases, renewLeases } from './leases.ts'
import { createLiveRun, type LiveRun } from './live-runs.ts'
import { repeat } from './repeat.ts'
import { type RunnerServices, runTurn, type StopReason } from './run-turn.ts'
import { openSignals, type Signals } from './signals.ts'
import type { Run } from './start-turn.ts'

const heartbeatMs = 5_000
const claimMs = 1_000

/** The part of a process that drives runs: its own, and those whose owner is gone. */
export type Runner = {
  readonly lease: Lease
  /** What this process tells the others and hears from them. */
  readonly signals: Signals
  /** Begins to drive a run that this process owns by its row. */
  start(run: Run): LiveRun
  /** The run if this process drives it. */
  find(runId: string): LiveRun | undefined
  /** Stops a run wherever it is driven, after its row was marked. A replica that misses the signal sees the mark. */
  cancel(runId: string): void
  /** Aborted by `drain` once no run is driven any more: readers then end, so that their clients go elsewhere. */
  readonly leaving: AbortSignal
  /** Stops driving, hands the runs over by releasing their leases, and waits until nothing is written any more. */
  drain(): Promise<void>
}

type Driven = { readonly live: LiveRun; readonly stop: AbortController; readonly done: Promise<void> }

/** Starts the heartbeat and the search for unowned runs. */
export function createRunner(services: RunnerServices): Runner {
  const lease = { owner: `replica_${randomBase62(12)}`, seconds: leaseSeconds }
  const { database, log } = services
  const signals = openSignals(database.system, database.url, log)
  const driven = new Map<string, Driven>()
  const leaving = new AbortController()
  let draining = false
  const stopDriven = (runId: string, reason: StopReason | Error) => driven.get(runId)?.stop.abort(reason)

  const start = (run: Run): LiveRun => {
    const live = createLiveRun(run.id)
    const stop = new AbortController()
    const deadline = setTimeout(() => stop.abort('deadline' satisfies StopReason), millisecondsLeft(run))
    // Asked for while it waited in its session, or of an owner that is gone.
    if (run.cancelRequestedAt) stop.abort('cancelled' satisfies StopReason)
    // A process that could not renew its leases for a while may claim its own run: the earlier attempt has lost it.
    stopDriven(run.id, new LeaseLost(`run ${run.id} has been claimed anew`))
    const done = runTurn({ ...services, signals }, run, live, stop).finally(() => {
      clearTimeout(deadline)
      if (driven.get(run.id)?.live === live) driven.delete(run.id)
      claiming.soon()
      signals.send({ kind: 'claim', runId: run.id })
    })
    driven.set(run.id, { live, stop, done })
    return live
  }

  const claim = async () => {
    while (!draining) {
      const run = await withTx(database, 'system', (tx) => claimRun(tx, lease))
      if (!run) return
      log.info({ runId: run.id, epoch: run.epoch }, 'run claimed')
      start(run)
    }
  }

  const report = reportTo(log)
  const beating = repeat(() => heartbeat(database, lease, driven), heartbeatMs, report)
  const claiming = repeat(claim, claimMs, report)

  const unsubscribe = signals.subscribe(({ kind, runId }) => {
    if (kind === 'cancel') stopDriven(runId, 'cancelled')
    if (kind === 'claim') claiming.soon()
  })

  return {
    lease,
    signals,
    start,
    find: (runId) => driven.get(runId)?.live,
    cancel(runId) {
      stopDriven(runId, 'cancelled')
      signals.send({ kind: 'cancel', runId })
      // One that waits in its session has no driver yet: whoever claims it ends it.
      signals.send({ kind: 'claim', runId })
    },
    leaving: leaving.signal,
    async drain() {
      draining = true
      await Promise.all([beating.stop(), claiming.stop()])
      const open = [...driven.values()]
      for (const { stop } of open) stop.abort('handover' satisfies StopReason)
      await Promise.all(open.map(({ done }) => done))
      leaving.abort()
      await releaseLeases(database.system, lease).catch(report)
      unsubscribe()
      await signals.close()
    },
  }
}

const reportTo = (log: Logger) => (error: unknown) => {
  log.warn(
    { reason: databaseFault(error)?.message ?? messageOf(error) },
    'runner could not reach the database',
  )
}

/** Prolongs the leases of the driven runs; stops those that were lost or are to be cancelled. */
async function heartbeat(
  database: Database,
  lease: Lease,
  driven: ReadonlyMap<string, Driven>,
): Promise<void> {
  if (driven.size === 0) return
  // A run that starts meanwhile is not asked about and must not be taken for lost.
  const asked = [...driven]
  const held = await renewLeases(
    database.system,
    lease,
    asked.map(([id]) => id),
  )
  for (const [id, { stop }] of asked) {
    const run = held.get(id)
    if (!run) stop.abort(new LeaseLost(`run ${id} has another owner or has ended`))
    else if (run.cancelRequested) stop.abort('cancelled' satisfies StopReason)
  }
}

/** By the database's clock, which wrote all three instants: the lease was given now, for `leaseSeconds`. */
function millisecondsLeft(run: Run): number {
  const now = run.leaseExpiresAt
    ? run.leaseExpiresAt.getTime() - leaseSeconds * 1_000
    : run.createdAt.getTime()
  return Math.max(run.deadlineAt.getTime() - now, 0)
}
