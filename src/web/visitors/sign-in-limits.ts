import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../../errors.ts'

/**
 * Attempts of an account from one address or browser, and of an address, in a quarter of an hour; wrong passwords of an
 * account from all addresses together in an hour; accounts that an address may make in an hour, and its attempts to make
 * one, of which weak passwords are a part; requests for the page of a
 * password reset link that an address may send in a quarter of an hour.
 */
const most = Object.freeze({
  account: 10,
  address: 100,
  everywhere: 30,
  signUps: 20,
  signUpAttempts: 60,
  resets: 30,
})

/** Who tries to sign in. */
export type SignInAttempt = {
  readonly email: string
  /** As `clientAddress` gives it. */
  readonly address: string
  /** Of a browser that has signed in to this account before, or is signed in now; strangers have none. */
  readonly browser?: string | undefined
}

/**
 * Counts attempts to sign in and new accounts, in this process. Guesses from many addresses meet a limit of the account,
 * which its owner's own browsers do not: a stranger who uses it up locks out only other strangers.
 */
export type SignInLimits = {
  /**
   * Checks a password within the limits. Attempts count before the check, so that many at once gain nothing, and
   * are taken back when it succeeds or fails for another reason than the password.
   * @param check throws a ServiceError `invalid_value` when the password is wrong.
   * @throws ServiceError `rate_limit_exceeded`; what `check` throws.
   */
  guard<T>(attempt: SignInAttempt, check: () => Promise<T>): Promise<T>
  /**
   * Counts before the password is looked at.
   * @throws ServiceError `rate_limit_exceeded`, also when the address has made all the accounts that it may.
   */
  signUpAttempt(address: string): Promise<void>
  /** Counts an account that is about to be made. @throws ServiceError `rate_limit_exceeded`. */
  signUp(address: string): Promise<void>
  /** Counts each request for a password reset link. @throws ServiceError `rate_limit_exceeded`. */
  reset(address: string): Promise<void>
}

export function createSignInLimits(): SignInLimits {
  const accounts = new RateLimiterMemory({ duration: 900, points: most.account, keyPrefix: 'account' })
  const addresses = new RateLimiterMemory({ duration: 900, points: most.address, keyPrefix: 'address' })
  const everywhere = new RateLimiterMemory({ duration: 3_600, points: most.everywhere, keyPrefix: 'wrong' })
  const signUps = new RateLimiterMemory({ duration: 3_600, points: most.signUps, keyPrefix: 'sign-up' })
  const signUpAttempts = new RateLimiterMemory({
    duration: 3_600,
    points: most.signUpAttempts,
    keyPrefix: 'sign-up-attempt',
  })
  const resets = new RateLimiterMemory({ duration: 900, points: most.resets, keyPrefix: 'reset' })

  async function count(attempt: SignInAttempt): Promise<void> {
    const { address, browser } = attempt
    await consume(addresses, address, 'Too many attempts to sign in came from here.')
    await consume(accounts, placeOf(attempt), 'Too many attempts to sign in came from here.')
    if (browser !== undefined) return
    const why = 'Too many wrong passwords were tried for this account.'
    const way = ' Or use a browser that has signed in to it before.'
    await consume(everywhere, accountOf(attempt), why, way)
  }

  async function takeBack(attempt: SignInAttempt): Promise<void> {
    const { address, browser } = attempt
    await Promise.all([
      addresses.reward(address),
      accounts.reward(placeOf(attempt)),
      browser === undefined ? everywhere.reward(accountOf(attempt)) : undefined,
    ])
  }

  return {
    async guard(attempt, check) {
      await count(attempt)
      try {
        const result = await check()
        await takeBack(attempt)
        await accounts.delete(placeOf(attempt))
        return result
      } catch (error) {
        const wrong = error instanceof ServiceError && error.code === 'invalid_value'
        if (!wrong) await takeBack(attempt)
        throw error
      }
    },
    async signUpAttempt(address) {
      const made = await signUps.get(address)
      if (made && made.consumedPoints >= most.signUps)
        throw tooMany('Too many new accounts came from here.', made)
      await consume(signUpAttempts, address, 'Too many attempts to make an account came from here.')
    },
    signUp: (address) => consume(signUps, address, 'Too many new accounts came from here.'),
    reset: (address) =>
      consume(resets, address, 'Too many requests for password reset links came from here.'),
  }
}

/** A digest, so that long names cost no more memory than short ones. */
function accountOf({ email }: SignInAttempt): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url').slice(0, 22)
}

function placeOf(attempt: SignInAttempt): string {
  const { address, browser } = attempt
  return `${accountOf(attempt)} ${browser === undefined ? address : `browser ${browser}`}`
}

async function consume(limiter: RateLimiterMemory, key: string, what: string, way = ''): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    throw tooMany(what, refused, way)
  }
}

function tooMany(what: string, { msBeforeNext }: RateLimiterRes, way = ''): ServiceError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000))
  const minutes = Math.ceil(seconds / 60)
  return new ServiceError('rate_limit_exceeded', `${what} Try again in ${minutes} min.${way}`, {
    retryAfterSeconds: seconds,
  })
}
