import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { creditEntries, creditPools, creditTransactions, holds } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'
import { drawFrom, lockPools, type Part, recordMovement, sumOf } from './ledger.ts'
import { nextRenewal, notExpired, poolExpiry } from './pools.ts'

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
  const { accountId, runId, micros } = hold
  const parts = await takeAvailable(executor, accountId, micros)
  await executor.insert(holds).values({
    runId,
    accountId,
    amountMicros: micros,
    expiresAt: sql`now() + make_interval(secs => ${hold.seconds})` as unknown as Date,
  })
  await recordMovement(executor, { accountId, runId, kind: 'hold', from: 'available', to: 'held', parts })
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
  const parts = await takeAvailable(executor, accountId, micros)
  await executor
    .update(holds)
    .set({ amountMicros: sql`${holds.amountMicros} + ${micros}` })
    .where(eq(holds.runId, runId))
  await recordMovement(executor, {
    accountId,
    runId,
    kind: 'extend',
    from: 'available',
    to: 'held',
    parts,
    step,
  })
}

async function takeAvailable(executor: Executor, accountId: string, micros: bigint): Promise<Part[]> {
  const pools = await executor
    .select({
      poolId: creditPools.id,
      micros: creditPools.availableMicros,
      expiry: sql<number>`coalesce(extract(epoch from ${creditPools.expiresAt})::float8, 'infinity')`,
    })
    .from(creditPools)
    .where(and(eq(creditPools.accountId, accountId), gt(creditPools.availableMicros, 0n), notExpired))
    .orderBy(asc(creditPools.id))
    .for('update')
  const available = sumOf(pools)
  if (available < micros) {
    const renewal = (await nextRenewal(executor)).toISOString().slice(0, 10)
    throw new ServiceError(
      'insufficient_credits',
      `The turn needs ${creditsText(micros)} credits set aside and the account has ${creditsText(available)}. Add credits; the plan's allowance renews on ${renewal} (UTC).`,
    )
  }
  const byExpiry = pools.toSorted(
    (a, b) => Number(a.expiry) - Number(b.expiry) || (a.poolId < b.poolId ? -1 : 1),
  )
  return drawFrom(byExpiry, micros)
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
  const parts = await heldParts(executor, runId)
  await lockPools(
    executor,
    parts.map((part) => part.poolId),
  )
  const charge = chargeMicros ?? 0n
  const total = sumOf(parts)
  if (charge > total) throw new Error(`charge of ${charge} above the hold of ${total} for ${runId}`)
  const charged = drawFrom(parts, charge)
  const rest = parts
    .map(({ poolId, micros }) => ({
      poolId,
      micros: micros - (charged.find((part) => part.poolId === poolId)?.micros ?? 0n),
    }))
    .filter((part) => part.micros > 0n)
  if (chargeMicros !== null) {
    const movement = { accountId, runId, kind: 'charge', from: 'held', to: 'spent' } as const
    await recordMovement(executor, { ...movement, parts: charged, facts })
  }
  const movement = { accountId, runId, kind: 'release', from: 'held', to: 'available' } as const
  await recordMovement(executor, { ...movement, parts: rest })
  await executor.update(holds).set({ settledAt: sql`now()` }).where(eq(holds.runId, runId))
}

/** What a run holds, by pool. What expires first is spent first, so that what comes back lasts longest. */
async function heldParts(executor: Executor, runId: string): Promise<Part[]> {
  const rows = await executor
    .select({ poolId: creditPools.id, micros: sql<string>`sum(${creditEntries.amountMicros})` })
    .from(creditEntries)
    .innerJoin(creditTransactions, eq(creditTransactions.id, creditEntries.transactionId))
    .innerJoin(creditPools, eq(creditPools.id, creditEntries.poolId))
    .where(and(eq(creditTransactions.runId, runId), eq(creditEntries.ledger, 'held')))
    .groupBy(creditPools.id)
    .orderBy(poolExpiry, asc(creditPools.id))
  return rows.map((row) => ({ poolId: row.poolId, micros: BigInt(row.micros) }))
}
