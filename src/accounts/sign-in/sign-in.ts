import { and, eq } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, passwordResets } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { type Account, accountSuspended, lockAccountRow } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { hashPassword, noPassword, verifyPassword } from '../passwords/passwords.ts'
import { type Entered, endSteps, enterAccount, type Origin } from './sign-in-steps.ts'
import { closeOtherWebSessions, freshMinutes, isFreshSession } from './web-sessions.ts'

/**
 * Checks a password and opens a web session, or a step if the account has a second factor. An unknown address and a wrong password cause the same work and
 * the same error; both are recorded. No connection is held while a password is hashed.
 * @param input.keep takes back the deletion of an account that its owner has closed.
 * @throws ServiceError `invalid_value` with one message for both; `account_suspended` only after a correct
 *   password, with the parameter `keep` if the owner has closed the account.
 */
export async function signIn(
  database: Database,
  input: Origin & { readonly email: string; readonly password: string; readonly keep?: boolean },
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
    if (input.keep) await lockAccountRow(tx, known.id)
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
    const accountId = known.id
    if (now.deletionDueAt) {
      if (!input.keep) throw accountClosed(now.deletionDueAt)
      await tx
        .update(accounts)
        .set({ suspendedAt: null, deletionDueAt: null })
        .where(eq(accounts.id, accountId))
      await recordAction(tx, { actor: accountId, action: 'account.deletion_taken_back', accountId })
    } else if (now.suspendedAt) throw accountSuspended()
    return enterAccount(tx, accountId, input)
  })
}

function accountClosed(dueAt: Date): ServiceError {
  const day = dueAt.toISOString().slice(0, 10)
  return new ServiceError(
    'account_suspended',
    `You have closed this account. Its data is deleted on ${day}. To keep the account, tick the box and sign in again.`,
    { param: 'keep' },
  )
}

function wrongCredentials(): ServiceError {
  return new ServiceError('invalid_value', 'The e-mail address or the password is wrong. Check both.')
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
    throw new ServiceError(
      'invalid_value',
      `Sign in again to show that it is you, then repeat this within ${freshMinutes} minutes.`,
    )
  }
  if (row && (await verifyPassword(row.passwordHash, proof.current))) return row.passwordHash
  throw wrongPassword()
}

function wrongPassword(): ServiceError {
  return new ServiceError('invalid_value', 'This is not your current password. Type it again.', {
    param: 'current',
  })
}
