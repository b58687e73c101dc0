import { insufficient } from '../billing/insufficient.ts'
import type { Executor } from '../db/client.ts'
import { statement, turnCallMs } from '../db/statement.ts'
import { type Attempt, appendValues } from './append-values.ts'
import { type Appending, leaseLost } from './event-log.ts'
import type { RunEvent } from './run-events.ts'
import type { Progress } from './run-progress.ts'

const extend = statement<{ owned: boolean; enough: boolean; available: string }>(
  'extend_run',
  `select owned, enough, available
  from extend_run(:accountId, :runId, :epoch, :eventsBefore, :stepsBefore, :events, :beforeStep, :moreMicros)`,
  turnCallMs,
)

/**
 * Sets `micros` more aside for a run before its step `step`, together with the events in line, in one call. `done` rejects,
 * and nothing is written then, with LeaseLost as for `appendEvents`, and with ServiceError `insufficient_credits` when the
 * account has less.
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
  const extended = extend(executor, { ...appended, moreMicros: micros, beforeStep: step })
  const done = extended.then(async ([row]) => {
    if (!row?.owned) throw leaseLost(run)
    if (!row.enough) throw await insufficient(executor, micros, BigInt(row.available))
  })
  return { added: appended.eventCount, done }
}
