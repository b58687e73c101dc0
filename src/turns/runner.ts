import { withTx } from '../db/client.ts'
import { databaseFault } from '../db/errors.ts'
import { messageOf } from '../errors.ts'
import { randomBase62 } from '../ids.ts'
import { LeaseLost } from './event-log.ts'
import { claimRun, type Lease, leaseSeconds, releaseLeases, renewLeases } from './leases.ts'
import { createLiveRun, type LiveRun } from './live-runs.ts'
import { repeat } from './repeat.ts'
import { runTurn, type StopReason, type TurnServices } from './run-turn.ts'
import type { Run } from './start-turn.ts'

const heartbeatMs = 5_000
const claimMs = 1_000

/** The part of a process that drives runs: its own, and those whose owner is gone. */
export type Runner = {
  readonly lease: Lease
  /** Begins to drive a run that this process owns by its row. */
  start(run: Run): LiveRun
  /** The run if this process drives it. */
  find(runId: string): LiveRun | undefined
  /** Stops a run that this process drives; the others see the mark in its row with their next heartbeat. */
  cancelLocal(runId: string): void
  /** Stops driving, hands the runs over by releasing their leases, and waits until nothing is written any more. */
  drain(): Promise<void>
}

type Driven = { readonly live: LiveRun; readonly stop: AbortController; readonly done: Promise<void> }

/** Starts the heartbeat and the search for unowned runs. */
export function createRunner(services: TurnServices): Runner {
  const lease = { owner: `replica_${randomBase62(12)}`, seconds: leaseSeconds }
  const { database, log } = services
  const driven = new Map<string, Driven>()
  let draining = false

  const stopDriven = (runId: string, reason: StopReason | Error) => driven.get(runId)?.stop.abort(reason)

  const start = (run: Run): LiveRun => {
    const live = createLiveRun(run.id)
    const stop = new AbortController()
    const deadline = setTimeout(() => stop.abort('deadline' satisfies StopReason), millisecondsLeft(run))
    // Asked for while it waited in its session, or of an owner that is gone.
    if (run.cancelRequestedAt) stop.abort('cancelled' satisfies StopReason)
    const done = runTurn(services, run, live, stop).finally(() => {
      clearTimeout(deadline)
      driven.delete(run.id)
      claiming.soon()
    })
    driven.set(run.id, { live, stop, done })
    return live
  }

  const heartbeat = async () => {
    const ids = [...driven.keys()]
    if (ids.length === 0) return
    const held = await renewLeases(database.system, lease, ids)
    for (const id of ids) {
      const run = held.get(id)
      if (!run) stopDriven(id, new LeaseLost(`run ${id} has another owner or has ended`))
      else if (run.cancelRequested) stopDriven(id, 'cancelled')
    }
  }

  const claim = async () => {
    while (!draining) {
      const run = await withTx(database, 'system', (tx) => claimRun(tx, lease))
      if (!run) return
      log.info({ runId: run.id, epoch: run.epoch }, 'run claimed')
      start(run)
    }
  }

  const report = (error: unknown) => {
    log.warn(
      { reason: databaseFault(error)?.message ?? messageOf(error) },
      'runner could not reach the database',
    )
  }
  const beating = repeat(heartbeat, heartbeatMs, report)
  const claiming = repeat(claim, claimMs, report)

  return {
    lease,
    start,
    find: (runId) => driven.get(runId)?.live,
    cancelLocal: (runId) => stopDriven(runId, 'cancelled'),
    async drain() {
      draining = true
      await Promise.all([beating.stop(), claiming.stop()])
      const open = [...driven.values()]
      for (const { stop } of open) stop.abort('handover' satisfies StopReason)
      await Promise.all(open.map(({ done }) => done))
      await releaseLeases(database.system, lease).catch(report)
    },
  }
}

/** By the database's clock, which wrote all three instants: the lease was given now, for `leaseSeconds`. */
function millisecondsLeft(run: Run): number {
  const now = run.leaseExpiresAt
    ? run.leaseExpiresAt.getTime() - leaseSeconds * 1_000
    : run.createdAt.getTime()
  return Math.max(run.deadlineAt.getTime() - now, 0)
}
