import { and, eq } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, passwordResets } from '../../db/schema/index.ts'
import { invalidValue, type ServiceError } from '../../errors.ts'
import { type Account, requireNotSuspended } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { hashPassword, noPassword, verifyPassword } from '../passwords/passwords.ts'
import { type Entered, endSteps, enterAccount, type Origin } from './sign-in-steps.ts'
import { closeOtherWebSessions, freshMinutes, isFreshSession } from './web-sessions.ts'

/**
 * Checks a password, and lets its owner in as `enterAccount` does. An unknown address and a wrong password cause the same
 * work and the same error; both are recorded. No connection is held while a password is hashed.
 * @throws ServiceError `invalid_value` with one message for both; `account_suspended` only after a correct password.
 */
export async function signIn(
  database: Database,
  input: Origin & { readonly email: string; readonly password: string },
): Promise<Entered> {
  const details = { address: input.address }
  const [known] = await database.system
    .select({ id: accounts.id, passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.email, input.email.trim().toLowerCase()))
  if (!(await verifyPassword(known?.passwordHash, input.password)) || !known) {
    const accountId = known?.id ?? ''
    await recordAction(database.system, {
      actor: accountId,
      action: 'session.sign_in_failed',
      accountId,
      details,
    })
    throw wrongCredentials()
  }
  return withTx(database, 'system', async (tx) => {
    // The account may have been suspended, or its password changed, during the comparison.
    const [now] = await tx
      .select({
        passwordHash: accounts.passwordHash,
        suspendedAt: accounts.suspendedAt,
        deletionDueAt: accounts.deletionDueAt,
      })
      .from(accounts)
      .where(eq(accounts.id, known.id))
      .for('share')
    if (now?.passwordHash !== known.passwordHash) throw wrongCredentials()
    requireNotSuspended(now)
    return enterAccount(tx, known.id, input)
  })
}

function wrongCredentials(): ServiceError {
  return invalidValue('The e-mail address or the password is wrong. Check both.')
}

/**
 * Changes the password, or gives one to an account without. Ends all other web sessions and revokes an open password reset link.
 * @throws ServiceError `invalid_value` for a wrong current password or a bad new one.
 */
export async function changePassword(
  database: Database,
  account: Account,
  input: { readonly current: string; readonly next: string; readonly token: string },
): Promise<{ readonly sessionsEnded: number }> {
  const currentHash = await requireOwner(database, account, input)
  await requireGoodPassword(input.next, [account.email])
  const passwordHash = await hashPassword(input.next)
  return withTx(database, 'system', async (tx) => {
    const { rowCount } = await tx
      .update(accounts)
      .set({ passwordHash })
      .where(and(eq(accounts.id, account.id), eq(accounts.passwordHash, currentHash)))
    // The password was changed while the new one was hashed.
    if (rowCount !== 1) throw wrongPassword()
    await tx.delete(passwordResets).where(eq(passwordResets.accountId, account.id))
    await endSteps(tx, account.id)
    await recordAction(tx, { actor: account.id, action: 'password.changed', accountId: account.id })
    return { sessionsEnded: await closeOtherWebSessions(tx, account.id, input.token) }
  })
}

/** Whether an account has a password. Without one its owner signs in by a provider. */
export async function hasPassword(executor: Executor, accountId: string): Promise<boolean> {
  const [row] = await executor
    .select({ passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return row?.passwordHash !== noPassword
}

/**
 * Checks that the owner asks for a change of the account: by the password, or by a session that was opened a few minutes
 * ago if the account has none.
 * @param proof.token of the session that asks.
 * @returns the hash that the password matched.
 * @throws ServiceError `invalid_value` if it does not match, or if the session is older.
 */
export async function requireOwner(
  database: Database,
  account: Account,
  proof: { readonly current: string; readonly token: string },
): Promise<string> {
  const [row] = await database.system
    .select({ passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.id, account.id))
  if (row?.passwordHash === noPassword) {
    if (await isFreshSession(database.system, account.id, proof.token)) return noPassword
    throw invalidValue(
      `Sign in again to show that it is you, then repeat this within ${freshMinutes} minutes.`,
    )
  }
  if (row && (await verifyPassword(row.passwordHash, proof.current))) return row.passwordHash
  throw wrongPassword()
}

function wrongPassword(): ServiceError {
  return invalidValue('This is not your current password. Type it again.', 'current')
}
