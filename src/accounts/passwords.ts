import argon2 from 'argon2'

/** argon2id with the OWASP minimum: 19 MiB, two passes, one lane. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash keeps a thread busy for some 30 ms: more at once would stall every other job of the thread pool. */
const maxAtOnce = 2
let running = 0
const waiting: (() => void)[] = []

/** Encoded with its parameters and salt. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => argon2.hash(password, parameters))
}

async function bounded<T>(job: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await job()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
