import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'

/**
 * The error for an account that has `available` micro-credits where a turn needs `micros`.
 * @param now the database's time. The next allowance is granted at the end of its month.
 * @param need the beginning of the message, for work that is no turn.
 */
export function insufficient(
  micros: bigint,
  available: bigint,
  now: Date,
  need = 'The turn needs a hold of',
): ServiceError {
  const renewal = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 10)
  return new ServiceError(
    'insufficient_credits',
    `${need} ${creditsText(micros)} credits, but the account has ${creditsText(available)}. Add credits, or wait for the plan's allowance on ${renewal} (UTC).`,
  )
}
