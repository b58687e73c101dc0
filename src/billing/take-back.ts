import { lockAccount } from '../accounts/accounts.ts'
import { type Actor, recordAction } from '../accounts/audit.ts'
import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { availableIn, creditsOf, takeBack } from './account-credits.ts'
import { creditsText } from './credits.ts'
import { requireUnchanged } from './grant-once.ts'

export type TakeBack = {
  readonly actor: Actor
  readonly accountId: string
  /** More than zero, or `all` available credits. */
  readonly micros: bigint | 'all'
  /** Newest audit entry when the form was opened. A form that is sent twice takes credits once. */
  readonly seen?: string
}

/**
 * Takes available credits back, granted ones before the allowance. Held credits stay with their runs.
 * @returns the amount taken, in micro-credits.
 * @throws ServiceError `not_found`; `invalid_value` if less is available. Nothing is taken then.
 */
export async function takeCreditsBack(
  executor: Executor,
  { actor, accountId, micros, seen }: TakeBack,
): Promise<bigint> {
  await lockAccount(executor, accountId)
  if (seen !== undefined) await requireUnchanged(executor, { accountId, seen })
  const available = availableIn(await creditsOf(executor, accountId))
  const wanted = micros === 'all' ? available : micros
  if (wanted > available || wanted === 0n) {
    throw new ServiceError(
      'invalid_value',
      `The account has ${creditsText(available)} credits available, so nothing was taken back. Give a smaller amount, or "all".`,
      { param: 'amount' },
    )
  }
  await takeBack(executor, accountId, wanted)
  const details = { credits: creditsText(wanted) }
  await recordAction(executor, { actor, action: 'credits.taken_back', accountId, details })
  return wanted
}
