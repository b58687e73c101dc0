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
    `The turn needs a hold of ${creditsText(micros)} credits, but the account has ${creditsText(available)}. Add credits, or wait for the plan's allowance on ${renewal} (UTC).`,
  )
}
