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

export type SignInLimits = ReturnType<typeof createSignInLimits>

const limiterOf = (keyPrefix: string, duration: number, points: number) =>
  new RateLimiterMemory({ keyPrefix, duration, points })

/**
 * Counts sign-in attempts and new accounts, in this process. Guesses from many addresses meet a limit of the account,
 * which the owner's own browsers do not meet: a stranger who uses it up locks out only other strangers. What counts
 * throws a ServiceError `rate_limit_exceeded` at its limit.
 */
export function createSignInLimits() {
  const accounts = limiterOf('account', 900, limits.account)
  const addresses = limiterOf('address', 900, limits.address)
  const everywhere = limiterOf('wrong', 3_600, limits.everywhere)
  const signUps = limiterOf('sign-up', 3_600, limits.signUps)
  const signUpAttempts = limiterOf('sign-up-attempt', 3_600, limits.signUpAttempts)
  const letters = limiterOf('letter', 3_600, limits.letters)
  const providers = limiterOf('provider', 900, limits.providers)
  const resets = limiterOf('reset', 900, limits.resets)

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
    /**
     * Checks a password within the limits. Attempts count before the check, so that concurrent ones gain
     * nothing; a success, or a failure for another reason, is not counted in the end.
     * @param check throws a ServiceError `invalid_value` when the password is wrong.
     * @throws what `check` throws.
     */
    async guard<T>(attempt: SignInAttempt, check: () => Promise<T>): Promise<T> {
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
    /** Counts a sign-up attempt before its password is checked. Also refuses an address at its limit of accounts. */
    async signUpAttempt(address: string): Promise<void> {
      const made = await signUps.get(address)
      if (made && made.consumedPoints >= limits.signUps)
        throw tooMany('Too many new accounts from your address.', made)
      await consume(signUpAttempts, address, 'Too many attempts to create an account from your address.')
    },
    /** Counts an account before it is created. */
    signUp: (address: string) => consume(signUps, address, 'Too many new accounts from your address.'),
    /** Counts a sign-in at a provider before it begins. */
    provider: (address: string) =>
      consume(providers, address, 'Too many sign-in attempts from your address.'),
    /** Counts a letter with a link, and says whether it may be sent: nobody can fill the mailbox of another. */
    mayMail: (email: string): Promise<boolean> =>
      letters.consume(accountOf({ email, address: '' })).then(
        () => true,
        () => false,
      ),
    /** Counts a request for a password reset link. */
    reset: (address: string) =>
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
