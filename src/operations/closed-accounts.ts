import { lte, sql } from 'drizzle-orm'
import { deleteAccount } from '../accounts/delete-account.ts'
import type { Database } from '../db/client.ts'
import { accounts } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import type { Logger } from '../log.ts'

/** The next round goes on. */
const maxAccounts = 100

/**
 * Deletes accounts that their owners have closed, when their waiting time has passed. One under a legal hold, or with an
 * unfinished turn, waits for a later round.
 * @returns the number of deleted accounts.
 */
export async function removeClosed(database: Database, log: Logger): Promise<number> {
  const { id, legalHoldAt, deletionDueAt } = accounts
  const due = await database.system
    .select({ id, legalHoldAt, deletionDueAt })
    .from(accounts)
    .where(lte(deletionDueAt, sql`now()`))
    .orderBy(sql`${legalHoldAt} is not null`, deletionDueAt)
    .limit(maxAccounts)
  const held = due.filter((account) => account.legalHoldAt)
  if (held.length > 0)
    log.warn(
      { accounts: held.map((account) => account.id) },
      'closed accounts stay: they are under a legal hold',
    )
  let deleted = 0
  for (const { id: accountId, deletionDueAt: dueAt } of due) {
    if (!dueAt || held.some((account) => account.id === accountId)) continue
    try {
      await deleteAccount(database, { actor: accountId, accountId, dueAt })
      deleted += 1
    } catch (error) {
      // Another replica was faster, a hold was placed, or a turn is still ending.
      if (!(error instanceof ServiceError)) throw error
    }
  }
  return deleted
}
