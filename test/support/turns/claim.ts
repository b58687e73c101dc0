import { type Database, withTx } from '../../../src/db/client.ts'
import { claimRun } from '../../../src/turns/drive/leases.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import type { Caller } from './caller.ts'

/** The next attempt's claim of a run, whoever owned it: its lease has run out. */
export async function claimNext(database: Database, { plans }: Caller, run: Run): Promise<Run> {
  await database.systemPool.query(
    `update runs set lease_expires_at = now() - interval '1 second' where id = $1`,
    [run.id],
  )
  const claimed = await withTx(database, 'system', (tx) =>
    claimRun(tx, { owner: 'replica_next', seconds: 15 }, { plans }),
  )
  if (claimed?.id !== run.id) throw new Error('another run was claimed')
  return claimed
}
