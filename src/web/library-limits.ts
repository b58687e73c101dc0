import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../errors.ts'

/** Of one address in a minute. Everybody may use the library, signed in or not, and a search is work. */
const most = Object.freeze({ searches: 60, pages: 600 })

/** Counts what an address asks of the library, in this process. */
export type LibraryLimits = {
  /** @throws ServiceError `rate_limit_exceeded`. */
  search(address: string): Promise<void>
  /** @throws ServiceError `rate_limit_exceeded`. */
  page(address: string): Promise<void>
}

export function createLibraryLimits(): LibraryLimits {
  const searches = new RateLimiterMemory({ duration: 60, points: most.searches, keyPrefix: 'search' })
  const pages = new RateLimiterMemory({ duration: 60, points: most.pages, keyPrefix: 'page' })
  return {
    search: (address) => consume(searches, address, 'searches'),
    page: (address) => consume(pages, address, 'pages of the library'),
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
      `Your address has asked for ${limiter.points} ${what} within a minute, which is the limit. Go on in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    )
  }
}
