import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { accounts } from '../../db/schema/index.ts'

export type TurnCounts = {
  /** Sessions with an unfinished turn: the slots in use. */
  readonly taken: number
  /** Used part of the plan's turns per minute. Each start uses one, and each is free again after its share of a minute. */
  readonly started: number
}

/** Shows people how close an account is to the limits of its plan, by the same row that admission uses. */
export async function countTurns(
  executor: Executor,
  accountId: string,
  { turnsPerMinute }: { readonly turnsPerMinute: number },
): Promise<TurnCounts> {
  const [row] = await executor
    .select({
      taken: accounts.openTurns,
      seconds: sql<number>`greatest(extract(epoch from ${accounts.nextStartAt} - clock_timestamp()), 0)::float8`,
    })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  const { taken = 0, seconds = 0 } = row ?? {}
  return { taken, started: Math.min(Math.ceil((seconds * turnsPerMinute) / 60), turnsPerMinute) }
}
