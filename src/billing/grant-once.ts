import { eq, sql } from 'drizzle-orm'
import { type Actor, recordAction } from '../accounts/audit.ts'
import type { Executor } from '../db/client.ts'
import { accounts, creditPools } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { grantCredits } from './pools.ts'

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

/** Id of the newest pool of an account; `0` if there is none. A form stores it to detect changes. */
export async function newestPool(executor: Executor, accountId: string): Promise<string> {
  const [row] = await executor
    .select({ id: sql<string>`coalesce(max(${creditPools.id}), 0)::text` })
    .from(creditPools)
    .where(eq(creditPools.accountId, accountId))
  return row?.id ?? '0'
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
  if ((await newestPool(executor, grant.accountId)) !== grant.seen) {
    throw new ServiceError(
      'invalid_value',
      'The account got credits after this form was opened. Check its pools, and send the form again if it should get more.',
    )
  }
  await grantByOperator(executor, grant)
}
