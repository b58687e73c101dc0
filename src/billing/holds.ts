import type { Executor } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { extendHoldAlone, placeHoldAlone, settleHoldAlone } from './hold-statements.ts'
import { nextRenewal } from './pools.ts'

/**
 * Sets credits aside for a run, from the pools that expire first.
 * @throws ServiceError `insufficient_credits` when the account has less than `micros`.
 */
export async function placeHold(
  executor: Executor,
  hold: {
    readonly accountId: string
    readonly runId: string
    readonly micros: bigint
    readonly seconds: number
  },
): Promise<void> {
  const { accountId, runId, micros, seconds } = hold
  const [offer] = await placeHoldAlone(executor, {
    ...{ accountId, runId },
    holdMicros: micros,
    holdSeconds: seconds,
  })
  if (!offer?.enough) throw await insufficient(executor, micros, BigInt(offer?.available ?? 0))
}

/** What an account is told that has less than a turn needs. */
export async function insufficient(
  executor: Executor,
  micros: bigint,
  available: bigint,
): Promise<ServiceError> {
  const renewal = (await nextRenewal(executor)).toISOString().slice(0, 10)
  return new ServiceError(
    'insufficient_credits',
    `The turn needs ${creditsText(micros)} credits set aside and the account has ${creditsText(available)}. Add credits; the plan's allowance renews on ${renewal} (UTC).`,
  )
}

/**
 * Sets more credits aside for a running turn, before the step of that number.
 * @throws ServiceError `insufficient_credits`; the hold is then as it was.
 */
export async function extendHold(
  executor: Executor,
  hold: {
    readonly accountId: string
    readonly runId: string
    readonly micros: bigint
    readonly step: number
  },
): Promise<void> {
  const { accountId, runId, micros, step } = hold
  const [offer] = await extendHoldAlone(executor, { accountId, runId, holdMicros: micros, beforeStep: step })
  if (!offer?.enough) throw await insufficient(executor, micros, BigInt(offer?.available ?? 0))
}

/**
 * Ends a run's hold: charges `chargeMicros` of it and gives the rest back. `null` charges nothing and leaves no
 * charge row. Calling it for a run whose hold has ended is refused by the unique key of its rows.
 * @throws Error when the charge would exceed the hold.
 */
export async function settleHold(
  executor: Executor,
  run: {
    readonly accountId: string
    readonly runId: string
    readonly chargeMicros: bigint | null
    /** Kept with the charge: what it was for. */
    readonly facts: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const { accountId, runId, chargeMicros, facts } = run
  const [settled] = await settleHoldAlone(executor, { accountId, runId, chargeMicros, facts })
  requireCovered(runId, chargeMicros ?? 0n, BigInt(settled?.held ?? 0))
}

/** @throws Error, by which the transaction is rolled back, when a charge exceeds what was held for it. */
export function requireCovered(runId: string, charge: bigint, held: bigint): void {
  if (charge > held) throw new Error(`charge of ${charge} above the hold of ${held} for ${runId}`)
}
