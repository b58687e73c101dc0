import { sql } from 'drizzle-orm'
import { lockAccount } from '../accounts/accounts.ts'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import { insufficient } from './insufficient.ts'
import { findReachedCap, keyCapReached } from './key-spending.ts'
import { recordMovement } from './ledger.ts'
import { ensureAllowance } from './pools.ts'

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
  const { rows } = await executor.execute<{ available: string; at: Date }>(
    sql`select spendable(${accountId}) + case when allowance_given(${accountId}) then 0 else ${plan.monthlyMicros}::bigint end
      as available, now() as at`,
  )
  const available = BigInt(rows[0]?.available ?? 0)
  const at = new Date(rows[0]?.at ?? 0)
  await requireRoom(executor, { accountId, keyId, micros, at })
  if (available < micros) throw insufficient(micros, available, at, need)
}

/** Checks the spending caps of the key. The key's row stays locked to the end of the transaction. */
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

type Drawn = {
  readonly enough: boolean
  readonly available: string
  readonly pools: readonly string[] | null
  readonly parts: readonly string[] | null
  readonly at: string
}

/**
 * Charges work that has been done. A hold and its charge are one transaction, so nothing is held if the process ends.
 * @param executor the caller's transaction.
 * @throws ServiceError `insufficient_credits` or `key_cap_reached` if other work has spent the credits meanwhile. Nothing is charged then, and
 *   the caller must not hand over the result.
 */
export async function chargeDirectly(
  executor: Executor,
  { accountId, keyId, plan, micros, facts }: DirectCharge,
): Promise<void> {
  if (micros === 0n) return
  await lockAccount(executor, accountId)
  await ensureAllowance(executor, accountId, plan)
  await requireRoom(executor, { accountId, keyId, micros, at: new Date() })
  const { rows } = await executor.execute<Drawn>(sql`
    select enough, available, pools, parts, now() as at
    from draw_credits(${accountId}, null, 'hold', null, ${micros}, ${micros}, 1)`)
  const [drawn] = rows
  if (!drawn) throw new Error('draw_credits returned no row')
  if (!drawn.enough) throw insufficient(micros, BigInt(drawn.available), new Date(drawn.at), need)
  const parts = (drawn.pools ?? []).map((poolId, index) => ({
    poolId: BigInt(poolId),
    micros: BigInt(drawn.parts?.[index] ?? 0),
  }))
  await recordMovement(executor, {
    accountId,
    runId: null,
    kind: 'charge',
    from: 'held',
    to: 'spent',
    parts,
    facts,
  })
}
