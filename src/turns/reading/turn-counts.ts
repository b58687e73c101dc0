import { and, eq, or, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { runs } from '../../db/schema/index.ts'

const unfinished = sql`${runs.status} in ('queued', 'in_progress')`
const inWindow = sql`${runs.createdAt} > now() - interval '1 minute'`

export type TurnCounts = {
  /** Sessions with an unfinished turn: the slots in use. */
  readonly taken: number
  /** Turns that started in the last minute. */
  readonly inWindow: number
}

/** Shows people how close an account is to the limits of its plan. Admission uses `start-statements` instead. */
export async function countTurns(executor: Executor, accountId: string): Promise<TurnCounts> {
  const [row] = await executor
    .select({
      taken: sql<number>`count(distinct ${runs.sessionId}) filter (where ${unfinished})::int`,
      inWindow: sql<number>`count(*) filter (where ${inWindow})::int`,
    })
    .from(runs)
    .where(and(eq(runs.accountId, accountId), or(unfinished, inWindow)))
  return row ?? { taken: 0, inWindow: 0 }
}
