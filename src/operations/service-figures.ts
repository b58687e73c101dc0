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
  const { rows } = await executor.execute<Omit<ServiceFigures, 'heldMicros'> & { held: string }>(sql`
    select r.*, to_jsonb(f) as files, to_jsonb(w) as webhooks,
      (select coalesce(sum(held_micros), 0)::text from accounts) as held,
      current_setting('max_connections')::int as "connectionsAllowed"
    from (select count(*)::int as "endedLastHour", count(*) filter (where status = 'failed')::int as "failedLastHour"
        from runs where finished_at > now() - interval '1 hour') r,
      (select count(distinct file_id)::int as count, coalesce(sum(bytes), 0)::float8 as bytes,
          count(distinct file_id) filter (where location is not null)::int as "inBucket"
        from file_versions where state = 'sealed') f,
      (select (select count(*)::int from webhook_endpoints where not disabled) as endpoints,
          count(*) filter (where due_at <= now())::int as due,
          extract(epoch from now() - min(due_at) filter (where due_at <= now()))::float8 as "oldestDueSeconds",
          count(*) filter (where due_at is null and delivered_at is null)::int as failed
        from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id and not e.disabled
        where due_at is not null or d.created_at > now() - interval '1 day') w`)
  const [row] = rows
  if (!row) throw new Error('the figures gave no row')
  const { held, ...figures } = row
  return { ...figures, heldMicros: BigInt(held) }
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
