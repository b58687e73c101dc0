import { type SQL, sql } from 'drizzle-orm'
import { type Database, type Executor, withBackgroundTx } from '../../db/client.ts'
import type { ListenerOptions } from '../../db/listen.ts'
import type { Logger } from '../../log.ts'
import { startPeriodicTask } from '../../periodic-work.ts'
import { ClientConnections } from './client-connections.ts'
import { createOutageLog, type OutageLog } from './outage-log.ts'
import { openSignals } from './signals.ts'

const heartbeatMs = 1_000
/**
 * First half of the advisory lock key that shows that a replica is alive. `replica_ended` uses the same number.
 */
const presenceLock = 720_311_504

/**
 * The lock that a replica holds on its listening connection. The server releases it when the process ends in
 * any way. It is shared, because a new connection takes it while the server may not have closed the old one.
 */
export function presenceSession(replica: string): NonNullable<ListenerOptions['session']> {
  return { text: 'select pg_advisory_lock_shared($1, hashtext($2))', values: [presenceLock, replica] }
}

/** Shows other replicas that this one is alive. It writes this replica's row once per second. */
export function keepPresence(
  database: Database,
  options: {
    readonly replica: string
    readonly locked: () => boolean
    readonly outage: OutageLog
  },
) {
  const { replica, locked, outage } = options
  let known = false
  const seen = Promise.withResolvers<void>()
  const beat = async () => {
    const isLocked = locked()
    await withBackgroundTx(database, (tx) =>
      tx.execute(sql`
        insert into replicas (id, seen_at, unlocked_at)
        values (${replica}, now(), case when not ${isLocked}::boolean then now() end)
        on conflict (id) do update set seen_at = excluded.seen_at, unlocked_at = excluded.unlocked_at`),
    )
    outage.works()
    known ||= isLocked
    if (known) seen.resolve()
  }
  const beats = startPeriodicTask(() => beat(), heartbeatMs, outage.failed)
  return {
    /** The name under which this process holds clients. Null until other replicas can see it. */
    clientsAt: () => (known ? replica : null),
    /** Resolves when the name is visible. The process should accept no request before that. */
    seen: seen.promise,
    /** Called when the lock was taken or lost. The change is written immediately. */
    changed: beats.runSoon,
    stop: () => beats.stop(),
  }
}

/** Whether a replica has ended: nobody holds its lock, and its row does not say that it lives without the lock. */
export async function replicaHasEnded(executor: Executor, replica: string): Promise<boolean> {
  const { rows } = await executor.execute<{ ended: boolean }>(sql`select replica_ended(${replica}) as ended`)
  return rows[0]?.ended ?? false
}

/** Whether another replica was seen in the last seconds, so that it can claim runs. */
export function otherReplicaLives(executor: Executor, replica: string): Promise<boolean> {
  return hasLiveReplica(executor, sql`id <> ${replica}`)
}

async function hasLiveReplica(executor: Executor, which: SQL): Promise<boolean> {
  const { rows } = await executor.execute<{ lives: boolean }>(sql`
    select exists (select from replicas
      where ${which} and seen_at > now() - make_interval(secs => ${(3 * heartbeatMs) / 1_000})
        and not replica_ended(id)) as lives`)
  return rows[0]?.lives ?? false
}

export type Replica = ReturnType<typeof openReplica>

/** This process as one of the replicas: its signals and its clients. */
export function openReplica(database: Database, name: string, log: Logger) {
  /** The clients that wait here for a run, on whichever replica it runs. */
  const clients = new ClientConnections()
  const signals = openSignals(database.system, database.url, log, {
    session: presenceSession(name),
    onChange: () => presence.changed(),
  })
  const presence = keepPresence(database, {
    replica: name,
    locked: signals.listening,
    outage: createOutageLog(log, 'telling other replicas that this one lives'),
  })
  return {
    signals,
    clients,
    clientsAt: presence.clientsAt,
    /**
     * Whether this replica does the work that one of them is enough for: it has the lowest id of those seen in the last
     * seconds. When replicas come and go, two may think so at the same moment.
     */
    leads: async () => !(await withBackgroundTx(database, (tx) => hasLiveReplica(tx, sql`id < ${name}`))),
    seen: presence.seen,
    async close() {
      await presence.stop()
      await signals.close()
    },
  }
}
