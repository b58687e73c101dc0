import { ServiceError } from '../errors.ts'

/**
 * Length and guessability only, and no rules about kinds of characters (NIST SP 800-63B, section 3.1.1.2). The length
 * is counted in characters, and nothing is cut off.
 */
export const passwordLength = Object.freeze({ min: 8, max: 200 })

/** zxcvbn's score from 0 to 4: below 2, fewer than 10^6 guesses are enough. */
const leastScore = 2

type Estimator = { check(password: string, inputs: string[]): { readonly score: number } }
let estimator: Promise<Estimator> | undefined

/**
 * @param inputs words that belong to the account, such as its address: they make no password.
 * @throws ServiceError `invalid_value` that says what is wrong with it.
 */
export async function requireGoodPassword(password: string, inputs: readonly string[]): Promise<void> {
  const length = [...password].length
  if (length < passwordLength.min) {
    throw refuse(
      `A password has at least ${passwordLength.min} characters. A few words in a row make a good one.`,
    )
  }
  if (length > passwordLength.max) throw refuse(`A password has at most ${passwordLength.max} characters.`)
  estimator ??= openEstimator()
  const { score } = (await estimator).check(password, [...inputs])
  if (score < leastScore) {
    throw refuse(
      'This password is among the first that would be guessed. A few unrelated words make a better one.',
    )
  }
}

function refuse(message: string): ServiceError {
  return new ServiceError('invalid_value', message, { param: 'password' })
}

/** Loaded when the first password is chosen: most processes never see one. */
async function openEstimator(): Promise<Estimator> {
  const [{ ZxcvbnFactory }, common] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
}
