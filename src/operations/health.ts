import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import { databaseName, isReadOnly, type LibraryDatabase } from '../db/library/library-database.ts'
import { pendingMigrations } from '../db/migrate.ts'

export type DatabaseHealth = {
  readonly version: string
  readonly bytes: number
  readonly connections: number
  readonly startedAt: Date
  /** Milliseconds that the database took to answer. */
  readonly answerMs: number
}

/**
 * Version, size and connections of the database.
 * @throws when the database does not answer.
 */
export async function databaseHealth(executor: Executor): Promise<DatabaseHealth> {
  const asked = performance.now()
  const { rows } = await executor.execute<
    Omit<DatabaseHealth, 'startedAt' | 'answerMs'> & { at: string }
  >(sql`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      pg_postmaster_start_time() as at`)
  const [row] = rows
  if (!row) throw new Error('the database gave no row')
  const { at, ...facts } = row
  return { ...facts, startedAt: new Date(at), answerMs: performance.now() - asked }
}

export type LibraryHealth = {
  /** Host and database. */
  readonly name: string
  /** `behind`: its schema is older than this version, so searches may fail. */
  readonly state: 'ok' | 'read-only' | 'behind' | 'unavailable'
  /** Why it is unavailable. Empty otherwise. */
  readonly reason: string
}

/** The state of a separate library database; undefined if the library is in the main one. It never throws. */
export async function libraryHealth(library: LibraryDatabase): Promise<LibraryHealth | undefined> {
  if (!library.isSeparate) return undefined
  const name = databaseName(library.url)
  try {
    if ((await pendingMigrations(library.system)) > 0) return { name, state: 'behind', reason: '' }
    return { name, state: (await isReadOnly(library.system)) ? 'read-only' : 'ok', reason: '' }
  } catch (error) {
    return { name, state: 'unavailable', reason: reasonOf(error) }
  }
}

export type TableSize = {
  readonly name: string
  /** Estimated rows; null until the server has analysed the table. */
  readonly rows: number | null
  readonly bytes: number
}

/** The largest tables, with their indexes; rows are the planner's estimate. */
export async function tableSizes(executor: Executor): Promise<readonly TableSize[]> {
  const { rows } = await executor.execute<{ name: string; rows: string; bytes: string }>(sql`
    select c.relname as name, c.reltuples::bigint::text as rows, pg_total_relation_size(c.oid)::text as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = 'public' order by pg_total_relation_size(c.oid) desc limit 12`)
  return rows.map(({ name, rows: counted, bytes }) => ({
    name,
    rows: Number(counted) < 0 ? null : Number(counted),
    bytes: Number(bytes),
  }))
}

/** A process that drives turns at present. */
export type Replica = { readonly owner: string; readonly runs: number; readonly renewedUntil: Date }

export type QueueHealth = {
  readonly inProgress: number
  readonly queued: number
  /** Turns with an expired lease that no process has taken over yet. */
  readonly orphaned: number
  /** Age of the oldest queued turn in seconds, by the database's clock. */
  readonly oldestQueuedSeconds: number | null
  readonly oldestRunningSeconds: number | null
  readonly replicas: readonly Replica[]
}

/** Running and queued turns, and the processes that drive them. */
export async function queueHealth(executor: Executor): Promise<QueueHealth> {
  const { rows } = await executor.execute<Omit<QueueHealth, 'replicas'>>(sql`
    select count(*) filter (where status = 'in_progress')::int as "inProgress",
      count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status = 'in_progress' and (lease_owner is null or lease_expires_at < now()))::int as orphaned,
      extract(epoch from now() - min(created_at) filter (where status = 'queued'))::float8 as "oldestQueuedSeconds",
      extract(epoch from now() - min(started_at) filter (where status = 'in_progress'))::float8 as "oldestRunningSeconds"
    from runs where status in ('queued', 'in_progress')`)
  const owners = await executor.execute<{ owner: string; runs: number; until: string }>(sql`
    select lease_owner as owner, count(*)::int as runs, max(lease_expires_at) as until from runs
    where status = 'in_progress' and lease_owner is not null group by 1 order by 1 limit 100`)
  const [counts] = rows
  if (!counts) throw new Error('a count gave no row')
  const replicas = owners.rows.map(({ until, ...owner }) => ({ ...owner, renewedUntil: new Date(until) }))
  return { ...counts, replicas }
}

export type Failure = {
  readonly runId: string
  readonly accountId: string
  readonly code: string
  readonly message: string
  readonly model: string
  readonly at: Date
}

export type FailureHealth = {
  readonly byCode: readonly { readonly code: string; readonly runs: number }[]
  /** The newest first. */
  readonly newest: readonly Failure[]
  /** All turns that ended in the same time. */
  readonly ended: number
}

const newestShown = 20

/** Turns that failed in the last day. */
export async function failureHealth(executor: Executor): Promise<FailureHealth> {
  const lastDay = sql`finished_at > now() - interval '1 day'`
  const counts = await executor.execute<{ code: string; runs: number; failed: boolean }>(sql`
    select case when status = 'failed' then coalesce(reply->>'code', 'unknown') else '' end as code,
      status = 'failed' as failed, count(*)::int as runs
    from runs where status in ('completed', 'failed', 'cancelled') and ${lastDay} group by 1, 2 order by runs desc, 1`)
  const newest = await executor.execute<Omit<Failure, 'at'> & { finished: string }>(sql`
    select id as "runId", account_id as "accountId", coalesce(reply->>'code', 'unknown') as code,
      left(reply->>'message', 300) as message, model, finished_at as finished
    from runs where status = 'failed' and ${lastDay} order by finished_at desc, id limit ${newestShown}`)
  return {
    byCode: counts.rows.filter(({ failed }) => failed),
    newest: newest.rows.map(({ finished, ...row }) => ({ ...row, at: new Date(finished) })),
    ended: counts.rows.reduce((sum, { runs }) => sum + runs, 0),
  }
}
