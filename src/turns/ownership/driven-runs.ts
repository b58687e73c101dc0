import type { ModelMessage } from '../../agent/provider.ts'
import { type Database, withBackgroundTx } from '../../db/client.ts'
import { createLiveRun, type LiveRun } from '../execution/live-runs.ts'
import { runTurn, type TurnServices } from '../execution/run-turn.ts'
import { LeaseLost } from '../recording/event-log.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import { leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { createTurnStop, HandedOver, type TurnStop } from '../run/turn-stop.ts'
import type { Owned } from './lease-keeping.ts'
import { releaseLease } from './leases.ts'

/** A turn that has not ended this long after its deadline is given up by this process. */
const overdueMs = 60_000

type Driven = Owned & { readonly live: LiveRun; readonly done: Promise<void> }

/** The runs that one process drives. */
export type DrivenRuns = {
  readonly byId: ReadonlyMap<string, Driven>
  /**
   * Begins to drive a run that this process owns by its row; after `handOver`, gives it up at once. One attempt (epoch) at a run is
   * driven once, however often it is started.
   */
  start(run: Run, conversation?: readonly ModelMessage[]): LiveRun
  /** Stops every turn and gives its lease up; resolves when nothing is written any more. */
  handOver(): Promise<void>
}

/** @param onFree called when a run is not driven any more, and it or one that waited for it is free for others. */
export function createDrivenRuns(
  services: TurnServices & { readonly outage: OutageLog },
  onFree: (run: Run) => void,
): DrivenRuns {
  const byId = new Map<string, Driven>()
  let handingOver = false

  const drive = async (
    run: Run,
    live: LiveRun,
    stop: TurnStop,
    conversation: readonly ModelMessage[] | undefined,
  ) => {
    const unset = setBounds(run, stop)
    const outcome = await runTurn(services, run, live, stop, conversation)
    unset()
    if (outcome === 'given-up') await giveUp(services.database, run, services.outage)
    if (byId.get(run.id)?.live === live) byId.delete(run.id)
    if (outcome !== 'ended') onFree(run)
  }

  return {
    byId,
    start(run, conversation) {
      const known = byId.get(run.id)
      if (known?.epoch === run.epoch) return known.live
      const live = createLiveRun(run.id)
      const stop = createTurnStop()
      // A process that could not renew its leases for a while may claim its own run: the earlier attempt has lost it.
      known?.stop.leave(new LeaseLost(`run ${run.id} has been claimed anew`))
      // Its readers are let go like those of the turns that were handed over.
      if (handingOver) live.abandon()
      const done = handingOver
        ? giveUp(services.database, run, services.outage)
        : drive(run, live, stop, conversation)
      byId.set(run.id, { epoch: run.epoch, live, stop, done })
      return live
    },
    async handOver() {
      handingOver = true
      for (const { stop } of byId.values()) stop.leave(new HandedOver('the process shuts down'))
      await Promise.all([...byId.values()].map(({ done }) => done))
    },
  }
}

/** Leaves the run to any replica at once. When that fails, its lease runs out by itself. */
function giveUp(database: Database, run: Run, outage: OutageLog): Promise<void> {
  return withBackgroundTx(database, (tx) => releaseLease(tx, run)).catch(outage.failed)
}

/** Stops the turn at its deadline, and its writing when it has not ended some time after that. */
function setBounds(run: Run, stop: TurnStop): () => void {
  const leftMs = millisecondsLeft(run)
  let timer = setTimeout(() => {
    stop.end('deadline')
    timer = setTimeout(() => stop.leave(new Error('the turn is overdue')), overdueMs)
  }, leftMs)
  // Asked for while it waited in its session, or of an owner that is gone.
  if (run.cancelRequestedAt) stop.end('cancelled')
  // Without waiting for the timer, or the model would be called for a turn that is over.
  else if (leftMs === 0) stop.end('deadline')
  return () => clearTimeout(timer)
}

/** By the database's clock, which wrote all three instants: the lease was given now, for `leaseSeconds`. */
function millisecondsLeft(run: Run): number {
  const now = run.leaseExpiresAt
    ? run.leaseExpiresAt.getTime() - leaseSeconds * 1_000
    : run.createdAt.getTime()
  return Math.max(run.deadlineAt.getTime() - now, 0)
}
