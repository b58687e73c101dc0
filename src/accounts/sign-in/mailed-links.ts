import { and, eq, gt, sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { databaseFault, uniqueViolation } from '../../db/errors.ts'
import { accounts, mailedLinks } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { addAccount, addressTaken, findAccountById, newEmail } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import type { Plans } from '../plans.ts'
import { newToken, tokenDigest } from './token-digest.ts'

/** Hours for which a mailed link is valid. */
export const linkHours = 24

/** What a link confirms: the address of an account to be created, or another address of one. */
export type Confirmed =
  | { readonly kind: 'account'; readonly email: string; readonly passwordHash: string }
  | { readonly kind: 'address'; readonly email: string; readonly accountId: string }

/**
 * Creates a link that confirms an address. A link for another address of an account replaces an earlier one.
 * @returns its token (256 random bits). Only the digest is stored, so this is the only copy.
 * @throws ServiceError `invalid_value` for an address that no account can have.
 */
export async function createMailedLink(executor: Executor, confirmed: Confirmed): Promise<string> {
  const { token, digest } = newToken()
  const accountId = confirmed.kind === 'address' ? confirmed.accountId : ''
  if (accountId !== '') await executor.delete(mailedLinks).where(eq(mailedLinks.accountId, accountId))
  await executor.insert(mailedLinks).values({
    digest,
    accountId,
    email: newEmail(confirmed.email),
    passwordHash: confirmed.kind === 'account' ? confirmed.passwordHash : '',
    expiresAt: sql`now() + make_interval(hours => ${linkHours})`,
  })
  return token
}

const usable = (token: string) =>
  and(eq(mailedLinks.digest, tokenDigest(token)), gt(mailedLinks.expiresAt, sql`now()`))

/**
 * Finds the address that a link confirms.
 * @throws ServiceError `not_found` for a link that is unknown, used, replaced or expired.
 */
export async function findMailedLink(
  executor: Executor,
  token: string,
): Promise<{ readonly email: string; readonly kind: Confirmed['kind'] }> {
  const [found] = await executor.select().from(mailedLinks).where(usable(token))
  if (!found) throw deadLink()
  return { email: found.email, kind: found.accountId === '' ? 'account' : 'address' }
}

/**
 * Uses a link, which works once: creates the account, or gives the account its new address.
 * @returns the former address of an account that has another one now.
 * @throws ServiceError `not_found` as `findMailedLink`, `invalid_value` if another account has the address meanwhile.
 */
export function followMailedLink(
  database: Database,
  token: string,
  { plans, plan }: { readonly plans: Plans; readonly plan: string },
): Promise<{ readonly accountId: string; readonly email: string; readonly formerEmail?: string }> {
  return withTx(database, 'system', async (tx) => {
    const [link] = await tx.delete(mailedLinks).where(usable(token)).returning()
    if (!link) throw deadLink()
    const { email, passwordHash, accountId } = link
    if (accountId === '') {
      const { id } = await addAccount(tx, plans, { email, plan, passwordHash })
      return { accountId: id, email }
    }
    const before = await findAccountById(tx, accountId)
    if (!before) throw deadLink()
    try {
      await tx.update(accounts).set({ email }).where(eq(accounts.id, accountId))
    } catch (error) {
      throw databaseFault(error)?.code === uniqueViolation ? addressTaken(email) : error
    }
    await recordAction(tx, { actor: accountId, action: 'account.address_changed', accountId })
    return { accountId, email, formerEmail: before.email }
  })
}

function deadLink(): ServiceError {
  return new ServiceError(
    'not_found',
    'This link does not work: it was used, replaced or has expired. Ask for a new one.',
  )
}
