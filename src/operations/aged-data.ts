import { type SQL, sql } from 'drizzle-orm'
import { removalTimeout } from '../accounts/delete-account.ts'
import { heldAccounts } from '../accounts/legal-hold.ts'
import type { RetentionDays } from '../config.ts'
import type { Executor } from '../db/client.ts'

/** One kind of rows that expire. */
export type Expiry = {
  /** Maximum rows per transaction, so that transactions stay short even after a long pause of the job. */
  readonly batch: number
  /**
   * Removes at most `batch` rows or runs. Nothing of an account under a legal hold.
   * @returns how many.
   */
  readonly remove: (tx: Executor, batch: number) => Promise<number>
}

/** SQL condition: the row's account is under no legal hold. */
export const notHeld = sql`account_id not in (${heldAccounts})`

const textArray = (ids: readonly string[]) => sql`${sql.param(ids)}::text[]`
const olderThan = (days: number) => sql`now() - make_interval(days => ${days})`

/** A conversation has few turns, and a turn some rows. */
const conversationBatch = 100
/** The content of a file is in rows of 1 MB, so a batch is short enough with few of them. */
const fileBatch = 5
const feedbackBatch = 5_000

/** What a host has removed by its age. What it cost stays in the ledger. */
export function agedData(days: RetentionDays): readonly Expiry[] {
  const { conversations, files, feedback } = days
  return [
    conversations && unchanged('sessions', conversations, conversationBatch, removeConversations),
    files && unchanged('files', files, fileBatch, removeFiles),
    feedback && {
      batch: feedbackBatch,
      remove: async (tx: Executor, atMost: number) =>
        removed(
          tx,
          sql`delete from answer_feedback where run_id in (
            select run_id from answer_feedback where created_at < ${olderThan(feedback)} and ${notHeld} limit ${atMost})`,
        ),
    },
  ].filter((expiry): expiry is Expiry => typeof expiry === 'object')
}

async function removed(tx: Executor, statement: SQL): Promise<number> {
  return (await tx.execute(statement)).rowCount ?? 0
}

/** Ids that one look finds: some batches of them, for one reading of the table. */
const maxFound = 20_000

/**
 * Rows without a change for so many days. No index has the time of the change, because each turn would write it: one look
 * finds the ids for many batches, and each batch checks its rows again.
 */
function unchanged(
  table: 'sessions' | 'files',
  days: number,
  batch: number,
  removeIds: (tx: Executor, ids: SQL, isAged: SQL) => Promise<unknown>,
): Expiry {
  const name = sql.identifier(table)
  const isAged = sql`updated_at < ${olderThan(days)} and ${notHeld}`
  let found: string[] | undefined
  return {
    batch,
    async remove(tx, atMost) {
      found ??= (
        await tx.execute<{ id: string }>(
          sql`select id from ${name} where ${isAged} ${table === 'sessions' ? sql`and open_runs = 0` : sql``} limit ${maxFound}`,
        )
      ).rows.map(({ id }) => id)
      const ids = found.splice(0, atMost)
      if (ids.length === 0) return 0
      await tx.execute(removalTimeout)
      await removeIds(tx, textArray(ids), isAged)
      // The number that was looked at: fewer would end the round, although others were only locked.
      return ids.length
    },
  }
}

async function removeConversations(tx: Executor, ids: SQL, isAged: SQL): Promise<void> {
  const locked = await tx.execute<{ id: string }>(sql`
    select id from sessions where id = any(${ids}) and ${isAged} and open_runs = 0 for update skip locked`)
  const sessions = textArray(locked.rows.map(({ id }) => id))
  // Before the runs, as a request with a known key locks them.
  await tx.execute(
    sql`delete from idempotency_keys where run_id in (select id from runs where session_id = any(${sessions}))`,
  )
  await tx.execute(sql`delete from sessions where id = any(${sessions})`)
}

function removeFiles(tx: Executor, ids: SQL, isAged: SQL): Promise<unknown> {
  return tx.execute(sql`
    delete from files where id in (select id from files where id = any(${ids}) and ${isAged} for update skip locked)`)
}
