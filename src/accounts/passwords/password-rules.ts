import { ServiceError } from '../../errors.ts'
import { type Job, runJob } from '../../threads.ts'
import type { StrengthInput } from './password-strength.ts'

/**
 * Length and guessability only, and no rules about kinds of characters (NIST SP 800-63B, section 3.1.1.2). The length
 * is counted in characters, and nothing is cut off.
 */
export const passwordLength = Object.freeze({ min: 8, max: 200 })

/** zxcvbn's score from 0 to 4: below 2, fewer than 10^6 guesses are enough. */
const minScore = 2

/** zxcvbn's time grows with the square of the length. A password is as strong as its first 64 characters at least. */
const measuredCharacters = 64

const strength: Job = {
  file: new URL('./password-strength.ts', import.meta.url),
  lane: 'short',
  maxMs: 10_000,
}

/**
 * Cheap checks first, then the strength, measured in a thread.
 * @param inputs words that belong to the account, such as its address: they make no password.
 * @throws ServiceError `invalid_value` that says what is wrong with it; `overloaded` when too many wait.
 */
export async function requireGoodPassword(password: string, inputs: readonly string[]): Promise<void> {
  const characters = [...password]
  if (characters.length < passwordLength.min) {
    throw refuse(
      `A password has at least ${passwordLength.min} characters. A few words in a row make a good one.`,
    )
  }
  if (characters.length > passwordLength.max) {
    throw refuse(`A password has at most ${passwordLength.max} characters.`)
  }
  const measured: StrengthInput = { password: characters.slice(0, measuredCharacters).join(''), inputs }
  if ((await runJob<StrengthInput, number>(strength, measured)) < minScore) {
    throw refuse(
      'This password is among the first that would be guessed. A few unrelated words make a better one.',
    )
  }
}

function refuse(message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param: 'password' })
}
