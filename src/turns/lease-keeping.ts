import { type Database, withBackgroundTx } from '../db/client.ts'
import { LeaseLost } from './event-log.ts'
import { type Lease, readMarks, renewLeases } from './leases.ts'
import type { OutageLog } from './outage-log.ts'
import { repeat } from './repeat.ts'
import type { TurnStop } from './turn-stop.ts'

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
    const renewed = await withBackgroundTx(database, (tx) => renewLeases(tx, lease, asked, 'skip'))
    // Rows that are just being written. One that hangs in its transaction costs no other run its lease.
    const rest = asked.filter((id) => !renewed.has(id))
    if (rest.length > 0) await withBackgroundTx(database, (tx) => renewLeases(tx, lease, rest, 'wait'))
  }
  const look = async () => {
    // A run that starts meanwhile is not asked about and must not be taken for lost.
    const asked = [...driven]
    if (asked.length === 0) return
    const marks = await withBackgroundTx(database, (tx) =>
      readMarks(
        tx,
        asked.map(([id]) => id),
      ),
    )
    for (const [id, { epoch, stop }] of asked) {
      const run = marks.get(id)
      if (run?.epoch !== epoch) stop.leave(new LeaseLost(`run ${id} has another owner or is gone`))
      else if (run.cancelRequested) stop.end('cancelled')
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
