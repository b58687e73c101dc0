import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { pagesPerMinute } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import { ServiceError } from '../../errors.ts'

const windowSeconds = 60

export type RateLimits = ReturnType<typeof createRateLimits>

/**
 * Limits requests per minute, counted in this process: each replica counts for itself. Turns, which cost
 * credits, are counted exactly in the transaction that starts them (see `turns/admit`).
 * @param invalidKeysPerMinute requests without a valid key per address and minute.
 */
export function createRateLimits(invalidKeysPerMinute: number) {
  // The limiter has no bound of its own; each plan's limit is compared here.
  const unbounded = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
  const requests = new RateLimiterMemory({ ...unbounded, keyPrefix: 'requests' })
  const invalid = new RateLimiterMemory({ ...unbounded, keyPrefix: 'invalid' })
  return {
    /**
     * Counts a request of the account and of its key.
     * @param reply gets the `x-ratelimit-…` headers of the limit that leaves fewer requests.
     * @throws ServiceError `rate_limit_exceeded` with the seconds to wait.
     */
    async countRequest(principal: Principal, reply: FastifyReply): Promise<void> {
      const { accountId, plan, keyId, keyRequestsPerMinute } = principal
      // The key first: what it refuses does not count against the account.
      const ofKey =
        typeof keyRequestsPerMinute === 'number'
          ? windowOf(keyRequestsPerMinute, 'This API key', await requests.consume(`${keyId}`))
          : unlimited
      const ofPlan =
        ofKey.left < 0
          ? unlimited
          : windowOf(plan.requestsPerMinute, `The plan "${plan.name}"`, await requests.consume(accountId))
      const { max, holder, left, seconds } = ofKey.left < ofPlan.left ? ofKey : ofPlan
      reply
        .header('x-ratelimit-limit-requests', max)
        .header('x-ratelimit-remaining-requests', Math.max(0, left))
        .header('x-ratelimit-reset-requests', `${seconds}s`)
      if (left < 0) throw refusal(`${holder} allows ${max} requests per minute.`, seconds)
    },
    /**
     * Counts a page for its account.
     * @throws ServiceError `rate_limit_exceeded` with the seconds to wait.
     */
    async countPage({ accountId, plan }: Principal): Promise<void> {
      const max = pagesPerMinute(plan)
      const { left, seconds } = windowOf(max, '', await requests.consume(accountId))
      if (left < 0) throw refusal(`Your account may load ${max} pages per minute.`, seconds)
    },
    /** Requests of the account in the current minute, as this process counted them. */
    async requestsLately(accountId: string): Promise<number> {
      return (await requests.get(accountId))?.consumedPoints ?? 0
    },
    /**
     * Counts a request without a valid key from an address.
     * @throws ServiceError `rate_limit_exceeded` above the limit.
     */
    async countInvalidKey(address: string): Promise<void> {
      const { left, seconds } = windowOf(invalidKeysPerMinute, '', await invalid.consume(address))
      if (left < 0)
        throw refusal('Too many requests without a valid API key came from this address.', seconds)
    },
  }
}

function refusal(reason: string, seconds: number): ServiceError {
  return new ServiceError('rate_limit_exceeded', `${reason} Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  })
}

/** A limit after a request was counted. `left` is below zero if the request is above the limit. */
function windowOf(max: number, holder: string, counted: RateLimiterRes) {
  const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000))
  return { max, holder, left: max - counted.consumedPoints, seconds }
}

const unlimited = { max: 0, holder: '', left: Number.POSITIVE_INFINITY, seconds: 1 }
