import { type Database, withBackgroundTx } from '../../db/client.ts'
import { repeat } from '../../periodic-work.ts'
import { LeaseLost } from '../recording/event-log.ts'
import type { OutageLog } from '../replicas/outage-log.ts'
import type { Lease } from '../run/lease.ts'
import type { TurnStop } from '../run/turn-stop.ts'
import { markedRuns, renewLeases } from './leases.ts'

const heartbeatMs = 5_000
/** How soon a cancel is seen whose signal was lost, and how soon an owner that slept sees that it has lost its run. */
const lookMs = 1_000
/** After a failure: no lease is to run out for want of an attempt. */
const retryMs = 500

/** A run that this process drives. */
export type Owned = { readonly epoch: number; readonly stop: TurnStop }

/**
 * Renews the leases of the driven runs every five seconds. Looks at their rows every second, and stops those that were
 * lost or are to be cancelled.
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
    // Rows that are just being written are left. One that hangs in its transaction costs no other run its lease.
    const rest = await withBackgroundTx(database, (tx) => renewLeases(tx, lease, asked, 'skip'))
    if (rest.length > 0) await withBackgroundTx(database, (tx) => renewLeases(tx, lease, rest, 'wait'))
  }
  const look = async () => {
    // A run that starts meanwhile is not asked about and must not be taken for lost.
    const asked = new Map(driven)
    if (asked.size === 0) return
    const owned = [...asked].map(([id, { epoch }]) => ({ id, epoch }))
    for (const { id, lost } of await withBackgroundTx(database, (tx) => markedRuns(tx, owned))) {
      const stop = asked.get(id)?.stop
      if (lost) stop?.leave(new LeaseLost(`run ${id} has another owner or is gone`))
      else stop?.end('cancelled')
    }
  }
  const rounds = [
    repeat(renew, heartbeatMs, outage.failed, retryMs),
    repeat(look, lookMs, outage.failed, retryMs),
  ]
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}
