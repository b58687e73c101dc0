import { invalidValue, type ServiceError } from '../../errors.ts'
import { type Job, runJob } from '../../threads.ts'
import type { StrengthInput } from './password-strength.ts'

/**
 * Only length and guessability are checked, without rules about kinds of characters (NIST SP 800-63B, section
 * 3.1.1.2). The length counts characters, and passwords are never truncated.
 */
export const passwordLength = Object.freeze({ min: 8, max: 200 })

/** zxcvbn scores from 0 to 4. Below 2, fewer than 10^6 guesses are enough. */
const minScore = 2

/**
 * zxcvbn's running time is quadratic in the length. A password is at least as strong as its first 64
 * characters.
 */
const measuredCharacters = 64

const strength: Job = {
  file: new URL('./password-strength.ts', import.meta.url),
  lane: 'short',
  maxMs: 10_000,
}

/**
 * Checks a new password: first its length, then its strength in a thread.
 * @param inputs words that belong to the account, such as its address. They count as guessable.
 * @throws ServiceError `invalid_value` with the reason; `overloaded` if too many checks are waiting.
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
    throw refuse('Too easy to guess. A few unrelated words make a good password.')
  }
}

function refuse(message: string): ServiceError {
  return invalidValue(message, 'password')
}
