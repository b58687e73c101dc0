import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { inThread } from '../../threads.ts'

/**
 * Input of the job that measures strength. It runs in a thread, because loading the dictionaries, or a hostile
 * password, takes about 200 ms of processor time.
 */

export type StrengthInput = {
  readonly password: string
  /** Words that belong to the account, such as its address. They count as guessable. */
  readonly inputs: readonly string[]
}

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Returns zxcvbn's score from 0 (guessed first) to 4. */
export const job = inThread(
  async ({ password, inputs }: StrengthInput): Promise<number> =>
    estimator.check(password, [...inputs]).score,
)
