import { and, asc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Plan } from '../accounts/plans.ts'
import type { Executor } from '../db/client.ts'
import { creditEntries, creditPools, creditTransactions, holds } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { creditsText } from './credits.ts'

/**
 * Double entry over four ledgers. Every transaction sums to zero:
 *
 *     grant, allowance   issued -> available
 *     hold               available -> held
 *     charge, release    held -> spent, held -> available
 *
 * All functions run in the caller's transaction and lock the account's pools in the order of their ids.
 */
type Ledger = (typeof creditEntries.$inferInsert)['ledger']
type Kind = (typeof creditTransactions.$inferInsert)['kind']
type Part = { readonly poolId: bigint; readonly micros: bigint }

export type Balance = { readonly availableMicros: bigint; readonly heldMicros: bigint }

const poolExpiry = sql<number>`coalesce(extract(epoch from ${creditPools.expiresAt})::float8, 'infinity')`
const notExpired = or(isNull(creditPools.expiresAt), gt(creditPools.expiresAt, sql`now()`))

/** Credits that do not renew. @param micros more than zero. */
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
  await record(executor, accountId, null, 'grant', 'issued', 'available', [{ poolId: pool.id, micros }])
}

/** Makes sure that this calendar month's allowance (UTC, on the database's clock) has been given, once. */
export async function ensureAllowance(executor: Executor, accountId: string, plan: Plan): Promise<void> {
  if (plan.monthlyMicros === 0n) return
  const monthStart = sql`date_trunc('month', now(), 'UTC')`
  const [known] = await executor
    .select({ id: creditPools.id })
    .from(creditPools)
    .where(and(eq(creditPools.accountId, accountId), eq(creditPools.periodStart, monthStart)))
  if (known) return
  const [pool] = await executor
    .insert(creditPools)
    .values({
      accountId,
      kind: 'allowance',
      periodStart: monthStart as unknown as Date,
      expiresAt: sql`date_trunc('month', now(), 'UTC') + interval '1 month'` as unknown as Date,
      availableMicros: plan.monthlyMicros,
    })
    .onConflictDoNothing()
    .returning({ id: creditPools.id })
  if (!pool) return
  const part = { poolId: pool.id, micros: plan.monthlyMicros }
  await record(executor, accountId, null, 'allowance', 'issued', 'available', [part])
}

/** When the next allowance is given: the first instant of the next month (UTC), by the database's clock. */
export async function nextRenewal(executor: Executor): Promise<Date> {
  const [row] = (
    await executor.execute<{ at: Date }>(
      sql`select date_trunc('month', now(), 'UTC') + interval '1 month' as at`,
    )
  ).rows
  return new Date(row?.at ?? 0)
}

