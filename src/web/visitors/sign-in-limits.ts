import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../../errors.ts'

/**
 * In 15 minutes: sign-in attempts for an account from one address or browser (`account`), from an address (`address`),
 * its requests for password reset links (`resets`), and sign-ins at a provider that it begins (`providers`). In an
 * hour: wrong passwords or codes for an account from all addresses (`everywhere`), new accounts from an address
 * (`signUps`), attempts to create one, weak passwords included (`signUpAttempts`), and letters with a link to one
 * address (`letters`).
 */
const limits = Object.freeze({
  account: 10,
  address: 100,
  everywhere: 30,
  signUps: 20,
  signUpAttempts: 60,
  resets: 30,
  providers: 60,
  letters: 5,
})

/** Who tries to sign in. */
export type SignInAttempt = {
  readonly email: string
  /** As `clientAddress` gives it. */
  readonly address: string
  /**
   * Id of a browser that has signed in to this account before or is signed in now; undefined for other
   * browsers.
   */
  readonly browser?: string | undefined
}

/**
 * Counts sign-in attempts and new accounts, in this process. Guesses from many addresses meet a limit of the account,
 * which the owner's own browsers do not meet: a stranger who uses it up locks out only other strangers.
 */
export type SignInLimits = {
  /**
   * Checks a password within the limits. Attempts count before the check, so that concurrent ones gain
   * nothing; a success, or a failure for another reason, is not counted in the end.
   * @param check throws a ServiceError `invalid_value` when the password is wrong.
   * @throws ServiceError `rate_limit_exceeded`; what `check` throws.
   */
  guard<T>(attempt: SignInAttempt, check: () => Promise<T>): Promise<T>
  /**
   * Counts a sign-up attempt before its password is checked.
   * @throws ServiceError `rate_limit_exceeded`, also when the address has reached its limit of new accounts.
   */
  signUpAttempt(address: string): Promise<void>
  /**
   * Counts an account before it is created.
   * @throws ServiceError `rate_limit_exceeded`.
   */
  signUp(address: string): Promise<void>
  /**
   * Counts a request for a password reset link.
   * @throws ServiceError `rate_limit_exceeded`.
   */
  reset(address: string): Promise<void>
  /**
   * Counts a sign-in at a provider before it begins.
   * @throws ServiceError `rate_limit_exceeded`.
   */
  provider(address: string): Promise<void>
  /** Counts a letter with a link, and says whether it may be sent: nobody can fill the mailbox of another. */
  mayMail(email: string): Promise<boolean>
}

export function createSignInLimits(): SignInLimits {
  const accounts = new RateLimiterMemory({ duration: 900, points: limits.account, keyPrefix: 'account' })
  const addresses = new RateLimiterMemory({ duration: 900, points: limits.address, keyPrefix: 'address' })
  const everywhere = new RateLimiterMemory({ duration: 3_600, points: limits.everywhere, keyPrefix: 'wrong' })
  const signUps = new RateLimiterMemory({ duration: 3_600, points: limits.signUps, keyPrefix: 'sign-up' })
  const signUpAttempts = new RateLimiterMemory({
    duration: 3_600,
    points: limits.signUpAttempts,
    keyPrefix: 'sign-up-attempt',
  })
  const letters = new RateLimiterMemory({ duration: 3_600, points: limits.letters, keyPrefix: 'letter' })
  const providers = new RateLimiterMemory({ duration: 900, points: limits.providers, keyPrefix: 'provider' })
  const resets = new RateLimiterMemory({ duration: 900, points: limits.resets, keyPrefix: 'reset' })

  async function count(attempt: SignInAttempt): Promise<void> {
    const { address, browser } = attempt
    await consume(addresses, address, 'Too many sign-in attempts from your address.')
    await consume(accounts, placeOf(attempt), 'Too many sign-in attempts from your address.')
    if (browser !== undefined) return
    const why = 'Too many wrong passwords or codes for this account.'
    const way = ' Or use a browser that has signed in to this account before.'
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
      if (made && made.consumedPoints >= limits.signUps)
        throw tooMany('Too many new accounts from your address.', made)
      await consume(signUpAttempts, address, 'Too many attempts to create an account from your address.')
    },
    signUp: (address) => consume(signUps, address, 'Too many new accounts from your address.'),
    provider: (address) => consume(providers, address, 'Too many sign-in attempts from your address.'),
    mayMail: (email) =>
      letters.consume(accountOf({ email, address: '' })).then(
        () => true,
        () => false,
      ),
    reset: (address) =>
      consume(resets, address, 'Too many requests for password reset links from your address.'),
  }
}

/** A hash, so that a long name needs no more memory than a short one. */
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
