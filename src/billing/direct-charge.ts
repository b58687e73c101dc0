import { sql } from 'drizzle-orm'
import { accountSuspended, lockAccount } from '../accounts/accounts.ts'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import type { ServiceError } from '../errors.ts'
import { availableIn, chargeAccount, creditsOf, ensureAllowance, spendableOf } from './account-credits.ts'
import { insufficient } from './insufficient.ts'
import { findReachedCap, keyCapReached } from './key-spending.ts'

/** A charge for work that is no turn. */
export type DirectCharge = {
  readonly accountId: string
  readonly keyId: string | null
  readonly plan: Plan
  readonly micros: bigint
  /** What usage reports show of it. */
  readonly facts: Readonly<Record<string, unknown>>
}

const need = 'The request costs'

/**
 * Checks that the account can pay, before the work is done.
 * @throws ServiceError `insufficient_credits`, `key_cap_reached`.
 */
export async function requireCredits(executor: Executor, charge: Omit<DirectCharge, 'facts'>): Promise<void> {
  const { accountId, plan } = charge
  const { refusal } = await payable(executor, charge, await spendableOf(executor, accountId, plan))
  if (refusal) throw refusal
}

type Payable = { readonly micros: bigint; readonly refusal?: ServiceError }

/** What the credits and the spending caps of the key allow of a charge, with the error if that is not all of it. */
async function payable(
  executor: Executor,
  { accountId, keyId, micros }: Pick<DirectCharge, 'accountId' | 'keyId' | 'micros'>,
  available: bigint,
): Promise<Payable> {
  const at = await clock(executor)
  const capFor = (wanted: bigint) =>
    keyId === null ? undefined : findReachedCap(executor, { accountId, keyId, micros: wanted })
  const first = await capFor(micros)
  let paid = least(available, micros)
  // The first cap found need not be the lowest.
  for (let cap = first; cap && paid > 0n; cap = await capFor(paid)) {
    paid = cap.roomMicros > 0n ? least(cap.roomMicros, paid) : 0n
  }
  if (first) return { micros: paid, refusal: keyCapReached(first, micros, at, need) }
  if (available < micros) return { micros: paid, refusal: insufficient(micros, available, at, need) }
  return { micros }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The database's time. */
async function clock(executor: Executor): Promise<Date> {
  const { rows } = await executor.execute<{ at: Date }>(sql`select now() as at`)
  return new Date(rows[0]?.at ?? 0)
}

/**
 * Charges work that has been done. If other work has spent the credits meanwhile, it charges what is left, because the
 * operator has paid for the work.
 * @param executor the caller's transaction, which must be committed.
 * @returns `insufficient_credits` or `key_cap_reached` if the work is not paid whole. The caller must not hand over its
 *   result.
 * @throws ServiceError `account_suspended`, and charges nothing.
 */
export async function chargeDirectly(
  executor: Executor,
  charge: DirectCharge,
): Promise<ServiceError | undefined> {
  const { accountId, plan } = charge
  const { suspendedAt } = await lockAccount(executor, accountId)
  if (suspendedAt) throw accountSuspended()
  await ensureAllowance(executor, accountId, plan)
  const available = availableIn(await creditsOf(executor, accountId))
  const { micros, refusal } = await payable(executor, charge, available)
  if (micros > 0n) await chargeAccount(executor, { ...charge, micros })
  return refusal
}
