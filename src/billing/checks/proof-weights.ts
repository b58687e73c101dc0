import { randomInt } from 'node:crypto'
import { ledgers } from '../../db/schema/index.ts'
import { type Ledger, movements } from '../ledger.ts'

/** Random weights of one check, as SQL. Sums are compared modulo the prime. */
export type Weights = {
  /** The product of two remainders fits into a bigint. */
  readonly prime: number
  /** From 1 to 2^30, for a number and for a text. */
  readonly ofNumber: (value: string) => string
  readonly ofText: (value: string) => string
  /** Of what comes into a ledger and of what leaves it. */
  readonly ofLedger: ReadonlyMap<Ledger, { readonly into: number; readonly outOf: number }>
}

/** The largest primes below 2^31: a difference that one of them divides is found by the next check. */
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

/** SQL for the weight of the column `ledger`, on one side. */
export function ledgerWeight({ ofLedger }: Weights, side: 'into' | 'outOf'): string {
  const cases = [...ofLedger].map(([ledger, weight]) => `when '${ledger}' then ${weight[side]}`)
  return `(case ledger ${cases.join(' ')} end)`
}

/** What the entries of a transaction of this kind and of amount 1 come to: one leaves a ledger, one comes into another. */
export function kindWeight({ ofLedger }: Weights, kind: keyof typeof movements): bigint {
  const [from, to] = movements[kind]
  return BigInt(ofLedger.get(to)?.into ?? 0) - BigInt(ofLedger.get(from)?.outOf ?? 0)
}
