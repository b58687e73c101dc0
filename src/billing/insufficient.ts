import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { nextRenewal } from './pools.ts'

/** The error for an account that has `available` micro-credits where a turn needs `micros`. */
export async function insufficient(
  executor: Executor,
  micros: bigint,
  available: bigint,
): Promise<ServiceError> {
  const renewal = (await nextRenewal(executor)).toISOString().slice(0, 10)
  return new ServiceError(
    'insufficient_credits',
    `The turn needs ${creditsText(micros)} credits set aside and the account has ${creditsText(available)}. Add credits; the plan's allowance renews on ${renewal} (UTC).`,
  )
}
