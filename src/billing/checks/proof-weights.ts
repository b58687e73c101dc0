import { randomInt } from 'node:crypto'
import { ledgers } from '../../db/schema/index.ts'
import { type Ledger, movements } from '../ledger.ts'

/** Random weights for one check, as SQL expressions. Sums are compared modulo the prime. */
export type Weights = {
  /** Small enough that the product of two remainders fits a bigint. */
  readonly prime: number
  /** The weight of a number, and of a text: from 1 to 2^30. */
  readonly ofNumber: (value: string) => string
  readonly ofText: (value: string) => string
  /** Random weights of each ledger: one for credits that enter it, one for credits that leave it. */
  readonly ofLedger: ReadonlyMap<Ledger, { readonly into: number; readonly outOf: number }>
}

/**
 * The largest primes below 2^31. If the drawn prime divides a difference, the next check finds it with another
 * prime.
 */
const primes = [2_147_483_647, 2_147_483_629, 2_147_483_587, 2_147_483_579, 2_147_483_563]

export function drawWeights(): Weights {
  const seed = randomInt(2 ** 47)
  const draw = () => randomInt(1, 2 ** 30)
  return {
    prime: primes[randomInt(primes.length)] ?? 2_147_483_647,
    ofNumber: (value) => `((hashint8extended(${value}, ${seed}) & 1073741823) + 1)`,
    ofText: (value) => `((hashtextextended(${value}, ${seed}) & 1073741823) + 1)`,
    ofLedger: new Map(ledgers.map((ledger) => [ledger, { into: draw(), outOf: draw() }])),
  }
}

/** SQL for the weight of the column `ledger`, for one direction. */
export function ledgerWeight({ ofLedger }: Weights, side: 'into' | 'outOf'): string {
  const cases = [...ofLedger].map(([ledger, weight]) => `when '${ledger}' then ${weight[side]}`)
  return `(case ledger ${cases.join(' ')} end)`
}

/** The weighted sum of a transaction of this kind with amount 1: it leaves one ledger and enters another. */
export function kindWeight({ ofLedger }: Weights, kind: keyof typeof movements): bigint {
  const [from, to] = movements[kind]
  return BigInt(ofLedger.get(to)?.into ?? 0) - BigInt(ofLedger.get(from)?.outOf ?? 0)
}
