import { eq, sql } from 'drizzle-orm'
import { type Database, withTx } from '../db/client.ts'
import { accounts, webSessions } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { type Account, deletedSuffix } from './accounts.ts'
import { requireGoodPassword } from './password-rules.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { closeOtherWebSessions, openWebSession } from './web-sessions.ts'

/**
 * Checks a password and begins a session. An unknown address and a wrong password get the same answer after the same
 * work. No connection is held while a password is hashed.
 * @throws ServiceError `invalid_value` with the one message for both.
 */
export async function signIn(
  database: Database,
  input: { readonly email: string; readonly password: string },
): Promise<{ readonly accountId: string; readonly token: string }> {
  const [known] = await database.system
    .select({ id: accounts.id, passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.email, input.email.trim().toLowerCase()))
  if (!(await verifyPassword(known?.passwordHash, input.password)) || !known) {
    throw new ServiceError('invalid_value', 'The e-mail address or the password is not right.')
  }
  return { accountId: known.id, token: await openWebSession(database.system, known.id) }
}

/**
 * Sets another password and ends all sessions but the one in use.
 * @throws ServiceError `invalid_value` for a wrong present password or a bad new one.
 */
export async function changePassword(
  database: Database,
  account: Account,
  input: { readonly current: string; readonly next: string; readonly token: string },
): Promise<{ readonly sessionsEnded: number }> {
  await requirePassword(database, account, input.current)
  await requireGoodPassword(input.next, [account.email])
  const passwordHash = await hashPassword(input.next)
  return withTx(database, 'system', async (tx) => {
    await tx.update(accounts).set({ passwordHash }).where(eq(accounts.id, account.id))
    return { sessionsEnded: await closeOtherWebSessions(tx, account.id, input.token) }
  })
}

/** @throws ServiceError `invalid_value` when it is not the account's password. */
export async function requirePassword(database: Database, account: Account, password: string): Promise<void> {
  const [row] = await database.system
    .select({ passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(eq(accounts.id, account.id))
  if (await verifyPassword(row?.passwordHash, password)) return
  throw new ServiceError('invalid_value', 'This is not your present password.', { param: 'current' })
}

/**
 * Closes an account for good: its keys, sessions, projects, conversations and files are removed, and its address is
 * free again. The ledger's rows stay, since they may not be changed; nothing in them names a person any more.
 * @throws ServiceError `session_busy` while a turn is unfinished, since its charge is still to come.
 */
export function deleteAccount(database: Database, accountId: string): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    await tx.execute(sql`select 1 from accounts where id = ${accountId} for update`)
    const busy = await tx.execute(
      sql`select 1 from runs where account_id = ${accountId} and status in ('queued', 'in_progress') limit 1`,
    )
    if (busy.rows.length > 0) {
      throw new ServiceError(
        'session_busy',
        'A turn of this account is running. Stop it, or wait for its end.',
      )
    }
    await tx.execute(sql`delete from api_keys where account_id = ${accountId}`)
    await tx.execute(sql`delete from projects where account_id = ${accountId}`)
    await tx.delete(webSessions).where(eq(webSessions.accountId, accountId))
    await tx
      .update(accounts)
      .set({ email: `${accountId.toLowerCase()}${deletedSuffix}`, passwordHash: '', operator: false })
      .where(eq(accounts.id, accountId))
  })
}
