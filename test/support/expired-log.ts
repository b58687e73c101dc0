import type { Database } from '../../src/db/client.ts'
import { removeExpired } from '../../src/operations/retention.ts'

/** Removes the events of a run that has ended, as if it had ended a day ago. */
export async function expireLog({ database }: { readonly database: Database }, runId: string): Promise<void> {
  const move = async (hours: number) => {
    const by = [runId, hours]
    await database.systemPool.query(
      'update runs set finished_at = finished_at + make_interval(hours => $2) where id = $1',
      by,
    )
    await database.systemPool.query(
      'update run_log set created_at = created_at + make_interval(hours => $2) where run_id = $1',
      by,
    )
  }
  await move(-25)
  if ((await removeExpired(database)) === 0) throw new Error(`run ${runId} had no events`)
  await move(25)
}
