import type { FastifyReply } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Principal } from '../../accounts/principal.ts'
import { ServiceError } from '../../errors.ts'

const windowSeconds = 60

/**
 * Limits requests per minute, counted in this process: each replica counts for itself. Turns, which cost
 * credits, are counted exactly in the transaction that starts them (see `turns/admission`).
 */
export type RateLimits = {
  /**
   * Counts a request of the account.
   * @param reply gets the `x-ratelimit-…` headers; pages pass none.
   * @throws ServiceError `rate_limit_exceeded` with the seconds to wait.
   */
  countRequest(principal: Principal, reply?: FastifyReply): Promise<void>
  /** Requests of the account in the current minute, as this process counted them. */
  requestsLately(accountId: string): Promise<number>
  /**
   * Counts a request without a valid key from an address.
   * @throws ServiceError `rate_limit_exceeded` above the limit.
   */
  countInvalidKey(address: string): Promise<void>
}

/** @param invalidKeysPerMinute requests without a valid key per address and minute. */
export function createRateLimits(invalidKeysPerMinute: number): RateLimits {
  // The limiter has no bound of its own; each plan's limit is compared here.
  const unbounded = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
  const requests = new RateLimiterMemory({ ...unbounded, keyPrefix: 'requests' })
  const invalid = new RateLimiterMemory({ ...unbounded, keyPrefix: 'invalid' })
  return {
    async countRequest({ accountId, plan }, reply) {
      const { consumedPoints, msBeforeNext } = await requests.consume(accountId)
      const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000))
      reply
        ?.header('x-ratelimit-limit-requests', plan.requestsPerMinute)
        .header('x-ratelimit-remaining-requests', Math.max(0, plan.requestsPerMinute - consumedPoints))
        .header('x-ratelimit-reset-requests', `${seconds}s`)
      if (consumedPoints <= plan.requestsPerMinute) return
      throw new ServiceError(
        'rate_limit_exceeded',
        `The plan "${plan.name}" allows ${plan.requestsPerMinute} requests per minute. Try again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      )
    },
    async requestsLately(accountId) {
      return (await requests.get(accountId))?.consumedPoints ?? 0
    },
    async countInvalidKey(address) {
      const { consumedPoints, msBeforeNext } = await invalid.consume(address)
      if (consumedPoints <= invalidKeysPerMinute) return
      const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000))
      throw new ServiceError(
        'rate_limit_exceeded',
        `Too many requests without a valid API key came from this address. Try again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      )
    },
  }
}
