import { lockAccount } from '../accounts/accounts.ts'
import { type Actor, newestAuditEntry, recordAction } from '../accounts/audit.ts'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { grantCredits } from './account-credits.ts'
import { creditsText } from './credits.ts'

export type Grant = { readonly actor: Actor; readonly accountId: string; readonly micros: bigint }

/**
 * Grants credits that do not expire, as an operator's action.
 * @param grant.micros more than zero.
 */
export async function grantByOperator(executor: Executor, grant: Grant): Promise<void> {
  const { actor, accountId, micros } = grant
  await grantCredits(executor, accountId, micros)
  const details = { credits: creditsText(micros) }
  await recordAction(executor, { actor, action: 'credits.granted', accountId, details })
}

/**
 * Grants credits that do not expire, unless the account was changed since `seen`, its newest audit entry when the form was
 * opened. A form that is sent twice therefore grants once.
 * @throws ServiceError `not_found`, `invalid_value`.
 */
export async function grantOnce(executor: Executor, grant: Grant & { readonly seen: string }): Promise<void> {
  await lockAccount(executor, grant.accountId)
  await requireUnchanged(executor, grant)
  await grantByOperator(executor, grant)
}

/** @throws ServiceError `invalid_value` if the account was changed since `seen`, the newest audit entry of its form. */
export async function requireUnchanged(
  executor: Executor,
  { accountId, seen }: { readonly accountId: string; readonly seen: string },
): Promise<void> {
  if ((await newestAuditEntry(executor, accountId)) === seen) return
  throw new ServiceError(
    'invalid_value',
    'The account changed after this form was opened. Check its credits, and send the form again if the change is still wanted.',
  )
}
