import { extendHoldParts } from '../billing/hold-statements.ts'
import { insufficient } from '../billing/holds.ts'
import type { Executor } from '../db/client.ts'
import { statement } from '../db/statement.ts'
import { type Attempt, appendParts, appendValues } from './append-statement.ts'
import { type Appending, leaseLost } from './event-log.ts'
import type { RunEvent } from './run-events.ts'
import type { Progress } from './run-progress.ts'

/** The run's row before the pools, as its end has it. */
const extend = statement<{ owned: boolean; enough: boolean; available: string }>(
  'extend_run_hold',
  `with ${appendParts(', hold_micros = hold_micros + :holdMicros::bigint')},
  hold_when as (select from owned), ${extendHoldParts}
  select exists (select from owned) as owned, enough, available from hold_offer`,
)

/**
 * Sets `micros` more aside for a run before its step `step`, together with the events in line, in one statement of the
 * caller's transaction. `done` rejects, and the transaction must be rolled back, with LeaseLost as for `appendEvents`, and
 * with ServiceError `insufficient_credits` when the account has less.
 */
export function extendHold(
  executor: Executor,
  run: Attempt,
  extension: {
    readonly before: Progress
    readonly events: readonly RunEvent[]
    readonly step: number
    readonly micros: bigint
  },
): Appending {
  const { before, events, step, micros } = extension
  const appended = appendValues(run, before, events, undefined)
  const extended = extend(executor, { ...appended, holdMicros: micros, beforeStep: step })
  const done = extended.then(async ([row]) => {
    if (!row?.owned) throw leaseLost(run)
    if (!row.enough) throw await insufficient(executor, micros, BigInt(row.available))
  })
  return { added: appended.eventCount, done }
}
