import { and, asc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import { creditPools } from '../db/schema/index.ts'
import { recordMovement } from './ledger.ts'

export type Balance = { readonly availableMicros: bigint; readonly heldMicros: bigint }

/** SQL condition: the pool has not expired. */
export const notExpired = or(isNull(creditPools.expiresAt), gt(creditPools.expiresAt, sql`now()`))

/** Order by expiry; pools that never expire come last. */
const poolExpiry = sql`coalesce(${creditPools.expiresAt}, 'infinity')`

/**
 * Grants credits outside the plan.
 * @param micros more than zero.
 * @param expiresAt null: the credits do not expire.
 */
export async function grantCredits(
  executor: Executor,
  accountId: string,
  micros: bigint,
  expiresAt: Date | null = null,
): Promise<void> {
  const [pool] = await executor
    .insert(creditPools)
    .values({ accountId, kind: 'grant', availableMicros: micros, expiresAt })
    .returning({ id: creditPools.id })
  if (!pool) throw new Error('insert returned no row')
  const parts = [{ poolId: pool.id, micros }]
  await recordMovement(executor, {
    ...{ accountId, runId: null, kind: 'grant', from: 'issued', to: 'available', parts },
  })
}

/**
 * Grants this calendar month's allowance (UTC, by the database's clock), unless it has been granted. It then
 * also takes back the remaining credits of expired pools.
 */
export async function ensureAllowance(executor: Executor, accountId: string, plan: Plan): Promise<void> {
  await executor.execute(sql`select ensure_allowance(${accountId}, ${plan.monthlyMicros})`)
}

/**
 * Grants the difference to a higher plan for the rest of the month. If this month's allowance has not been
 * granted yet, the new plan's allowance is granted later. A lower plan takes nothing back before the month
 * ends.
 */
export async function raiseAllowance(
  executor: Executor,
  accountId: string,
  from: Plan,
  to: Plan,
): Promise<void> {
  const more = to.monthlyMicros - from.monthlyMicros
  if (more <= 0n) return
  const { rows } = await executor.execute<{ given: boolean }>(
    sql`select allowance_given(${accountId}) as given`,
  )
  if (!rows[0]?.given) return
  await grantCredits(executor, accountId, more, await nextRenewal(executor))
}

/** The first instant of the next month (UTC), by the database's clock: when the next allowance is granted. */
export async function nextRenewal(executor: Executor): Promise<Date> {
  const { rows } = await executor.execute<{ at: Date }>(
    sql`select date_trunc('month', now(), 'UTC') + interval '1 month' as at`,
  )
  return new Date(rows[0]?.at ?? 0)
}

export type Pool = {
  readonly id: bigint
  readonly kind: 'allowance' | 'grant'
  readonly availableMicros: bigint
  readonly heldMicros: bigint
  /** Null: the credits do not expire. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
}

/** Lists the pools that are usable or partly held, in the order in which turns draw from them. */
export function listPools(executor: Executor, accountId: string): Promise<Pool[]> {
  return executor
    .select({
      id: creditPools.id,
      kind: creditPools.kind,
      availableMicros: creditPools.availableMicros,
      heldMicros: creditPools.heldMicros,
      expiresAt: creditPools.expiresAt,
      createdAt: creditPools.createdAt,
    })
    .from(creditPools)
    .where(
      and(
        eq(creditPools.accountId, accountId),
        or(and(notExpired, gt(creditPools.availableMicros, 0n)), gt(creditPools.heldMicros, 0n)),
      ),
    )
    .orderBy(poolExpiry, asc(creditPools.id))
}

/** Sums what the account can spend and what its running turns hold. */
export async function balanceOf(executor: Executor, accountId: string): Promise<Balance> {
  const [sums] = await executor
    .select({
      available: sql<string>`coalesce(sum(${creditPools.availableMicros}) filter (where ${notExpired}), 0)`,
      held: sql<string>`coalesce(sum(${creditPools.heldMicros}), 0)`,
    })
    .from(creditPools)
    .where(eq(creditPools.accountId, accountId))
  return { availableMicros: BigInt(sums?.available ?? 0), heldMicros: BigInt(sums?.held ?? 0) }
}

/** Available micro-credits by account. An account that never had credits is missing. */
export async function availableOf(
  executor: Executor,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (accountIds.length === 0) return new Map()
  const rows = await executor
    .select({ id: creditPools.accountId, micros: sql<string>`sum(${creditPools.availableMicros})` })
    .from(creditPools)
    .where(and(inArray(creditPools.accountId, [...accountIds]), notExpired))
    .groupBy(creditPools.accountId)
  return new Map(rows.map(({ id, micros }) => [id, BigInt(micros)]))
}
