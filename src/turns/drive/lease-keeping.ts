import { type Database, withBackgroundTx } from '../../db/client.ts'
import { startPeriodicTask } from '../../periodic-work.ts'
import { LeaseLost } from '../record/run-log.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import type { Lease } from '../run/lease.ts'
import type { TurnStop } from '../run/turn-stop.ts'
import { renewLeases, stoppableRuns } from './leases.ts'

const heartbeatMs = 5_000
/** Interval of the look at the rows. It bounds how long a lost cancel signal, or a lost run, stays unnoticed. */
const checkMs = 1_000
/** A failed renewal is retried soon, so that no lease expires for lack of an attempt. */
const retryMs = 500

/** A run that this process drives. */
export type Owned = { readonly epoch: number; readonly stop: TurnStop }

/**
 * Renews the leases of driven runs every five seconds. Reads their rows every second and stops runs that are
 * lost or must be cancelled.
 */
export function keepLeases(
  database: Database,
  lease: Lease,
  driven: ReadonlyMap<string, Owned>,
  outage: OutageLog,
): { stop(): Promise<void> } {
  const renew = async () => {
    const asked = [...driven.keys()]
    if (asked.length === 0) return
    // The first pass skips locked rows, so one hanging transaction costs no other run its lease. The second
    // pass waits for the rest.
    const rest = await withBackgroundTx(database, (tx) => renewLeases(tx, lease, asked, 'skip'))
    if (rest.length > 0) await withBackgroundTx(database, (tx) => renewLeases(tx, lease, rest, 'wait'))
  }
  const checkRows = async () => {
    // Runs that start after this copy are not queried and must not be taken for lost.
    const asked = new Map(driven)
    if (asked.size === 0) return
    const owned = [...asked].map(([id, { epoch }]) => ({ id, epoch }))
    for (const { id, lost } of await withBackgroundTx(database, (tx) => stoppableRuns(tx, owned))) {
      const stop = asked.get(id)?.stop
      if (lost) stop?.leave(new LeaseLost(`run ${id} has another owner or is gone`))
      else stop?.end('cancelled')
    }
  }
  const rounds = [
    startPeriodicTask(renew, heartbeatMs, outage.failed, retryMs),
    startPeriodicTask(checkRows, checkMs, outage.failed, retryMs),
  ]
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}
