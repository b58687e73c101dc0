import { and, asc, eq, sql } from 'drizzle-orm'
import type { Principal } from '../accounts/principal.ts'
import type { Executor } from '../db/client.ts'
import { runs } from '../db/schema/index.ts'
import type { Run } from './start-turn.ts'
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

/** Notes that the client of a run left before its reply was complete. */
export async function noteClientClosed(executor: Executor, runId: string): Promise<void> {
  await executor
    .update(runs)
    .set({ clientClosedAt: sql`coalesce(${runs.clientClosedAt}, now())` })
    .where(eq(runs.id, runId))
}

/** Takes back `noteClientClosed`: the reply has reached the client after all. */
export async function forgetClientClosed(executor: Executor, runId: string): Promise<void> {
  await executor.update(runs).set({ clientClosedAt: null }).where(eq(runs.id, runId))
}
