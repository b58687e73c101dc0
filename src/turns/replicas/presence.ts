import { sql } from 'drizzle-orm'
import { type Database, type Executor, withBackgroundTx } from '../../db/client.ts'
import type { ListenerOptions } from '../../db/listen.ts'
import { repeat } from '../../periodic-work.ts'
import type { OutageLog } from './outage-log.ts'

const heartbeatMs = 1_000
/** A run's end takes some time from the instant that dates it until the reply here knows of it. */
const slackMs = 2_000
/** First half of the key of the lock that says that a replica lives; `replica_ended` names it too. */
const presenceLock = 720_311_504

/**
 * What a replica holds with its listening connection: the server releases it when the process ends, however that happens.
 * Shared, because a new connection takes it while the server may still believe in the one before.
 */
export function presenceSession(replica: string): NonNullable<ListenerOptions['session']> {
  return { text: 'select pg_advisory_lock_shared($1, hashtext($2))', values: [presenceLock, replica] }
}

/** How the other replicas know that this one lives, and how far they need not ask it. */
export type Presence = {
  /** The name under which this process holds clients; null until the others can see it. */
  readonly name: () => string | null
  /** Resolves when there is that name. */
  readonly seen: Promise<void>
  /** The lock was taken or lost: the others are told at once. */
  changed(): void
  stop(): Promise<void>
}

/**
 * Writes this replica's row once per second.
 * @param options.unsettledMs since when there is a run that has ended and whose client may not have the reply yet, as an age; 0
 * for none.
 */
export function keepPresence(
  database: Database,
  options: {
    readonly replica: string
    readonly locked: () => boolean
    readonly unsettledMs: () => number
    readonly outage: OutageLog
  },
): Presence {
  const { replica, locked, unsettledMs, outage } = options
  let known = false
  const seen = Promise.withResolvers<void>()
  const beat = async (leaving = false) => {
    const isLocked = locked()
    const settled = (unsettledMs() + (leaving && unsettledMs() === 0 ? 0 : slackMs)) / 1_000
    await withBackgroundTx(database, (tx) => writeHeartbeat(tx, replica, settled, isLocked))
    outage.works()
    known ||= isLocked
    if (known) seen.resolve()
  }
  const beats = repeat(() => beat(), heartbeatMs, outage.failed)
  return {
    name: () => (known ? replica : null),
    seen: seen.promise,
    changed: beats.soon,
    async stop() {
      await beats.stop()
      // The replies are over: what they came to is known up to this moment.
      await beat(true).catch(outage.failed)
    },
  }
}

async function writeHeartbeat(
  executor: Executor,
  replica: string,
  settledSeconds: number,
  isLocked: boolean,
): Promise<void> {
  await executor.execute(sql`
    insert into replicas (id, seen_at, settled_at, unlocked_at)
    values (${replica}, now(), now() - make_interval(secs => ${settledSeconds}), case when not ${isLocked}::boolean then now() end)
    on conflict (id) do update set seen_at = excluded.seen_at, settled_at = greatest(replicas.settled_at, excluded.settled_at),
      unlocked_at = excluded.unlocked_at`)
}

/** Whether a replica has ended: its lock is free, and it has not said that it lives without it. */
export async function hasEnded(executor: Executor, replica: string): Promise<boolean> {
  const { rows } = await executor.execute<{ ended: boolean }>(sql`select replica_ended(${replica}) as ended`)
  return rows[0]?.ended ?? false
}
