import type { RunEvent } from '../run/run-events.ts'
import type { StepRow } from './step-row.ts'

const longAfter = 2_048

/** What one write appends to a run: events, and the steps that finished between them. */
export type WriteBatch = { readonly events: readonly RunEvent[]; readonly steps: readonly StepRow[] }

/**
 * Events and steps that wait to be committed, in order. Consecutive deltas are joined, so while the database is
 * away the buffer is bounded by the maximum text of a turn.
 */
export class WriteBuffer {
  #events: RunEvent[] = []
  #steps: StepRow[] = []
  #textLength = 0

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#steps.length === 0
  }

  get hasSteps(): boolean {
    return this.#steps.length > 0
  }

  /** @returns whether the buffer has just reached the length at which it must be written. */
  add(event: RunEvent): boolean {
    const wasShort = this.#textLength < longAfter
    const last = this.#events.at(-1)
    if (event.type === 'text.delta') this.#textLength += event.text.length
    if (event.type === 'text.delta' && last?.type === 'text.delta' && last.step === event.step) {
      this.#events[this.#events.length - 1] = { ...last, text: last.text + event.text }
    } else if (last) {
      this.#events.push(event)
    } else {
      // An array for one event, not the capacity of 16 that a first `push` allocates. Thousands of runs mostly
      // buffer one event.
      this.#events = [event]
    }
    return wasShort && this.#textLength >= longAfter
  }

  addStep(step: StepRow): void {
    this.#steps.push(step)
  }

  take(): WriteBatch {
    const batch = { events: this.#events, steps: this.#steps }
    this.#events = []
    this.#steps = []
    this.#textLength = 0
    return batch
  }

  putBack(events: readonly RunEvent[]): void {
    this.#events = [...events, ...this.#events]
  }
}

export function costOf(steps: readonly StepRow[]): bigint {
  return steps.reduce((sum, { costMicros }) => sum + costMicros, 0n)
}
