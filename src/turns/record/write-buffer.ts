import type { RunEvent } from '../run/run-events.ts'
import type { Added, StepRow } from './turn-store.ts'

const longAfter = 2_048

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
      this.#events[this.#events.length - 1] = joined(last, event)
    } else this.#events.push(event)
    return wasShort && this.#textLength >= longAfter
  }

  addStep(step: StepRow): void {
    this.#steps.push(step)
  }

  take(): Added {
    const added = { events: this.#events, steps: this.#steps }
    this.#events = []
    this.#steps = []
    this.#textLength = 0
    return added
  }

  putBack(events: readonly RunEvent[]): void {
    const later = this.#events
    this.#events = []
    for (const event of [...events, ...later]) this.add(event)
  }
}

type TextDelta = Extract<RunEvent, { type: 'text.delta' }>

function joined(last: TextDelta, next: TextDelta): TextDelta {
  const text = last.text + next.text
  return next.cited ? { ...last, text, cited: [...(last.cited ?? []), ...next.cited] } : { ...last, text }
}
