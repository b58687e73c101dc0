import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { type Database, withTx } from '../db/client.ts'
import {
  accounts,
  apiKeys,
  budgets,
  identities,
  invitations,
  keySpending,
  mailedLinks,
  managementRequests,
  members,
  passkeys,
  passwordResets,
  projects,
  readingMarks,
  recoveryCodes,
  sentNotices,
  signInSteps,
  sourceSheets,
  totpSecrets,
  webhookEndpoints,
  webSessions,
} from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { deletedSuffix, lockAccount } from './accounts.ts'
import { type Actor, recordAction } from './audit.ts'
import { requireNoHold } from './legal-hold.ts'

/** Deleting the files and conversations of a large account or project exceeds the normal statement timeout. */
export const removalTimeout = sql`set local statement_timeout = '5min'`

/** Tables whose rows go with the account. Those of sessions, runs and files go with its projects. */
const ofAccount = [
  ...[apiKeys, keySpending, projects, sourceSheets, readingMarks, webSessions, passwordResets, mailedLinks],
  ...[webhookEndpoints, budgets, managementRequests, identities, passkeys, recoveryCodes, signInSteps],
  ...[totpSecrets, sentNotices],
]

/**
 * Deletes an account with its keys, web sessions, projects, sessions, files, source sheets and reading marks. Its
 * address can be used again.
 * Ledger and audit rows stay, because they are immutable; they no longer identify a person.
 * @throws ServiceError `not_found`; `account_held` under a legal hold; `session_busy` while a turn is unfinished, because that turn has not been
 *   charged yet.
 * @param acting.dueAt deletes it only if its deletion is still due at this time, and was not taken back meanwhile.
 */
export function deleteAccount(
  database: Database,
  { actor, accountId, dueAt }: { readonly actor: Actor; readonly accountId: string; readonly dueAt?: Date },
): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    await tx.execute(removalTimeout)
    const account = await lockAccount(tx, accountId)
    if (dueAt && account.deletionDueAt?.getTime() !== dueAt.getTime()) return
    requireNoHold(account)
    const busy = await tx.execute(
      sql`select 1 from runs where account_id = ${accountId} and status in ('queued', 'in_progress') limit 1`,
    )
    if (busy.rows.length > 0) {
      throw new ServiceError(
        'session_busy',
        'A turn of this account has not ended. Suspend the account first, or wait for the end.',
        { shouldRetry: false },
      )
    }
    for (const table of ofAccount) await tx.delete(table).where(eq(table.accountId, accountId))
    // Keys that the person made for other accounts end with the membership.
    await tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(apiKeys.createdBy, accountId), isNull(apiKeys.revokedAt)))
    await tx.delete(members).where(or(eq(members.accountId, accountId), eq(members.memberId, accountId)))
    await tx
      .delete(invitations)
      .where(or(eq(invitations.accountId, accountId), eq(invitations.invitedBy, accountId)))
    await tx
      .update(accounts)
      .set({
        email: `${accountId.toLowerCase()}${deletedSuffix}`,
        passwordHash: '',
        operator: false,
        deletionDueAt: null,
      })
      .where(eq(accounts.id, accountId))
    await recordAction(tx, { actor, action: 'account.deleted', accountId })
  })
}
