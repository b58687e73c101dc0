import { eq, sql } from 'drizzle-orm'
import { type Database, withTx } from '../db/client.ts'
import { accounts } from '../db/schema/index.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { type Account, lockAccount } from './accounts.ts'
import { type Actor, recordAction } from './audit.ts'

const maxReason = 500

/** SQL: the ids of accounts under a legal hold. */
export const heldAccounts = sql`select id from accounts where legal_hold_at is not null`

/** @throws ServiceError `account_held`. */
export function requireNoHold({ legalHoldAt }: Pick<Account, 'legalHoldAt'>): void {
  if (legalHoldAt) throw accountHeld()
}

/** The error for a deletion in an account that is under a legal hold. */
export function accountHeld(): ServiceError {
  return new ServiceError(
    'account_held',
    'This account is under a legal hold, so nothing in it can be deleted. Ask the operator of this service.',
    { shouldRetry: false },
  )
}

/**
 * Places a legal hold: until it ends, neither a deletion nor the retention removes anything of the account. A second one
 * replaces the reason.
 * @param reason for operators. It is stored with the account only, because audit entries outlive it.
 * @throws ServiceError `not_found`; `invalid_value` for a reason that is empty or longer than 500 characters.
 */
export function placeHold(
  database: Database,
  {
    actor,
    accountId,
    reason,
  }: { readonly actor: Actor; readonly accountId: string; readonly reason: string },
): Promise<void> {
  const legalHoldReason = reason.trim()
  if (legalHoldReason === '' || legalHoldReason.length > maxReason) {
    const message = `A legal hold needs a reason of at most ${maxReason} characters.`
    throw invalidValue(message, 'reason')
  }
  return withTx(database, 'system', async (tx) => {
    await lockAccount(tx, accountId)
    const legalHoldAt = sql`coalesce(${accounts.legalHoldAt}, now())`
    await tx.update(accounts).set({ legalHoldAt, legalHoldReason }).where(eq(accounts.id, accountId))
    await recordAction(tx, { actor, action: 'account.hold_placed', accountId })
  })
}

/** Ends a legal hold: what was due for removal is removed from now on. @throws ServiceError `not_found`. */
export function endHold(
  database: Database,
  { actor, accountId }: { readonly actor: Actor; readonly accountId: string },
): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    const { legalHoldAt } = await lockAccount(tx, accountId)
    if (!legalHoldAt) return
    await tx
      .update(accounts)
      .set({ legalHoldAt: null, legalHoldReason: '' })
      .where(eq(accounts.id, accountId))
    await recordAction(tx, { actor, action: 'account.hold_ended', accountId })
  })
}
