import { insufficient } from '../../src/billing/insufficient.ts'
import type { Executor } from '../../src/db/client.ts'
import { statement } from '../../src/db/statement.ts'

/**
 * Ledger movements of a turn without its rows. They use the database functions that starts, larger holds and
 * ends call (`migrations/0007_turn_functions.sql`).
 */
type Hold = { readonly accountId: string; readonly runId: string; readonly micros: bigint }

const draw = statement<{ available: string; enough: boolean }>(
  'draw_credits',
  'select available, enough from draw_credits(:accountId, :runId, :kind, :step, :micros, :micros, 1)',
)

async function drawFor(executor: Executor, kind: 'hold' | 'extend', hold: Hold, step: number | null) {
  const [offer] = await draw(executor, { ...hold, kind, step })
  if (!offer?.enough) throw insufficient(hold.micros, BigInt(offer?.available ?? 0), new Date())
}

/** @throws ServiceError `insufficient_credits` when the account has fewer credits. */
export const placeHold = (executor: Executor, hold: Hold) => drawFor(executor, 'hold', hold, null)

/** @throws ServiceError `insufficient_credits`; the hold then keeps its size. */
export const extendHold = (executor: Executor, { step, ...hold }: Hold & { readonly step: number }) =>
  drawFor(executor, 'extend', hold, step)

const settle = statement(
  'settle_hold',
  `select settle_hold(:accountId, :runId, :chargeMicros, '{}', coalesce(sum(part.micros), 0)::bigint,
    array_agg(part.pool), array_agg(part.micros))
  from (
    select e.pool_id as pool, e.amount_micros as micros
    from credit_transactions t join credit_entries e on e.transaction_id = t.id and e.ledger = 'held'
    where t.run_id = :runId and t.kind in ('hold', 'extend')) as part`,
)

/** Settles the run's hold: charges `chargeMicros`, or writes no charge for null, and releases the rest. */
export async function settleHold(
  executor: Executor,
  run: { readonly accountId: string; readonly runId: string; readonly chargeMicros: bigint | null },
): Promise<void> {
  await settle(executor, run)
}
