import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { databaseFault } from '../db/errors.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { repeat } from './repeat.ts'

const everyMs = 15 * 60_000
const retryMs = 60_000

/** Events are kept this long after their run's end, never less than the keys by which clients find it again. */
const eventHours = 24
/** An upload that has not come to its end by then never will. */
const uploadHours = 24
/** Runs a round: a long pause of the job must not become one long transaction. */
const runsAtOnce = 2_000

const retentionLock = 7_203_115_020n

/**
 * Removes what has had its time: events of runs that ended a day ago (what they came to stays with the run), expired
 * idempotency keys, and uploads that were cut off. One replica at a time; the others find the lock taken and go on.
 * @returns how many runs lost their events; `runsAtOnce` or more means that there is more to do.
 */
export function removeExpired(database: Database): Promise<number> {
  return withTx(database, 'system', async (tx) => {
    const lock = await tx.execute<{ ok: boolean }>(
      sql`select pg_try_advisory_xact_lock(${retentionLock}) as ok`,
    )
    if (!lock.rows[0]?.ok) return 0
    await tx.execute(sql`delete from idempotency_keys where expires_at < now()`)
    await tx.execute(sql`delete from file_versions
      where state = 'uploading' and created_at < now() - make_interval(hours => ${uploadHours})`)
    return removeEvents(tx)
  })
}

async function removeEvents(tx: Executor): Promise<number> {
  const ended = await tx.execute<{ id: string }>(sql`
    select r.id from runs r
    where r.finished_at < now() - make_interval(hours => ${eventHours})
      and exists (select 1 from run_events e where e.run_id = r.id)
    limit ${runsAtOnce}`)
  const ids = ended.rows.map((row) => row.id)
  if (ids.length > 0)
    await tx.execute(sql`delete from run_events where run_id = any(${sql.param(ids)}::text[])`)
  return ids.length
}

/** Runs `removeExpired` every quarter of an hour while the service runs. */
export function keepRetention(database: Database, log: Logger): { stop(): Promise<void> } {
  const round = async () => {
    const runs = await removeExpired(database)
    if (runs > 0) log.info({ runs }, 'events of old runs were removed')
  }
  const report = (error: unknown) =>
    log.warn({ reason: databaseFault(error)?.message ?? messageOf(error) }, 'old rows could not be removed')
  return repeat(round, everyMs, report, retryMs)
}
