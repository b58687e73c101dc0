import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../errors.ts'

/**
 * Attempts to sign in to an account and from an address, in a quarter of an hour; accounts that an address may make in an
 * hour, and its attempts to make one, of which weak passwords are a part.
 */
const most = Object.freeze({ account: 10, address: 100, signUps: 20, signUpAttempts: 60 })

/**
 * Counts attempts to sign in and new accounts in this process. An account is counted together with the address that
 * asks, so that nobody can lock its owner out from elsewhere, and every address alone.
 */
export type SignInLimits = {
  /** Counts before the password is looked at. @throws ServiceError `rate_limit_exceeded`. */
  attempt(email: string, address: string): Promise<void>
  /** Takes back what was counted for the one who has proved to be the owner. */
  succeeded(email: string, address: string): Promise<void>
  /**
   * Counts before the password is looked at.
   * @throws ServiceError `rate_limit_exceeded`, also when the address has made all the accounts that it may.
   */
  signUpAttempt(address: string): Promise<void>
  /** Counts an account that is about to be made. @throws ServiceError `rate_limit_exceeded`. */
  signUp(address: string): Promise<void>
}

export function createSignInLimits(): SignInLimits {
  const accounts = new RateLimiterMemory({ duration: 900, points: most.account, keyPrefix: 'account' })
  const addresses = new RateLimiterMemory({ duration: 900, points: most.address, keyPrefix: 'address' })
  const signUps = new RateLimiterMemory({ duration: 3_600, points: most.signUps, keyPrefix: 'sign-up' })
  const signUpAttempts = new RateLimiterMemory({
    duration: 3_600,
    points: most.signUpAttempts,
    keyPrefix: 'sign-up-attempt',
  })
  const account = (email: string, address: string) => `${email.trim().toLowerCase().slice(0, 254)} ${address}`
  return {
    async attempt(email, address) {
      await consume(addresses, address, 'Too many attempts to sign in')
      await consume(accounts, account(email, address), 'Too many attempts to sign in')
    },
    async succeeded(email, address) {
      await Promise.all([accounts.delete(account(email, address)), addresses.reward(address)])
    },
    async signUpAttempt(address) {
      const made = await signUps.get(address)
      if (made && made.consumedPoints >= most.signUps) throw tooMany('Too many new accounts', made)
      await consume(signUpAttempts, address, 'Too many attempts to make an account')
    },
    signUp: (address) => consume(signUps, address, 'Too many new accounts'),
  }
}

async function consume(limiter: RateLimiterMemory, key: string, what: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    throw tooMany(what, refused)
  }
}

function tooMany(what: string, { msBeforeNext }: RateLimiterRes): ServiceError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000))
  const minutes = Math.ceil(seconds / 60)
  return new ServiceError('rate_limit_exceeded', `${what} came from here. Try again in ${minutes} min.`, {
    retryAfterSeconds: seconds,
  })
}
