import { and, asc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import type { Run } from './run.ts'
import { visibleTo } from './visibility.ts'

/** Undefined for a run that is missing or out of the principal's reach. */
export async function findRun(
  executor: Executor,
  principal: Principal,
  id: string,
): Promise<Run | undefined> {
  const [run] = await executor
    .select()
    .from(runs)
    .where(and(eq(runs.id, id), visibleTo(principal, runs)))
  return run
}

/** All runs of a session in the order of their turns. */
export function listRuns(executor: Executor, sessionId: string): Promise<Run[]> {
  return executor.select().from(runs).where(eq(runs.sessionId, sessionId)).orderBy(asc(runs.turn))
}

/** Marks a run to be stopped; its owner sees the mark. A finished run stays as it is. */
export async function requestCancel(executor: Executor, runId: string): Promise<void> {
  await executor
    .update(runs)
    .set({ cancelRequestedAt: sql`coalesce(${runs.cancelRequestedAt}, now())` })
    // `|| ''`: no index of open runs serves for it.
    .where(and(eq(runs.id, runId), sql`${runs.status} || '' in ('queued', 'in_progress')`))
}

/**
 * Notes that the client of a run disconnected before its reply was complete.
 * @param holder the replica that held its connection.
 * @returns false when the client has sent its request again, and is connected elsewhere.
 */
export async function noteClientClosed(executor: Executor, runId: string, holder: string): Promise<boolean> {
  const noted = await executor
    .update(runs)
    .set({ clientClosedAt: sql`coalesce(${runs.clientClosedAt}, now())` })
    .where(and(eq(runs.id, runId), or(isNull(runs.clientAt), eq(runs.clientAt, holder))))
    .returning({ id: runs.id })
  return noted.length > 0
}

/**
 * From now on the client of a run is one that has sent its request again. A statement by itself: the run's owner locks the run
 * before its session, and a start does the reverse.
 * @param seen the run as it was found.
 * @param holder the replica that holds the new connection; null when others cannot see it.
 * @returns false when another request was faster, or the run's client was seen to disconnect only now.
 */
export async function takeClientOver(
  executor: Executor,
  seen: Pick<Run, 'id' | 'clientAt' | 'clientClosedAt'>,
  holder: string | null,
): Promise<boolean> {
  const taken = await executor
    .update(runs)
    .set({ clientAt: holder, clientClosedAt: null })
    .where(
      and(
        eq(runs.id, seen.id),
        sql`${runs.clientAt} is not distinct from ${seen.clientAt}`,
        seen.clientClosedAt ? isNotNull(runs.clientClosedAt) : isNull(runs.clientClosedAt),
      ),
    )
    .returning({ id: runs.id })
  return taken.length > 0
}
