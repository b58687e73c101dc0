import { type Account, findAccount, lockAccount, setPlan } from '../accounts/accounts.ts'
import { type Actor, recordAction } from '../accounts/audit.ts'
import type { Plans } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import { raiseAllowance } from './account-credits.ts'

/**
 * Changes the plan of an account from its next request on. A higher plan raises the allowance of this month.
 * @throws ServiceError `not_found` for an unknown address, `invalid_value` for an unknown plan.
 */
export async function changePlan(
  executor: Executor,
  plans: Plans,
  change: { readonly actor: Actor; readonly email: string; readonly plan: string },
): Promise<Account> {
  const before = await lockAccount(executor, (await findAccount(executor, change.email)).id)
  const after = await setPlan(executor, plans, change.email, change.plan)
  await raiseAllowance(executor, after.id, plans.of(after.plan))
  await recordAction(executor, {
    actor: change.actor,
    action: 'account.plan_changed',
    accountId: after.id,
    details: { from: before.plan, to: after.plan },
  })
  return after
}
