import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { visitorPagesPerMinute } from '../../accounts/plans.ts'
import { ServiceError } from '../../errors.ts'

/** Per address and minute: searches, which cost work, by anybody; pages for those who are not signed in. */
const limits = Object.freeze({ searches: 60, pages: visitorPagesPerMinute })

export type AddressLimits = ReturnType<typeof createAddressLimits>

/**
 * Counts the requests of an address to the pages, in this process, and throws a ServiceError `rate_limit_exceeded` at
 * its limit. The address is the result of `clientAddress`.
 */
export function createAddressLimits() {
  const searches = new RateLimiterMemory({ duration: 60, points: limits.searches, keyPrefix: 'search' })
  const pages = new RateLimiterMemory({ duration: 60, points: limits.pages, keyPrefix: 'page' })
  return {
    search: (address: string) => consume(searches, address, 'searches'),
    page: (address: string) => consume(pages, address, 'pages'),
  }
}

async function consume(limiter: RateLimiterMemory, key: string, what: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000))
    throw new ServiceError(
      'rate_limit_exceeded',
      `The limit of ${limiter.points} ${what} per minute from your address is reached. Try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    )
  }
}
