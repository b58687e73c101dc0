import { GrowingText } from '../../agent/growing-text.ts'
import { isTerminal, type RunEvent, stepOf } from '../run/run-events.ts'

/**
 * Remembers what a live reader has shown of a run, so that a replay can be filtered. A replay happens when
 * another replica repeats an unfinished step, or when a reader switches to the committed log.
 *
 * Shown text cannot be taken back. A replay is silent while it repeats what was shown, and new text
 * follows. If it differs, or ends a step or the run before all shown text was repeated, it contradicts what was
 * shown, and the reader must end.
 */
export class ReplayFilter {
  readonly #text = new GrowingText()
  /** Where the shown text of each step ends in `#text`. */
  readonly #shownEnds = new Map<number, number>()
  /** How far the current replay has come in `#text`, and where each step ended in it. */
  #repeated = 0
  readonly #repeatedEnds = new Map<number, number>()
  /** Shown events other than text, with their steps. */
  readonly #hints = new Map<string, number>()

  /** A replay starts from the first event. */
  reset(): void {
    this.#repeated = 0
    this.#repeatedEnds.clear()
  }

  /**
   * Returns the part of the next events that was not shown yet. If `contradicted` is true, nothing more can be
   * shown.
   */
  take(events: readonly RunEvent[]): {
    readonly news: readonly RunEvent[]
    readonly contradicted: boolean
  } {
    const news: RunEvent[] = []
    for (const event of events) {
      const fresh = event.type === 'text.delta' ? this.#newText(event) : this.#unseen(event)
      if (fresh === 'contradicted') return { news, contradicted: true }
      if (fresh) news.push(fresh)
    }
    return { news, contradicted: false }
  }

  #newText(event: Extract<RunEvent, { type: 'text.delta' }>): RunEvent | 'contradicted' | undefined {
    const { step, text } = event
    const known = Math.min(this.#text.length - this.#repeated, text.length)
    if (known > 0 && !this.#text.toString().startsWith(text.slice(0, known), this.#repeated))
      return 'contradicted'
    this.#repeated += text.length
    this.#repeatedEnds.set(step, this.#repeated)
    if (known === text.length) return undefined
    const rest = text.slice(known)
    this.#text.add(rest)
    this.#shownEnds.set(step, this.#text.length)
    return known === 0 ? event : { ...event, text: rest }
  }

  #unseen(event: Exclude<RunEvent, { type: 'text.delta' }>): RunEvent | 'contradicted' | undefined {
    // A run has one end, even if two attempts describe it differently.
    const key = isTerminal(event) ? event.type : JSON.stringify(event)
    const seen = this.#hints.has(key)
    if (event.type === 'step.restarted') this.#restart(event.step, !seen)
    if (this.#repeated < this.#mustBeRepeated(event)) return 'contradicted'
    if (seen) return undefined
    this.#hints.set(key, stepOf(event))
    return event
  }

  /** Text of this step and later steps is void. Their other events may be shown again. */
  #restart(step: number, isNews: boolean): void {
    for (const repeated of [...this.#repeatedEnds.keys()])
      if (repeated >= step) this.#repeatedEnds.delete(repeated)
    this.#repeated = Math.max(0, ...this.#repeatedEnds.values())
    if (!isNews) return
    for (const [key, of] of this.#hints) if (of >= step) this.#hints.delete(key)
  }

  /** Length of the shown text that must have been repeated when this event arrives. */
  #mustBeRepeated(event: RunEvent): number {
    // The stream of a failed or cancelled run ends with an error anyway.
    if (isTerminal(event)) return event.type === 'run.completed' ? this.#text.length : 0
    let end = 0
    for (const [step, shown] of this.#shownEnds) if (step < stepOf(event)) end = Math.max(end, shown)
    return end
  }
}
