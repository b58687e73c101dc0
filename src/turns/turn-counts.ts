import { and, eq, or, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { runs } from '../db/schema/index.ts'

export const unfinished = sql`${runs.status} in ('queued', 'in_progress')`
const lately = sql`${runs.createdAt} > now() - interval '1 minute'`

export type TurnCounts = {
  /** Sessions with an unfinished turn: the places that are taken. */
  readonly taken: number
  /** Turns that started in the last minute, and seconds until the first of them is older. */
  readonly lately: number
  readonly seconds: number
}

/** What the limits of a plan are compared with. Exact for whoever holds the account's lock. */
export async function countTurns(executor: Executor, accountId: string): Promise<TurnCounts> {
  const [row] = await executor
    .select({
      taken: sql<number>`count(distinct ${runs.sessionId}) filter (where ${unfinished})::int`,
      lately: sql<number>`count(*) filter (where ${lately})::int`,
      seconds: sql<number>`coalesce(ceil(extract(epoch from min(${runs.createdAt}) filter (where ${lately}) + interval '1 minute' - now())), 1)::int`,
    })
    .from(runs)
    .where(and(eq(runs.accountId, accountId), or(unfinished, lately)))
  return row ?? { taken: 0, lately: 0, seconds: 1 }
}
