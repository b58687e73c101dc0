import { sql } from 'drizzle-orm'
import { insufficient } from '../../src/billing/insufficient.ts'
import type { Executor } from '../../src/db/client.ts'

/**
 * Ledger movements of a turn without its rows. They use the database functions that starts, larger holds and
 * ends call.
 */
type Hold = { readonly accountId: string; readonly runId: string; readonly micros: bigint }

async function drawFor(executor: Executor, kind: 'hold' | 'extend', hold: Hold, step: number | null) {
  const { accountId, runId, micros } = hold
  const { rows } = await executor.execute<{ available: string; enough: boolean }>(
    sql`select available, enough from draw_credits(${accountId}, ${runId}, ${kind}, ${step}, ${micros}, ${micros}, 1)`,
  )
  if (!rows[0]?.enough) throw insufficient(micros, BigInt(rows[0]?.available ?? 0), new Date())
}

/** @throws ServiceError `insufficient_credits` when the account has fewer credits. */
export const placeHold = (executor: Executor, hold: Hold) => drawFor(executor, 'hold', hold, null)

/** @throws ServiceError `insufficient_credits`; the hold then keeps its size. */
export const extendHold = (executor: Executor, { step, ...hold }: Hold & { readonly step: number }) =>
  drawFor(executor, 'extend', hold, step)

/** Settles the run's hold: charges `chargeMicros`, or writes no charge for null, and releases the rest. */
export async function settleHold(
  executor: Executor,
  run: { readonly accountId: string; readonly runId: string; readonly chargeMicros: bigint | null },
): Promise<void> {
  const { accountId, runId, chargeMicros } = run
  await executor.execute(sql`
    select settle_hold(${accountId}, ${runId}, ${chargeMicros}, '{}', coalesce(sum(part.micros), 0)::bigint,
      array_agg(part.pool), array_agg(part.micros))
    from (
      select e.pool_id as pool, e.amount_micros as micros
      from credit_transactions t join credit_entries e on e.transaction_id = t.id and e.ledger = 'held'
      where t.run_id = ${runId} and t.kind in ('hold', 'extend')) as part`)
}
