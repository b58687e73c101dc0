import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import { ServiceError } from '../../errors.ts'

/** argon2id with the OWASP minimum: 19 MiB, two passes, one lane. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * Each hash keeps a thread busy for some 30 ms. More at once would stall every other job of the thread pool, and a flood of
 * sign-ins must leave a processor to the turns.
 */
const maxAtOnce = Math.max(1, Math.min(2, availableParallelism() - 1))
/** Some three seconds of work. Who comes later is told at once, instead of waiting until the browser gives up. */
const maxWaiting = 100
let running = 0
const waiting: (() => void)[] = []

/** Encoded with its parameters and salt. @throws ServiceError `overloaded` when too many wait. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => argon2.hash(password, parameters))
}

/** What an unknown account's password is compared with, so that the answer takes as long as for a known one. */
let nobody: Promise<string> | undefined

/**
 * Whether the password is the one of the hash. Without a hash the same work is done and the answer is no.
 * @throws ServiceError `overloaded` when too many wait.
 */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  nobody ??= argon2.hash('nobody has this password', parameters)
  // A deleted account has an empty hash.
  const against = hash || (await nobody)
  const equal = await bounded(() => argon2.verify(against, password))
  return equal && Boolean(hash)
}

async function bounded<T>(job: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) {
    if (waiting.length >= maxWaiting) {
      throw new ServiceError('overloaded', 'Too many people are signing in. Try again in a few seconds.', {
        retryAfterSeconds: 5,
      })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await job()
  } finally {
    // The place goes to the next one directly: nobody who comes in between can take it.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
