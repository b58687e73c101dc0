import { and, eq } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { webSessions } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import { addAccount } from '../accounts.ts'
import type { Plans } from '../plans.ts'
import { type Entered, enterAccount, type Origin } from '../sign-in/sign-in-steps.ts'
import { tokenDigest } from '../sign-in/token-digest.ts'
import { acceptInvitation, findInvitation, notInvited } from './invitations.ts'
import { listMemberships } from './members.ts'

/**
 * Lets a session act for another account from its next request on.
 * @param executor must see all accounts.
 * @param acting.accountId the own account of the person, or one that the person is a member of.
 * @throws ServiceError `not_found` for any other account.
 */
export async function actFor(
  executor: Executor,
  token: string,
  { personId, accountId }: { readonly personId: string; readonly accountId: string },
): Promise<void> {
  const isOwn = accountId === personId
  if (!isOwn) {
    const memberships = await listMemberships(executor, personId)
    if (!memberships.some((membership) => membership.accountId === accountId)) throw notFound()
  }
  await executor
    .update(webSessions)
    .set({ actingFor: isOwn ? null : accountId })
    .where(and(eq(webSessions.digest, tokenDigest(token)), eq(webSessions.accountId, personId)))
}

/**
 * Creates the account of a person who was invited by address, accepts the invitation and lets the person in. Use it only if
 * the link was mailed, which confirms the address, or if the host confirms no address.
 * @throws ServiceError as `acceptInvitation`; `not_found` for an invitation without an address; `invalid_value` for an address
 *   that has an account.
 */
export function joinAsNew(
  database: Database,
  plans: Plans,
  token: string,
  input: { readonly plan: string; readonly passwordHash: string; readonly origin: Origin },
): Promise<Entered & { readonly email: string }> {
  const { plan, passwordHash, origin } = input
  return withTx(database, 'system', async (tx) => {
    const { email } = await findInvitation(tx, token)
    if (email === null) throw notInvited()
    const person = await addAccount(tx, plans, { email, plan, passwordHash })
    const { accountId } = await acceptInvitation(tx, token, person)
    const entered = await enterAccount(tx, person.id, origin)
    await actFor(tx, entered.token, { personId: person.id, accountId })
    return { ...entered, email }
  })
}
