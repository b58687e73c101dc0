import { type RunEvent, stepOf } from '../run/run-events.ts'
import type { Waiting } from './write-buffer.ts'

/** A run and the epoch under which its owner writes. */
export type Attempt = {
  readonly id: string
  readonly accountId: string
  readonly epoch: number
}

/** The parameters of `appendValues`, in the order in which each function of the database that appends has them first. */
export const appended = ':accountId, :runId, :epoch, :eventsBefore, :stepsBefore, :events, :steps'

/**
 * What an owner's write adds to its run, as a call of the database has it (`append_to_run_2`, `end_turn`).
 * @param before what the run's row must say: a call is a transaction by itself, so one that was believed lost may come
 * late, when the same has been written again.
 */
export function appendValues(
  run: Attempt,
  before: { readonly eventCount: number; readonly stepCount: number },
  { events, steps }: Waiting,
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

/** Deltas that follow one another are one event. */
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
