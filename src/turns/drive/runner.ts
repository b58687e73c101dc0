import type { ModelMessage } from '../../agent/provider.ts'
import { withBackgroundTx } from '../../db/client.ts'
import { randomBase62 } from '../../ids.ts'
import { within } from '../../waiting/waiting.ts'
import { createSharedAppends } from '../record/shared-appends.ts'
import { createTurnStore, type TurnStore } from '../record/turn-store.ts'
import { createOutageLog } from '../replicas/outage-log.ts'
import { openReplica, otherReplicaLives, type Replica } from '../replicas/presence.ts'
import type { Pressure } from '../replicas/pressure.ts'
import { type Lease, leaseSeconds } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { createDrivenRuns, type DrivenRuns } from './driven-runs.ts'
import { keepLeases } from './lease-keeping.ts'
import { createClaiming, releaseLeases } from './leases.ts'
import type { LiveRun } from './live-runs.ts'
import type { RunnerServices } from './run-turn.ts'

/** Time limit for handing over runs. Leases that could not be released by then expire. */
const handOverMs = 8_000

/**
 * The last part of the time to finish, in which runs move to other replicas while their readers here continue from the
 * log: this fraction, at most this long.
 */
const moving = { fraction: 0.4, maxMs: 10_000 }
/**
 * A run moves once it has shown no text for this long. The new owner repeats the open model call, and its text would
 * contradict what a reader has already got.
 */
const quietMs = 1_000
/** Interval of the look for runs that can move. */
const movePollMs = 250

/** The part of a process that drives runs: those it admitted, and those it claimed from lost owners. */
export type Runner = Omit<Replica, 'close'> & {
  readonly lease: Lease
  /** The calls of this process to the database about turns. */
  readonly store: TurnStore
  /**
   * Starts to drive a run that this process owns. During a drain it releases the run instead.
   * @param conversation the model's conversation, if it is known. It is then not read again.
   */
  start(run: Run, conversation?: readonly ModelMessage[]): LiveRun
  /** The live run, if this process drives it. */
  find(runId: string): LiveRun | undefined
  /**
   * Stops a run on whichever replica drives it. Its row must already be marked; a replica that misses the
   * signal sees the mark.
   */
  cancel(runId: string): void
  /** Whether the process is shutting down and drives no more runs. */
  readonly draining: () => boolean
  /** Aborted at the end of `drain`. Readers then end, so that their clients connect to another replica. */
  readonly leaving: AbortSignal
  /**
   * Drives no further runs, and resolves when those of this process have ended, at the latest after `ms`. Near the end of
   * this time it hands runs over, if another replica lives.
   */
  finish(ms: number): Promise<void>
  /** Stops all turns, releases their leases and waits until all writes are finished, at most eight seconds. */
  drain(): Promise<void>
}

/**
 * Starts to renew leases and to look for runs without an owner.
 * @param services.pressure undefined: runs are claimed regardless of memory use.
 */
export function createRunner(
  services: RunnerServices & { readonly pressure?: Pressure | undefined },
): Runner {
  const lease = { owner: `replica_${randomBase62(12)}`, seconds: leaseSeconds }
  const { database, log } = services
  const replica = openReplica(database, lease.owner, log)
  const { signals } = replica
  const store = createTurnStore(database)
  const appends = createSharedAppends(store)
  const outage = createOutageLog(log, 'looking after runs')
  const leaving = new AbortController()
  let draining = false

  const driven = createDrivenRuns({ ...services, signals, outage, store, appends }, (run) => {
    claiming.runSoon()
    signals.send({ kind: 'claim', runId: run.id })
  })
  const keeping = keepLeases(database, lease, driven.byId, outage)
  const claiming = createClaiming({
    ...{ database, plans: services.plans, lease, outage },
    // If a process died for lack of memory, claiming all its runs at once would end this process too.
    paused: () => draining || services.pressure?.isShortOfMemory() === true,
    start(run) {
      log.info({ runId: run.id, epoch: run.epoch }, 'run claimed')
      driven.start(run)
    },
  })
  const cancelHere = (runId: string) => driven.byId.get(runId)?.stop.end('cancelled')
  const unsubscribe = signals.subscribe((signal) => {
    if (signal.kind === 'cancel') cancelHere(signal.runId)
    if (signal.kind === 'claim') claiming.runSoon()
  })

  const othersLive = () =>
    withBackgroundTx(database, (tx) => otherReplicaLives(tx, lease.owner)).catch(() => false)

  const handOver = async () => {
    const handedOver = driven.handOver()
    // This includes a run that was claimed at the last moment.
    await Promise.all([keeping.stop(), claiming.stop(), handedOver])
    leaving.abort()
    await withBackgroundTx(database, (tx) => releaseLeases(tx, lease)).catch(outage.failed)
    await replica.close()
  }

  return {
    lease,
    store,
    ...replica,
    start: driven.start,
    find: (runId) => driven.byId.get(runId)?.live,
    cancel(runId) {
      cancelHere(runId)
      signals.send({ kind: 'cancel', runId })
      // A queued run has no driver. The replica that claims it ends it.
      signals.send({ kind: 'claim', runId })
    },
    draining: () => draining,
    leaving: leaving.signal,
    async finish(ms) {
      draining = true
      await finishRuns(driven, othersLive, ms)
    },
    async drain() {
      draining = true
      unsubscribe()
      await within(handOver(), handOverMs)
      leaving.abort()
      // These turns could not be handed over in time.
      for (const { live } of driven.byId.values()) live.abandon()
    },
  }
}

/** Waits until the driven runs have ended, at most `ms`. In the last part of this time runs move to other replicas. */
async function finishRuns(driven: DrivenRuns, othersLive: () => Promise<boolean>, ms: number): Promise<void> {
  const endAt = performance.now() + ms
  await within(driven.ended(), ms - Math.min(ms * moving.fraction, moving.maxMs))
  while (driven.byId.size > 0 && performance.now() < endAt) {
    if (await within(othersLive(), movePollMs)) driven.giveUpQuiet(quietMs)
    await within(driven.ended(), movePollMs)
  }
}
