import type { Plan } from '../../accounts/plans.ts'
import { ServiceError } from '../../errors.ts'

/** The errors of the rules of admission that are its own, in the order in which they are looked at. */

export const revokedKey = (): ServiceError =>
  new ServiceError('invalid_api_key', 'The API key was revoked. Use another key.')

export const reusedIdempotencyKey = (): ServiceError =>
  new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
    { shouldRetry: false },
  )

/** The error for a new turn that a process under pressure does not take. */
export const underPressure = (): ServiceError =>
  new ServiceError('overloaded', 'The service takes no new turns now. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })

export const flagged = (): ServiceError =>
  new ServiceError(
    'content_filter',
    'The moderation of this service does not allow this message. Change it. Nothing was charged.',
  )

/** The error for a question that the moderation server gave no verdict on. */
export const unmoderated = (): ServiceError =>
  new ServiceError(
    'overloaded',
    'The moderation of this service does not answer. Try again in a few seconds.',
    {
      retryAfterSeconds: 5,
    },
  )

/** @param field the one that has the messages. */
export const withoutQuestion = (field: string): ServiceError =>
  new ServiceError(
    'invalid_value',
    `There is no new message. \`${field}\` must end with a message of role \`user\`.`,
    { param: field },
  )

export const busySession = (): ServiceError =>
  new ServiceError('session_busy', 'Too many turns of this session are queued. Wait for one to end.', {
    shouldRetry: false,
  })

export const rateLimit = ({ name, turnsPerMinute }: Plan, seconds: number): ServiceError =>
  new ServiceError(
    'rate_limit_exceeded',
    `The plan "${name}" allows ${turnsPerMinute} turns per minute. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds },
  )

export function concurrency({ name, concurrentTurns }: Plan): ServiceError {
  const allowed =
    concurrentTurns === 1
      ? `One answer at a time on the plan "${name}".`
      : `The plan "${name}" allows ${concurrentTurns} concurrent turns.`
  return new ServiceError('too_many_concurrent_runs', `${allowed} Wait for an answer to end.`, {
    retryAfterSeconds: 5,
  })
}

export const keyRateLimit = (limit: number, seconds: number): ServiceError =>
  new ServiceError(
    'rate_limit_exceeded',
    `This API key allows ${limit} requests per minute. Try again in ${seconds} s, or raise the limit of the key.`,
    { retryAfterSeconds: seconds },
  )

export const keyConcurrency = (limit: number): ServiceError =>
  new ServiceError(
    'too_many_concurrent_runs',
    `This API key allows ${limit} concurrent turns. Wait for an answer to end, or raise the limit of the key.`,
    { retryAfterSeconds: 5 },
  )
