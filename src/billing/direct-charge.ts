import { sql } from 'drizzle-orm'
import { lockAccount } from '../accounts/accounts.ts'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
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
export async function requireCredits(
  executor: Executor,
  { accountId, keyId, plan, micros }: Omit<DirectCharge, 'facts'>,
): Promise<void> {
  const available = await spendableOf(executor, accountId, plan)
  const at = await clock(executor)
  await requireRoom(executor, { accountId, keyId, micros, at })
  if (available < micros) throw insufficient(micros, available, at, need)
}

/** Checks the spending caps of the key. */
async function requireRoom(
  executor: Executor,
  {
    at,
    accountId,
    keyId,
    micros,
  }: Pick<DirectCharge, 'accountId' | 'keyId' | 'micros'> & { readonly at: Date },
): Promise<void> {
  if (keyId === null) return
  const cap = await findReachedCap(executor, { accountId, keyId, micros })
  if (cap) throw keyCapReached(cap, micros, at, need)
}

/** The database's time. */
async function clock(executor: Executor): Promise<Date> {
  const { rows } = await executor.execute<{ at: Date }>(sql`select now() as at`)
  return new Date(rows[0]?.at ?? 0)
}

/**
 * Charges work that has been done.
 * @param executor the caller's transaction.
 * @throws ServiceError `insufficient_credits` or `key_cap_reached` if other work has spent the credits meanwhile. Nothing is charged then, and
 *   the caller must not hand over the result.
 */
export async function chargeDirectly(executor: Executor, charge: DirectCharge): Promise<void> {
  const { accountId, keyId, plan, micros } = charge
  if (micros === 0n) return
  await lockAccount(executor, accountId)
  await ensureAllowance(executor, accountId, plan)
  const at = await clock(executor)
  await requireRoom(executor, { accountId, keyId, micros, at })
  const available = availableIn(await creditsOf(executor, accountId))
  if (available < micros) throw insufficient(micros, available, at, need)
  await chargeAccount(executor, charge)
}
