import { setTimeout as delay } from 'node:timers/promises'
import type { ModelMessage } from '../../agent/provider.ts'
import { withBackgroundTx } from '../../db/client.ts'
import { randomBase62 } from '../../ids.ts'
import type { LiveRun } from '../execution/live-runs.ts'
import type { RunnerServices } from '../execution/run-turn.ts'
import { createSharedAppends } from '../recording/shared-appends.ts'
import { createOutageLog } from '../replicas/outage-log.ts'
import type { Pressure } from '../replicas/pressure.ts'
import { openReplica, type Replica } from '../replicas/replica.ts'
import { type Lease, leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { createClaiming } from './claiming.ts'
import { createDrivenRuns } from './driven-runs.ts'
import { keepLeases } from './lease-keeping.ts'
import { releaseLeases } from './leases.ts'
import { createUnanswered } from './unanswered.ts'

/** What handing over may take, whatever the database does; then the leases run out by themselves. */
const drainMs = 8_000

/** The part of a process that drives runs: its own, and those whose owner is gone. */
export type Runner = Omit<Replica, 'close'> & {
  readonly lease: Lease
  /**
   * Begins to drive a run that this process owns by its row; while draining, hands it over.
   * @param conversation what the model is told, when it is known: then it is not read again.
   */
  start(run: Run, conversation?: readonly ModelMessage[]): LiveRun
  /** A run may have been started whose client was told that it was not: it is looked for, and left to be claimed. */
  unanswered(runId: string): void
  /** The run if this process drives it. */
  find(runId: string): LiveRun | undefined
  /** Stops a run wherever it is driven, after its row was marked. A replica that misses the signal sees the mark. */
  cancel(runId: string): void
  /** Whether the process is shutting down and drives no run any more. */
  readonly draining: () => boolean
  /** Aborted by `drain` once no run is driven any more: readers then end, so that their clients go elsewhere. */
  readonly leaving: AbortSignal
  /**
   * Stops driving, hands the runs over by releasing their leases, and waits until nothing is written any more, at most
   * eight seconds.
   */
  drain(): Promise<void>
}

/**
 * Starts to renew leases and to search for unowned runs.
 * @param services.pressure undefined: runs are claimed however much memory is used.
 */
export function createRunner(
  services: RunnerServices & { readonly pressure?: Pressure | undefined },
): Runner {
  const lease = { owner: `replica_${randomBase62(12)}`, seconds: leaseSeconds }
  const { database, log } = services
  const replica = openReplica(database, lease.owner, log)
  const { signals } = replica
  const appends = createSharedAppends(database)
  const outage = createOutageLog(log, 'looking after runs')
  const unanswered = createUnanswered(lease, (runId) => driven.byId.has(runId))
  const leaving = new AbortController()
  let draining = false

  const driven = createDrivenRuns({ ...services, signals, outage, appends }, (run) => {
    claiming.soon()
    signals.send({ kind: 'claim', runId: run.id })
  })
  const keeping = keepLeases(database, lease, driven.byId, outage)
  const claiming = createClaiming({
    ...{ database, plans: services.plans, lease, unanswered, outage },
    // A process that died for lack of memory leaves its runs behind: taken all at once they would end the next one, too.
    paused: () => draining || services.pressure?.isShortOfMemory() === true,
    start(run) {
      log.info({ runId: run.id, epoch: run.epoch }, 'run claimed')
      driven.start(run)
    },
  })
  const cancelHere = (runId: string) => driven.byId.get(runId)?.stop.end('cancelled')
  const unsubscribe = signals.subscribe((signal) => {
    if (signal.kind === 'cancel') cancelHere(signal.runId)
    if (signal.kind === 'claim') claiming.soon()
  })

  const handOver = async () => {
    const handedOver = driven.handOver()
    // One that was claimed at the last moment is handed over, too.
    await Promise.all([keeping.stop(), claiming.stop(), handedOver])
    leaving.abort()
    await withBackgroundTx(database, (tx) => releaseLeases(tx, lease)).catch(outage.failed)
    await replica.close()
  }

  return {
    lease,
    ...replica,
    start: driven.start,
    unanswered: unanswered.add,
    find: (runId) => driven.byId.get(runId)?.live,
    cancel(runId) {
      cancelHere(runId)
      signals.send({ kind: 'cancel', runId })
      // One that waits in its session has no driver yet: whoever claims it ends it.
      signals.send({ kind: 'claim', runId })
    },
    draining: () => draining,
    leaving: leaving.signal,
    async drain() {
      draining = true
      unsubscribe()
      await Promise.race([handOver(), delay(drainMs, undefined, { ref: false })])
      leaving.abort()
      // Of turns that could not be handed over in time.
      for (const { live } of driven.byId.values()) live.abandon()
    },
  }
}
