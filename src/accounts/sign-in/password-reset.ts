import { and, eq, gt, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { accounts, passwordResets, webSessions } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { lockAccount } from '../accounts.ts'
import { type Actor, recordAction } from '../audit.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { endSteps } from './sign-in-steps.ts'
import { newToken, tokenDigest } from './token-digest.ts'

/** Hours for which a password reset link is valid. */
export const resetHours = 24

/**
 * Creates a password reset link for an account and replaces an earlier one.
 * @returns the path of the page that sets a new password. It contains the token (256 random bits). Only its
 *   digest is stored, so this is the only copy.
 */
export async function createResetLink(
  executor: Executor,
  { actor, accountId }: { readonly actor: Actor; readonly accountId: string },
): Promise<{ readonly path: string; readonly expiresAt: Date }> {
  const { token, digest } = newToken()
  const values = {
    digest,
    createdAt: sql`now()`,
    expiresAt: sql`now() + make_interval(hours => ${resetHours})`,
  }
  const [link] = await executor
    .insert(passwordResets)
    .values({ accountId, ...values })
    .onConflictDoUpdate({ target: passwordResets.accountId, set: values })
    .returning({ expiresAt: passwordResets.expiresAt })
  if (!link) throw new Error('insert returned no row')
  await recordAction(executor, { actor, action: 'password.reset_link_created', accountId })
  return { path: `/reset-password/${token}`, expiresAt: link.expiresAt }
}

const usable = (token: string) =>
  and(eq(passwordResets.digest, tokenDigest(token)), gt(passwordResets.expiresAt, sql`now()`))

/**
 * Finds the account of a link.
 * @throws ServiceError `not_found` for a link that is unknown, used, replaced or expired.
 */
export async function findResetLink(
  executor: Executor,
  token: string,
): Promise<{ readonly accountId: string; readonly email: string }> {
  const [found] = await executor
    .select({ accountId: accounts.id, email: accounts.email })
    .from(passwordResets)
    .innerJoin(accounts, eq(accounts.id, passwordResets.accountId))
    .where(usable(token))
  if (!found) throw deadLink()
  return found
}

/**
 * Sets a new password through a link, which works once, and ends every web session of the account. A refused
 * password leaves the link valid. No connection is held while the password is checked and hashed.
 * @throws ServiceError `not_found` as `findResetLink`, `invalid_value` for a bad password.
 */
export async function resetPassword(database: Database, token: string, password: string): Promise<void> {
  const { accountId, email } = await findResetLink(database.system, token)
  await requireGoodPassword(password, [email])
  const passwordHash = await hashPassword(password)
  await withTx(database, 'system', async (tx) => {
    await lockAccount(tx, accountId)
    const { rowCount } = await tx.delete(passwordResets).where(usable(token))
    if (rowCount !== 1) throw deadLink()
    await tx.update(accounts).set({ passwordHash }).where(eq(accounts.id, accountId))
    await tx.delete(webSessions).where(eq(webSessions.accountId, accountId))
    await endSteps(tx, accountId)
    await recordAction(tx, { actor: accountId, action: 'password.reset', accountId })
  })
}

function deadLink(): ServiceError {
  return new ServiceError(
    'not_found',
    'This link does not work: it was used, replaced or has expired. Ask the operator of this service for a new link.',
  )
}
