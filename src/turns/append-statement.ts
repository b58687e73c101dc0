import type { StepRecord } from '../agent/events.ts'
import { type RunEvent, stepOf } from './run-events.ts'

/** A run and the epoch under which its owner writes. */
export type Attempt = {
  readonly id: string
  readonly accountId: string
  readonly epoch: number
}

/** A finished step as the journal keeps it. */
export type StepRow = { readonly step: number; readonly record: StepRecord; readonly costMicros: bigint }

/**
 * What every write of a run's owner does, as common table expressions of one statement: `owned` is the run's row, moved
 * on if it is still this attempt's, and nothing is written without it; then the step, if there is one, and the events.
 * Parameters as `appendValues` has them. @param changes what else the row's update sets. @param condition on
 * which everything depends beside.
 */
export const appendParts = (changes = '', condition = '') => `
  owned as (
    update runs set event_count = event_count + :eventCount::int, step_count = coalesce(:step::int, step_count)${changes}
    where id = :runId and epoch = :epoch and status = 'in_progress'
      and event_count = :eventsBefore::int and step_count = :stepsBefore::int ${condition}
    returning event_count),
  step_row as (
    insert into run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
    select :runId, :step::int, :accountId, :epoch, :stepKind, :stepRecord::jsonb, :stepMicros::bigint from owned
    where :step::int is not null),
  event_rows as (
    insert into run_events (run_id, seq, account_id, step, attempt, event)
    select :runId, event_count - :eventCount::int + number, :accountId, coalesce((event->>'step')::int, 0), :epoch, event
    from owned, jsonb_array_elements(:events::jsonb) with ordinality as line (event, number))`

/**
 * @param before what the run's row must say: the statement travels together with its COMMIT, so one that was believed
 * lost may come late, when the same has been written again.
 */
export function appendValues(
  run: Attempt,
  before: { readonly eventCount: number; readonly stepCount: number },
  events: readonly RunEvent[],
  step: StepRow | undefined,
): Readonly<Record<string, unknown>> & { readonly eventCount: number } {
  const joined = joinDeltas(events)
  return {
    runId: run.id,
    accountId: run.accountId,
    epoch: run.epoch,
    eventsBefore: before.eventCount,
    stepsBefore: before.stepCount,
    eventCount: joined.length,
    events: JSON.stringify(joined),
    ...(step && {
      step: step.step,
      stepKind: step.record.kind,
      stepRecord: JSON.stringify(step.record),
      stepMicros: step.costMicros,
    }),
  }
}

function joinDeltas(events: readonly RunEvent[]): RunEvent[] {
  const joined: RunEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (event.type === 'text.delta' && last?.type === 'text.delta' && stepOf(last) === event.step) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    } else {
      joined.push(event)
    }
  }
  return joined
}
