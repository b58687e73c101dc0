import { setTimeout as delay } from 'node:timers/promises'
import { type Database, withBackgroundTx } from '../db/client.ts'
import { randomBase62 } from '../ids.ts'
import { createClaiming } from './claiming.ts'
import { LeaseLost } from './event-log.ts'
import { keepLeases, type Owned } from './lease-keeping.ts'
import { type Lease, leaseSeconds, releaseLease, releaseLeases } from './leases.ts'
import { createLiveRun, type LiveRun } from './live-runs.ts'
import { createOutageLog } from './outage-log.ts'
import { type RunnerServices, runTurn } from './run-turn.ts'
import { openSignals, type Signals } from './signals.ts'
import type { Run } from './start-turn.ts'
import { createTurnStop, HandedOver, type TurnStop } from './turn-stop.ts'
import { createUnanswered } from './unanswered.ts'

/** A turn that has not ended this long after its deadline is given up by this process. */
const overdueMs = 60_000
/** What handing over may take, whatever the database does; then the leases run out by themselves. */
const drainMs = 8_000

/** The part of a process that drives runs: its own, and those whose owner is gone. */
export type Runner = {
  readonly lease: Lease
  /** What this process tells the others and hears from them. */
  readonly signals: Signals
  /** Whether the process is shutting down and drives no run any more. */
  readonly draining: () => boolean
  /** Begins to drive a run that this process owns by its row; while draining, hands it over. */
  start(run: Run): LiveRun
  /** A run may have been started whose client was told that it was not: it is looked for, and left to be claimed. */
  unanswered(runId: string): void
  /** The run if this process drives it. */
  find(runId: string): LiveRun | undefined
  /** Stops a run wherever it is driven, after its row was marked. A replica that misses the signal sees the mark. */
  cancel(runId: string): void
  /**
   * Stops driving, hands the runs over by releasing their leases, and waits until nothing is written any more, at most
   * eight seconds.
   */
  drain(): Promise<void>
}

type Driven = Owned & { readonly live: LiveRun; readonly done: Promise<void> }

/** Starts to renew leases and to search for unowned runs. */
export function createRunner(services: RunnerServices): Runner {
  const lease = { owner: `replica_${randomBase62(12)}`, seconds: leaseSeconds }
  const { database, log } = services
  const signals = openSignals(database.system, database.url, log)
  const unanswered = createUnanswered(lease)
  const driven = new Map<string, Driven>()
  const outage = createOutageLog(log, 'looking after runs')
  let draining = false

  const handOver = async (run: Run) => {
    await withBackgroundTx(database, (tx) => releaseLease(tx, run)).catch(outage.failed)
  }

  const drive = async (run: Run, live: LiveRun, stop: TurnStop) => {
    const unset = setBounds(run, stop)
    const ended = await runTurn({ ...services, signals }, run, live, stop)
    unset()
    if (!ended) await handOver(run)
    if (driven.get(run.id)?.live === live) driven.delete(run.id)
    claiming.soon()
    signals.send({ kind: 'claim', runId: run.id })
  }

  const start = (run: Run): LiveRun => {
    const live = createLiveRun(run.id)
    const stop = createTurnStop()
    // A process that could not renew its leases for a while may claim its own run: the earlier attempt has lost it.
    driven.get(run.id)?.stop.leave(new LeaseLost(`run ${run.id} has been claimed anew`))
    // Its readers are let go like those of the turns that were handed over.
    if (draining) live.abandon()
    const done = draining ? handOver(run) : drive(run, live, stop)
    driven.set(run.id, { epoch: run.epoch, live, stop, done })
    return live
  }

  const keeping = keepLeases(database, lease, driven, outage)
  const paused = () => draining
  const claiming = createClaiming({ ...services, lease, unanswered, outage, paused, start })
  const unsubscribe = signals.subscribe(({ kind, runId }) => {
    if (kind === 'cancel') driven.get(runId)?.stop.end('cancelled')
    if (kind === 'claim') claiming.soon()
  })

  return {
    lease,
    signals,
    draining: paused,
    start,
    unanswered: unanswered.add,
    find: (runId) => driven.get(runId)?.live,
    cancel(runId) {
      driven.get(runId)?.stop.end('cancelled')
      signals.send({ kind: 'cancel', runId })
      // One that waits in its session has no driver yet: whoever claims it ends it.
      signals.send({ kind: 'claim', runId })
    },
    async drain() {
      draining = true
      unsubscribe()
      const handedOver = handAllOver(database, lease, driven, [keeping, claiming])
        .catch(outage.failed)
        .then(signals.close)
      await Promise.race([handedOver, delay(drainMs, undefined, { ref: false })])
    },
  }
}

async function handAllOver(
  database: Database,
  lease: Lease,
  driven: ReadonlyMap<string, Driven>,
  rounds: readonly { stop(): Promise<void> }[],
): Promise<void> {
  for (const { stop } of driven.values()) stop.leave(new HandedOver('the process shuts down'))
  await Promise.all(rounds.map((round) => round.stop()))
  await Promise.all([...driven.values()].map(({ done }) => done))
  await withBackgroundTx(database, (tx) => releaseLeases(tx, lease))
}

/** Stops the turn at its deadline, and its writing when it has not ended some time after that. */
function setBounds(run: Run, stop: TurnStop): () => void {
  const leftMs = millisecondsLeft(run)
  const deadline = setTimeout(() => stop.end('deadline'), leftMs)
  const overdue = setTimeout(() => stop.leave(new Error('the turn is overdue')), leftMs + overdueMs)
  // Asked for while it waited in its session, or of an owner that is gone.
  if (run.cancelRequestedAt) stop.end('cancelled')
  return () => {
    clearTimeout(deadline)
    clearTimeout(overdue)
  }
}

/** By the database's clock, which wrote all three instants: the lease was given now, for `leaseSeconds`. */
function millisecondsLeft(run: Run): number {
  const now = run.leaseExpiresAt
    ? run.leaseExpiresAt.getTime() - leaseSeconds * 1_000
    : run.createdAt.getTime()
  return Math.max(run.deadlineAt.getTime() - now, 0)
}
