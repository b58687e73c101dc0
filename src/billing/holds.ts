import type { Executor } from '../db/client.ts'
import { statement } from '../db/statement.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { nextRenewal } from './pools.ts'

/**
 * The movements of a turn are functions of the database (`migrations/0007_turn_functions.sql`), which its start, its
 * larger holds and its end call themselves.
 */
type Offer = { readonly available: string; readonly enough: boolean }

const place = statement<Offer>(
  'place_hold',
  'select available, enough from place_hold(:accountId, :runId, :micros, :seconds)',
)
const extend = statement<Offer>(
  'extend_hold',
  'select available, enough from extend_hold(:accountId, :runId, :step, :micros)',
)
const settle = statement('settle_hold', 'select settle_hold(:accountId, :runId, :chargeMicros, :facts)')

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
  const [offer] = await place(executor, hold)
  if (!offer?.enough) throw await insufficient(executor, hold.micros, BigInt(offer?.available ?? 0))
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
  const [offer] = await extend(executor, hold)
  if (!offer?.enough) throw await insufficient(executor, hold.micros, BigInt(offer?.available ?? 0))
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
  await settle(executor, run)
}
