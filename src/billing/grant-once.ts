import { eq } from 'drizzle-orm'
import { type Actor, recordAction } from '../accounts/audit.ts'
import type { Executor } from '../db/client.ts'
import { accounts } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { grantCredits, newestEntry } from './account-credits.ts'
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
 * Grants credits that do not expire, unless the account got credits since `seen`. A form that is sent twice
 * therefore grants once.
 * @throws ServiceError `invalid_value`.
 */
export async function grantOnce(executor: Executor, grant: Grant & { readonly seen: string }): Promise<void> {
  await executor
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, grant.accountId))
    .for('update')
  if ((await newestEntry(executor, grant.accountId)) !== grant.seen) {
    throw new ServiceError(
      'invalid_value',
      'The account got credits after this form was opened. Check its credits, and send the form again if it should get more.',
    )
  }
  await grantByOperator(executor, grant)
}
