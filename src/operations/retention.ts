import { type SQL, sql } from 'drizzle-orm'
import { expiredSession } from '../accounts/sign-in/web-sessions.ts'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { repeat } from '../periodic-work.ts'

const everyMs = 15 * 60_000
const retryMs = 60_000

/** Events are kept this long after their run's end, never less than the keys by which clients find it again. */
const eventHours = 24
/** Long after a request can be a retry of one that it held the client of. */
const replicaHours = 24
/** An upload whose last bytes came so long ago never comes to its end. */
const uploadMinutes = 15
/** The same of one that an earlier version of the service receives, which reserves nothing and notes no progress. */
const uploadHours = 24

const retentionLock = 7_203_115_020n

/** One kind of rows that have had their time. */
type Expiry = {
  /** At most so many things are removed in one transaction: a long pause of the job must not make it a long one. */
  readonly batch: number
  /** Removes at most `batch` things. @returns how many. */
  readonly remove: (tx: Executor, batch: number) => Promise<number>
}

/** What is removed, in this order. A table whose rows expire gets a line here. */
const expiries: readonly Expiry[] = [
  rowsOf('idempotency_keys', 5_000, sql`expires_at < now()`),
  rowsOf('web_sessions', 5_000, expiredSession),
  rowsOf('password_resets', 5_000, sql`expires_at < now()`),
  rowsOf('replicas', 1_000, sql`seen_at < now() - make_interval(hours => ${replicaHours})`),
  // The pieces of one go with it, up to some thousand of a megabyte each.
  rowsOf(
    'file_versions',
    1,
    sql`state = 'uploading' and created_at < now() - case when bytes > 0
      then make_interval(mins => ${uploadMinutes}) else make_interval(hours => ${uploadHours}) end`,
  ),
  { batch: 2_000, remove: removeEvents },
]

/** Rows of one table that fulfil a condition. */
function rowsOf(table: string, batch: number, expired: SQL): Expiry {
  const name = sql.identifier(table)
  return {
    batch,
    async remove(tx, atMost) {
      const removed = await tx.execute(
        sql`delete from ${name} where ctid in (select ctid from ${name} where ${expired} limit ${atMost})`,
      )
      return removed.rowCount ?? 0
    },
  }
}

/** From the events to their runs: there is a day of them, however many runs are stored. */
async function removeEvents(tx: Executor, atMost: number): Promise<number> {
  const ended = await tx.execute<{ id: string }>(sql`
    select r.id from (select distinct run_id from run_events) e join runs r on r.id = e.run_id
    where r.finished_at < now() - make_interval(hours => ${eventHours})
    limit ${atMost}`)
  const ids = ended.rows.map((row) => row.id)
  if (ids.length > 0)
    await tx.execute(sql`delete from run_events where run_id = any(${sql.param(ids)}::text[])`)
  return ids.length
}

/** A round ends, and the next one goes on, when so many batches of one kind were not enough. */
const maxBatches = 200

/**
 * Removes what has had its time: events of runs that ended a day ago (what they came to stays with the run), expired
 * idempotency keys, sessions of the pages that are over, expired password reset links,
 * replicas that have ended, and uploads that were cut off. In short transactions, one replica at a time: the others find the
 * lock taken and leave it to that one.
 * @returns how many things were removed; a run's events count as one.
 */
export async function removeExpired(database: Database): Promise<number> {
  let sum = 0
  for (const expiry of expiries) {
    for (let batches = 0; batches < maxBatches; batches += 1) {
      const removed = await removeBatch(database, expiry)
      if (removed === undefined) return sum
      sum += removed
      if (removed < expiry.batch) break
    }
  }
  return sum
}

/** Undefined when another replica is at it. */
function removeBatch(database: Database, expiry: Expiry): Promise<number | undefined> {
  return withTx(database, 'system', async (tx) => {
    const lock = await tx.execute<{ ok: boolean }>(
      sql`select pg_try_advisory_xact_lock(${retentionLock}) as ok`,
    )
    return lock.rows[0]?.ok ? expiry.remove(tx, expiry.batch) : undefined
  })
}

/** Runs `removeExpired` every quarter of an hour while the service runs. */
export function keepRetention(database: Database, log: Logger): { stop(): Promise<void> } {
  const round = async () => {
    const removed = await removeExpired(database)
    if (removed > 0) log.info({ removed }, 'what has had its time was removed')
  }
  const report = (error: unknown) => log.warn({ reason: reasonOf(error) }, 'old rows could not be removed')
  return repeat(round, everyMs, report, retryMs)
}
