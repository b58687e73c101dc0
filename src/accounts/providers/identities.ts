import { and, count, eq, ne, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { accounts, identities } from '../../db/schema/index.ts'
import { invalidValue } from '../../errors.ts'
import { notDeleted } from '../accounts.ts'
import { recordAction } from '../audit.ts'
import { noPassword } from '../passwords/passwords.ts'
import type { Person } from './providers.ts'

/** A person at a provider. */
export type Identity = Pick<Person, 'issuer' | 'subject'>

/** The account that an identity signs in to. It keeps two first sign-ins of one person apart until the transaction ends. */
export async function accountOfIdentity(
  executor: Executor,
  { issuer, subject }: Identity,
): Promise<string | undefined> {
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${issuer}\n${subject}`}, 0))`)
  const [row] = await executor
    .select({ accountId: identities.accountId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  return row?.accountId
}

/**
 * Records that an identity signs in.
 * @param executor a transaction that has locked the account.
 * @returns false if the account no longer has it.
 */
export async function useIdentity(
  executor: Executor,
  { issuer, subject }: Identity,
  accountId: string,
): Promise<boolean> {
  const { rowCount } = await executor
    .update(identities)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(identities.issuer, issuer),
        eq(identities.subject, subject),
        eq(identities.accountId, accountId),
      ),
    )
  return rowCount === 1
}

/**
 * Gives an identity to an account.
 * @param executor the transaction that called `accountOfIdentity`.
 * @param provider its id, for the audit log.
 */
export async function addIdentity(
  executor: Executor,
  { issuer, subject }: Identity,
  { accountId, provider }: { readonly accountId: string; readonly provider: string },
): Promise<void> {
  await executor.insert(identities).values({ issuer, subject, accountId })
  const details = { provider }
  await recordAction(executor, { actor: accountId, action: 'identity.added', accountId, details })
}

/** The issuers by which an account is signed in to. */
export async function issuersOf(executor: Executor, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await executor
    .select({ issuer: identities.issuer })
    .from(identities)
    .where(eq(identities.accountId, accountId))
  return new Set(rows.map(({ issuer }) => issuer))
}

/**
 * Takes the identities of an issuer away from an account.
 * @param executor one transaction.
 * @throws ServiceError `invalid_value` if nobody could sign in to the account any more.
 */
export async function removeIdentities(
  executor: Executor,
  {
    accountId,
    issuer,
    provider,
  }: { readonly accountId: string; readonly issuer: string; readonly provider: string },
): Promise<void> {
  const [account] = await executor
    .select({ passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), notDeleted))
    .for('no key update')
  const [others] = await executor
    .select({ n: count() })
    .from(identities)
    .where(and(eq(identities.accountId, accountId), ne(identities.issuer, issuer)))
  if (account?.passwordHash === noPassword && others?.n === 0)
    throw invalidValue('This is the only way to sign in. Set a password first.')
  const { rowCount } = await executor
    .delete(identities)
    .where(and(eq(identities.accountId, accountId), eq(identities.issuer, issuer)))
  if (rowCount === 0) return
  const details = { provider }
  await recordAction(executor, { actor: accountId, action: 'identity.removed', accountId, details })
}
