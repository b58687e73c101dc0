import { accountSuspended } from '../../accounts/accounts.ts'
import { noApiAccess, type Plan } from '../../accounts/plans.ts'
import { insufficient } from '../../billing/insufficient.ts'
import { keyCapReached } from '../../billing/key-spending.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { AdmissionRow } from './admission-row.ts'

/** What the text of a refusal names. */
type Facts = Pick<AdmissionRow, 'available' | 'created_at' | 'key_limit'> & {
  readonly seconds: number
  readonly plan: Plan
  readonly holdMicros: bigint
  /** The field that has the messages. */
  readonly field: string
}

/** The error of each decision of `admit_run_2` that refuses a turn, in the order in which it looks at them. */
export const refusals: Readonly<Record<string, (facts: Facts) => ServiceError>> = {
  not_found: () => notFound(),
  account_suspended: accountSuspended,
  invalid_api_key: () => new ServiceError('invalid_api_key', 'The API key was revoked. Use another key.'),
  plan_without_api_access: ({ plan }) => noApiAccess(plan.name),
  idempotency_key_reused: () =>
    new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
      { shouldRetry: false },
    ),
  overloaded: underPressure,
  no_question: ({ field }) =>
    new ServiceError(
      'invalid_value',
      `There is no new message. \`${field}\` must end with a message of role \`user\`.`,
      { param: field },
    ),
  session_busy: () =>
    new ServiceError('session_busy', 'Too many turns of this session are queued. Wait for one to end.', {
      shouldRetry: false,
    }),
  rate_limit_exceeded: ({ plan, seconds }) =>
    new ServiceError(
      'rate_limit_exceeded',
      `The plan "${plan.name}" allows ${plan.turnsPerMinute} turns per minute. Try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    ),
  too_many_concurrent_runs: ({ plan }) =>
    new ServiceError('too_many_concurrent_runs', `${concurrencyText(plan)} Wait for an answer to end.`, {
      retryAfterSeconds: 5,
    }),
  key_rate_limit: ({ key_limit, seconds }) =>
    new ServiceError(
      'rate_limit_exceeded',
      `This API key allows ${key_limit} requests per minute. Try again in ${seconds} s, or raise the limit of the key.`,
      { retryAfterSeconds: seconds },
    ),
  key_concurrency: ({ key_limit }) =>
    new ServiceError(
      'too_many_concurrent_runs',
      `This API key allows ${key_limit} concurrent turns. Wait for an answer to end, or raise the limit of the key.`,
      { retryAfterSeconds: 5 },
    ),
  key_day_cap: (facts) => capReached('day', facts),
  key_month_cap: (facts) => capReached('month', facts),
  key_total_cap: (facts) => capReached('total', facts),
  insufficient_credits: ({ holdMicros, available, created_at }) =>
    insufficient(holdMicros, BigInt(available), new Date(created_at)),
}

/** The error for a new turn that a process under pressure does not take. */
export function underPressure(): ServiceError {
  return new ServiceError('overloaded', 'The service takes no new turns now. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

function capReached(period: 'day' | 'month' | 'total', facts: Facts): ServiceError {
  const { holdMicros, available, created_at: at, key_limit } = facts
  return keyCapReached(
    { period, capMicros: BigInt(key_limit ?? 0), roomMicros: BigInt(available) },
    holdMicros,
    new Date(at),
  )
}

function concurrencyText({ name, concurrentTurns }: Plan): string {
  if (concurrentTurns === 1) return `One answer at a time on the plan "${name}".`
  return `The plan "${name}" allows ${concurrentTurns} concurrent turns.`
}
