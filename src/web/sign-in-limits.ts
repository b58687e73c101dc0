import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../errors.ts'

/**
 * Attempts of an account and of an address in a quarter of an hour; accounts an address may make in an hour; requests for
 * the page of a password reset link that an address may send in a quarter of an hour.
 */
const most = Object.freeze({ account: 10, address: 100, signUps: 20, resets: 30 })

/**
 * Counts attempts to sign in and new accounts in this process. An account is counted together with the address that
 * asks, so that nobody can lock its owner out from elsewhere, and every address alone.
 */
export type SignInLimits = {
  /** Counts before the password is looked at. @throws ServiceError `rate_limit_exceeded`. */
  attempt(email: string, address: string): Promise<void>
  /** Takes back what was counted for the one who has proved to be the owner. */
  succeeded(email: string, address: string): Promise<void>
  /** @throws ServiceError `rate_limit_exceeded`. */
  signUp(address: string): Promise<void>
  /** Counts each request for a password reset link. @throws ServiceError `rate_limit_exceeded`. */
  reset(address: string): Promise<void>
}

export function createSignInLimits(): SignInLimits {
  const accounts = new RateLimiterMemory({ duration: 900, points: most.account, keyPrefix: 'account' })
  const addresses = new RateLimiterMemory({ duration: 900, points: most.address, keyPrefix: 'address' })
  const signUps = new RateLimiterMemory({ duration: 3_600, points: most.signUps, keyPrefix: 'sign-up' })
  const resets = new RateLimiterMemory({ duration: 900, points: most.resets, keyPrefix: 'reset' })
  const account = (email: string, address: string) => `${email.trim().toLowerCase().slice(0, 254)} ${address}`
  return {
    async attempt(email, address) {
      await consume(addresses, address, 'Too many attempts to sign in')
      await consume(accounts, account(email, address), 'Too many attempts to sign in')
    },
    async succeeded(email, address) {
      await Promise.all([accounts.delete(account(email, address)), addresses.reward(address)])
    },
    signUp: (address) => consume(signUps, address, 'Too many new accounts'),
    reset: (address) => consume(resets, address, 'Too many requests for password reset links'),
  }
}

async function consume(limiter: RateLimiterMemory, key: string, what: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000))
    const minutes = Math.ceil(seconds / 60)
    throw new ServiceError('rate_limit_exceeded', `${what} came from here. Try again in ${minutes} min.`, {
      retryAfterSeconds: seconds,
    })
  }
}