/** What the account can still spend, and what its running turns have set aside. */
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
  const pools = await executor
    .select({
      id: creditPools.id,
      available: creditPools.availableMicros,
      expiry: poolExpiry,
    })
    .from(creditPools)
    .where(and(eq(creditPools.accountId, hold.accountId), gt(creditPools.availableMicros, 0n), notExpired))
    .orderBy(asc(creditPools.id))
    .for('update')
  const available = pools.reduce((sum, pool) => sum + pool.available, 0n)
  if (available < hold.micros) {
    throw new ServiceError(
      'insufficient_credits',
      `A turn needs ${creditsText(hold.micros)} credits set aside and the account has ${creditsText(available)}. Add credits, or wait for the allowance to renew at the start of the next month (UTC).`,
    )
  }
  const byExpiry = pools.toSorted((a, b) => Number(a.expiry) - Number(b.expiry) || (a.id < b.id ? -1 : 1))
  const parts = draw(
    byExpiry.map((pool) => ({ poolId: pool.id, micros: pool.available })),
    hold.micros,
  )
  await executor.insert(holds).values({
    runId: hold.runId,
    accountId: hold.accountId,
    amountMicros: hold.micros,
    expiresAt: sql`now() + make_interval(secs => ${hold.seconds})` as unknown as Date,
  })
  await record(executor, hold.accountId, hold.runId, 'hold', 'available', 'held', parts)
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
  // Spent is what expires first, so that what comes back lasts longest.
  const held = await executor
    .select({
      poolId: creditPools.id,
      micros: sql<string>`sum(${creditEntries.amountMicros})`,
      expiry: poolExpiry,
    })
    .from(creditEntries)
    .innerJoin(creditTransactions, eq(creditTransactions.id, creditEntries.transactionId))
    .innerJoin(creditPools, eq(creditPools.id, creditEntries.poolId))
    .where(and(eq(creditTransactions.runId, run.runId), eq(creditEntries.ledger, 'held')))
    .groupBy(creditPools.id)
    .orderBy(poolExpiry, asc(creditPools.id))
  const parts = held.map((row) => ({ poolId: row.poolId, micros: BigInt(row.micros) }))
  await lockPools(
    executor,
    parts.map((part) => part.poolId),
  )
  const total = sumOf(parts)
  const charge = run.chargeMicros ?? 0n
  if (charge > total) throw new Error(`charge of ${charge} above the hold of ${total} for ${run.runId}`)
  const charged = draw(parts, charge)
  const rest = parts.map((part) => ({
    poolId: part.poolId,
    micros: part.micros - (charged.find((c) => c.poolId === part.poolId)?.micros ?? 0n),
  }))
  const { accountId, runId } = run
  if (run.chargeMicros !== null)
    await record(executor, accountId, runId, 'charge', 'held', 'spent', charged, run.facts)
  await record(
    executor,
    accountId,
    runId,
    'release',
    'held',
    'available',
    rest.filter((part) => part.micros > 0n),
  )
  await executor.update(holds).set({ settledAt: sql`now()` }).where(eq(holds.runId, runId))
}

/** In the one order in which everybody locks, or two settlements could wait for each other. */
async function lockPools(executor: Executor, poolIds: readonly bigint[]): Promise<void> {
  if (poolIds.length < 2) return
  await executor
    .select({ id: creditPools.id })
    .from(creditPools)
    .where(inArray(creditPools.id, [...poolIds]))
    .orderBy(asc(creditPools.id))
    .for('update')
}

/** Takes `micros` from the parts in their order. The caller has made sure that they suffice. */
function draw(parts: readonly Part[], micros: bigint): Part[] {
  let missing = micros
  const drawn: Part[] = []
  for (const part of parts) {
    if (missing === 0n) break
    const take = part.micros < missing ? part.micros : missing
    drawn.push({ poolId: part.poolId, micros: take })
    missing -= take
  }
  return drawn
}

/** Writes one transaction with its entries and moves the pools' sums by the same amounts. */
async function record(
  executor: Executor,
  accountId: string,
  runId: string | null,
  kind: Kind,
  from: Ledger,
  to: Ledger,
  parts: readonly Part[],
  facts: Readonly<Record<string, unknown>> | null = null,
): Promise<void> {
  const [transaction] = await executor
    .insert(creditTransactions)
    .values({ accountId, runId, kind, amountMicros: sumOf(parts), facts })
    .returning({ id: creditTransactions.id })
  if (!transaction) throw new Error('insert returned no row')
  const transactionId = transaction.id
  for (const { poolId, micros } of parts) {
    await executor.insert(creditEntries).values([
      { transactionId, poolId, accountId, ledger: from, amountMicros: -micros },
      { transactionId, poolId, accountId, ledger: to, amountMicros: micros },
    ])
    const change = poolChange(from, to, micros)
    if (change) await executor.update(creditPools).set(change).where(eq(creditPools.id, poolId))
  }
}

/** New pools are inserted with their credits in them, so issuing moves no sum. */
function poolChange(from: Ledger, to: Ledger, micros: bigint) {
  if (from === 'issued') return undefined
  const { availableMicros, heldMicros } = creditPools
  return {
    ...(from === 'available' && { availableMicros: sql`${availableMicros} - ${micros}` }),
    ...(to === 'available' && { availableMicros: sql`${availableMicros} + ${micros}` }),
    ...(from === 'held' && { heldMicros: sql`${heldMicros} - ${micros}` }),
    ...(to === 'held' && { heldMicros: sql`${heldMicros} + ${micros}` }),
  }
}

function sumOf(parts: readonly Part[]): bigint {
  return parts.reduce((sum, part) => sum + part.micros, 0n)
}
