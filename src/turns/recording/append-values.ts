import { type RunEvent, stepOf } from '../run/run-events.ts'
import type { WriteBatch } from './write-buffer.ts'

/** A run and the epoch under which its owner writes. */
export type Attempt = {
  readonly id: string
  readonly accountId: string
  readonly epoch: number
}

/** The parameters of `appendValues`, in the order that all appending database functions share. */
export const appendParameters = ':accountId, :runId, :epoch, :eventsBefore, :stepsBefore, :events, :steps'

/**
 * The parameters of a write that adds to a run, for `append_to_run_2` and `end_turn`.
 * @param before the counts that the run's row must have. A call that was believed lost may run late, after its
 *   repetition; it then finds other counts and writes nothing.
 */
export function appendValues(
  run: Attempt,
  before: { readonly eventCount: number; readonly stepCount: number },
  { events, steps }: WriteBatch,
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
    steps: JSON.stringify(steps.map(({ record, costMicros }) => ({ record, micros: `${costMicros}` }))),
  }
}

/** Joins consecutive deltas of one step into one event. */
export function joinDeltas(events: readonly RunEvent[]): readonly RunEvent[] {
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
