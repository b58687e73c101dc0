import { statfs } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'

/** What a host looks at first, over all accounts and replicas. */
export type ServiceFigures = {
  readonly endedLastHour: number
  readonly failedLastHour: number
  /** Holds of unfinished runs, in micro-credits. */
  readonly heldMicros: bigint
  readonly connectionsAllowed: number
  readonly files: {
    readonly count: number
    readonly bytes: number
    /** How many have their content in a bucket. */
    readonly inBucket: number
  }
  readonly webhooks: {
    readonly endpoints: number
    /** Deliveries whose next attempt is due. */
    readonly due: number
    readonly oldestDueSeconds: number | null
    /** Deliveries of the last day that were given up. */
    readonly failed: number
  }
}

/** Reads the figures in one statement. */
export async function serviceFigures(executor: Executor): Promise<ServiceFigures> {
  const { rows } = await executor.execute<{
    ended: number
    failed: number
    held: string
    allowed: number
    files: number
    bytes: string
    in_bucket: number
    endpoints: number
    due: number
    oldest: number | null
    given_up: number
  }>(sql`
    select r.*, f.*, w.*, (select coalesce(sum(held_micros), 0)::text from accounts) as held,
      current_setting('max_connections')::int as allowed,
      (select count(*)::int from webhook_endpoints where not disabled) as endpoints
    from (select count(*)::int as ended, count(*) filter (where status = 'failed')::int as failed
        from runs where finished_at > now() - interval '1 hour') r,
      (select count(distinct file_id)::int as files, coalesce(sum(bytes), 0)::text as bytes,
          count(distinct file_id) filter (where location is not null)::int as in_bucket
        from file_versions where state = 'sealed') f,
      (select count(*) filter (where due_at <= now())::int as due,
          extract(epoch from now() - min(due_at) filter (where due_at <= now()))::float8 as oldest,
          count(*) filter (where due_at is null and delivered_at is null)::int as given_up
        from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id and not e.disabled
        where due_at is not null or d.created_at > now() - interval '1 day') w`)
  const row = rows[0]
  return {
    endedLastHour: row?.ended ?? 0,
    failedLastHour: row?.failed ?? 0,
    heldMicros: BigInt(row?.held ?? 0),
    connectionsAllowed: row?.allowed ?? 0,
    files: { count: row?.files ?? 0, bytes: Number(row?.bytes ?? 0), inBucket: row?.in_bucket ?? 0 },
    webhooks: {
      endpoints: row?.endpoints ?? 0,
      due: row?.due ?? 0,
      oldestDueSeconds: row?.oldest ?? null,
      failed: row?.given_up ?? 0,
    },
  }
}

/** A process of the service. `since`: when it opened the connection that shows that it lives. */
export type LivingReplica = { readonly id: string; readonly since: Date }

/** The processes that hold their lock now (`turns/replicas/presence`). A process that just lost its connection is missing. */
export async function livingReplicas(executor: Executor): Promise<readonly LivingReplica[]> {
  const { rows } = await executor.execute<{ id: string; since: string }>(sql`
    select r.id, min(a.backend_start) as since from replicas r
    join pg_locks l on l.locktype = 'advisory' and l.classid = 720311504 and l.objsubid = 2 and l.granted
      and l.objid::bigint = hashtext(r.id)::bigint & 4294967295
      and l.database = (select oid from pg_database where datname = current_database())
    join pg_stat_activity a on a.pid = l.pid group by 1 order by 2, 1`)
  return rows.map(({ id, since }) => ({ id, since: new Date(since) }))
}

export type DiskSpace = { readonly bytes: number; readonly freeBytes: number }

/** The file system that a folder is on. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { bytes: bsize * blocks, freeBytes: bsize * bavail }
}
