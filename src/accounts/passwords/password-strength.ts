import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { inThread } from '../../threads.ts'

/** The job of `password-rules`: loading the dictionaries and a hostile password each take a processor for some 200 ms. */

export type StrengthInput = {
  readonly password: string
  /** Words that belong to the account, such as its address: they make no password. */
  readonly inputs: readonly string[]
}

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** zxcvbn's score from 0 (guessed first) to 4. */
export const job = inThread(
  async ({ password, inputs }: StrengthInput): Promise<number> =>
    estimator.check(password, [...inputs]).score,
)
