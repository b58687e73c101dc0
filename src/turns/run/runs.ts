import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { type Page, type PageRequest, pageOfLarge } from './paging.ts'
import type { Run } from './run.ts'
import type { RunRequest } from './run-request.ts'
import { finderIn } from './visibility.ts'

export const findRun = finderIn(runs)

/** Finds the run of a response. One with `store: false` cannot be read after its reply. */
export async function findStoredRun(...named: Parameters<typeof findRun>): Promise<Run | undefined> {
  const run = await findRun(...named)
  return run && (run.request as RunRequest).response?.store === undefined ? run : undefined
}

/** Reads a run of the transaction's account, whoever can see it. */
export async function readRun(executor: Executor, id: string): Promise<Run | undefined> {
  const [run] = await executor.select().from(runs).where(eq(runs.id, id))
  return run
}

/**
 * The ids of runs, as a subquery that locks them in the order of their ids. Statements that change several runs use it, so
 * that two of them cannot wait for each other.
 */
export function lockedRuns(executor: Executor, which: SQL | undefined) {
  return executor.select({ id: runs.id }).from(runs).where(which).orderBy(runs.id).for('no key update')
}

/** A page of the runs of a session, in the order of their turns. Their replies bound it, see `pageOfLarge`. */
export function listRuns(executor: Executor, sessionId: string, page: PageRequest): Promise<Page<Run>> {
  const large = { reply: runs.reply, request: runs.request }
  return pageOfLarge(executor, runs, large, eq(runs.sessionId, sessionId), page, [runs.turn])
}

/**
 * Checks that turns have ended, because their holds would never be settled.
 * @param filter which runs.
 * @throws ServiceError with this code and text.
 */
export async function requireEnded(
  executor: Executor,
  filter: SQL | undefined,
  code: 'session_busy' | 'project_busy',
  text: string,
): Promise<void> {
  const [open] = await executor
    .select({ id: runs.id })
    .from(runs)
    .where(and(filter, sql`${runs.status} in ('queued', 'in_progress')`))
    .limit(1)
  if (open) throw new ServiceError(code, text, { shouldRetry: false })
}

/**
 * Marks a run as cancelled, so that its owner stops it. Does nothing to a finished run.
 * @param holder if given, does nothing to a run whose client is connected to another replica.
 * @returns whether it did something.
 */
export async function requestCancel(executor: Executor, runId: string, holder?: string): Promise<boolean> {
  const marked = await executor
    .update(runs)
    .set({ cancelRequestedAt: sql`coalesce(${runs.cancelRequestedAt}, now())` })
    // `|| ''` keeps the planner from using an index of open runs.
    .where(and(eq(runs.id, runId), sql`${runs.status} || '' in ('queued', 'in_progress')`, heldBy(holder)))
    .returning({ id: runs.id })
  return marked.length > 0
}

/** Whether no other replica has the client of the run. */
function heldBy(holder: string | undefined) {
  return holder === undefined ? undefined : or(isNull(runs.clientAt), eq(runs.clientAt, holder))
}
