import type { RunEvent } from './run-events.ts'

const longAfter = 2_048

/**
 * Events that wait to be committed, in order. Deltas that follow one another are joined: while the database is away, a
 * model that talks on adds to one text, which the bound of a turn's text bounds.
 */
export class EventLine {
  #events: RunEvent[] = []
  #textLength = 0

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  /** @returns whether the line has just become long enough to be written. */
  add(event: RunEvent): boolean {
    const wasShort = this.#textLength < longAfter
    const last = this.#events.at(-1)
    if (event.type === 'text.delta') this.#textLength += event.text.length
    if (event.type === 'text.delta' && last?.type === 'text.delta' && last.step === event.step) {
      this.#events[this.#events.length - 1] = { ...last, text: last.text + event.text }
    } else {
      this.#events.push(event)
    }
    return wasShort && this.#textLength >= longAfter
  }

  take(): readonly RunEvent[] {
    const events = this.#events
    this.#events = []
    this.#textLength = 0
    return events
  }

  putBack(events: readonly RunEvent[]): void {
    this.#events = [...events, ...this.#events]
  }
}
