import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import pLimit from 'p-limit'
import { ServiceError } from '../../errors.ts'

/** argon2id with the OWASP minimum: 19 MiB, two passes, one lane. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * Each hash occupies a thread for about 30 ms. The limit leaves the thread pool usable, and keeps one processor
 * for turns during a flood of sign-ins.
 */
const maxAtOnce = Math.max(1, Math.min(2, availableParallelism() - 1))
/**
 * About three seconds of work. Later callers get an error immediately instead of waiting until their browser
 * gives up.
 */
const maxWaiting = 100
const limit = pLimit(maxAtOnce)

/**
 * Returns the hash with its parameters and salt.
 * @throws ServiceError `overloaded` if too many hashes are waiting.
 */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => argon2.hash(password, parameters))
}

/** Hash for unknown accounts, so that an answer takes the same time as for a known account. */
let nobody: Promise<string> | undefined

/** Stands in the place of a hash for an account whose owner signs in by a provider alone. No password matches it. */
export const noPassword = 'none'

/**
 * Whether the password matches the hash. Without a hash it does the same work and returns false.
 * @throws ServiceError `overloaded` if too many are waiting.
 */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  nobody ??= argon2.hash('nobody has this password', parameters)
  // A deleted account has an empty hash.
  const known = hash === noPassword ? '' : hash
  const against = known || (await nobody)
  const equal = await bounded(() => argon2.verify(against, password))
  return equal && Boolean(known)
}

async function bounded<T>(job: () => Promise<T>): Promise<T> {
  if (limit.pendingCount >= maxWaiting) {
    throw new ServiceError('overloaded', 'Too many people are signing in. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    })
  }
  return limit(job)
}
