import type { ModelMessage } from '../../agent/provider.ts'
import { type Database, withBackgroundTx } from '../../db/client.ts'
import { LeaseLost } from '../record/run-log.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import { leasedAt } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { createTurnStop, type TurnStop } from '../run/turn-stop.ts'
import type { Owned } from './lease-keeping.ts'
import { releaseLease } from './leases.ts'
import { createLiveRun, type LiveRun } from './live-runs.ts'
import { runTurn, type TurnServices } from './run-turn.ts'

/** If a turn has not ended this long after its deadline, the process stops driving it. */
const overdueMs = 60_000

type Driven = Owned & { readonly live: LiveRun; readonly done: Promise<void> }

export type DrivenRuns = ReturnType<typeof createDrivenRuns>

/**
 * The runs that one process drives.
 * @param onFree called when a run is no longer driven and another turn or replica may be able to proceed.
 */
export function createDrivenRuns(
  services: TurnServices & { readonly outage: OutageLog },
  onFree: (run: Run) => void,
) {
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
    byId: byId as ReadonlyMap<string, Driven>,
    /**
     * Starts to drive a run that this process owns. After `handOver` it releases the run instead. Each attempt
     * (epoch) is driven once, even if `start` is called again.
     */
    start(run: Run, conversation?: readonly ModelMessage[]) {
      const known = byId.get(run.id)
      if (known?.epoch === run.epoch) return known.live
      const live = createLiveRun()
      const stop = createTurnStop()
      // A process that could not renew its leases may claim its own run again. The earlier attempt has then
      // lost the run.
      known?.stop.leave(new LeaseLost(`run ${run.id} has been claimed again`))
      // Its readers end like those of the runs that were handed over.
      if (handingOver) live.abandon()
      const done = handingOver
        ? giveUp(services.database, run, services.outage)
        : drive(run, live, stop, conversation)
      byId.set(run.id, { epoch: run.epoch, live, stop, done })
      return live
    },
    /** Resolves when the runs that are driven now have ended or were given up. */
    async ended() {
      await Promise.all([...byId.values()].map(({ done }) => done))
    },
    /** Gives up the runs that have shown no text for `quietMs`. Their readers continue from the committed log. */
    giveUpQuiet(quietMs: number) {
      for (const { live, stop } of byId.values())
        if (live.quietMs() >= quietMs) stop.leave(new Error('the process shuts down'))
    },
    /** Stops every turn and releases its lease. Resolves when all writes are finished. */
    async handOver() {
      handingOver = true
      for (const { stop } of byId.values()) stop.leave(new Error('the process shuts down'))
      await Promise.all([...byId.values()].map(({ done }) => done))
    },
  }
}

/** Releases the run for any replica. If that fails, its lease expires. */
function giveUp(database: Database, run: Run, outage: OutageLog): Promise<void> {
  return withBackgroundTx(database, (tx) => releaseLease(tx, run)).catch(outage.failed)
}

/** Stops the turn at its deadline, and stops its writes if it has not ended some time later. */
function setBounds(run: Run, stop: TurnStop): () => void {
  // The database's clock wrote both instants, and the lease began now.
  const leftMs = Math.max(run.deadlineAt.getTime() - leasedAt(run), 0)
  let timer = setTimeout(() => {
    stop.end('deadline')
    timer = setTimeout(() => stop.leave(new Error('the turn is overdue')), overdueMs)
  }, leftMs)
  // The cancel was requested while the run was queued, or under an earlier owner.
  if (run.cancelRequestedAt) stop.end('cancelled')
  // A timer of 0 ms fires later, and the model would be called for a turn that is over.
  else if (leftMs === 0) stop.end('deadline')
  return () => clearTimeout(timer)
}
