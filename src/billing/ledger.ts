import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import {
  creditEntries,
  creditPools,
  type creditTransactionKinds,
  creditTransactions,
} from '../db/schema/index.ts'

/**
 * Double entry over four ledgers; every transaction sums to zero:
 *
 *     grant, allowance   issued -> available
 *     hold, extend       available -> held
 *     charge             held -> spent
 *     release            held -> available
 *     expire, take_back  available -> issued
 *
 * All functions run in the caller's transaction. All code locks pools in the order of their ids.
 */
export type Ledger = (typeof creditEntries.$inferInsert)['ledger']

/** The ledgers between which each kind of transaction moves credits. */
export const movements: Readonly<
  Record<(typeof creditTransactionKinds)[number], readonly [from: Ledger, to: Ledger]>
> = {
  grant: ['issued', 'available'],
  allowance: ['issued', 'available'],
  hold: ['available', 'held'],
  extend: ['available', 'held'],
  charge: ['held', 'spent'],
  release: ['held', 'available'],
  expire: ['available', 'issued'],
  take_back: ['available', 'issued'],
}

/** An amount of credits in one pool. */
export type Part = { readonly poolId: bigint; readonly micros: bigint }

export type Movement = {
  readonly accountId: string
  readonly runId: string | null
  readonly kind: (typeof creditTransactions.$inferInsert)['kind']
  readonly from: Ledger
  readonly to: Ledger
  readonly parts: readonly Part[]
  /** Of a charge: what usage reports show of it. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/**
 * Writes one transaction with its entries, and changes the sums of the pools accordingly.
 * @throws the database's unique violation if the run already has a movement of this kind.
 */
export async function recordMovement(executor: Executor, movement: Movement): Promise<void> {
  const { accountId, runId, kind, from, to, parts, facts = null } = movement
  const [transaction] = await executor
    .insert(creditTransactions)
    .values({
      accountId,
      runId,
      kind,
      amountMicros: sumOf(parts),
      facts,
    })
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

/** A new pool is inserted with its credits, so issuing changes no sum. */
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
