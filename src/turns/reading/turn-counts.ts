import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'

export type TurnCounts = {
  /** Sessions with an unfinished turn: the slots in use. */
  readonly taken: number
  /** Turns that started in the last minute. */
  readonly inWindow: number
}

/** Shows people how close an account is to the limits of its plan. It counts as admission does. */
export async function countTurns(executor: Executor, accountId: string): Promise<TurnCounts> {
  const { rows } = await executor.execute<TurnCounts>(sql`
    select slots_taken(${accountId}, newest, 0) as taken, starts as "inWindow" from starts_in_window(${accountId})`)
  return rows[0] ?? { taken: 0, inWindow: 0 }
}
