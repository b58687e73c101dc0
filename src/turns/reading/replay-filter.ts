import { GrowingText } from '../../agent/growing-text.ts'
import { isTerminal, type RunEvent, stepOf } from '../run/run-events.ts'

/**
 * What a live reader has shown of a run, by which it stands a run that is told again: a replica that takes a run over
 * repeats its unfinished step, and a reader whose own process has lost the run begins the committed log from its start.
 *
 * ReplayFilter text cannot be taken back. A new telling is silent as long as it repeats what was shown, and adds what goes
 * beyond. When it says something else, or ends the step or the run before all of it was repeated, it contradicts what
 * was shown, and the reader can only end.
 */
export class ReplayFilter {
  readonly #text = new GrowingText()
  /** Where the shown text of a step ends in `#text`. */
  readonly #shownEnds = new Map<number, number>()
  /** How much of `#text` the present telling has come to, and where each step ended in it. */
  #told = 0
  readonly #toldEnds = new Map<number, number>()
  /** Events other than text that were shown, with their steps. */
  readonly #hints = new Map<string, number>()

  /** The run is told again from its first event. */
  anew(): void {
    this.#told = 0
    this.#toldEnds.clear()
  }

  /**
   * The part of the next events that the reader has not shown yet. After `contradicted` there is nothing that could be
   * shown.
   */
  take(events: readonly RunEvent[]): {
    readonly news: readonly RunEvent[]
    readonly contradicted: boolean
  } {
    const news: RunEvent[] = []
    for (const event of events) {
      const fresh = event.type === 'text.delta' ? this.#beyond(event) : this.#unseen(event)
      if (fresh === 'contradicted') return { news, contradicted: true }
      if (fresh) news.push(fresh)
    }
    return { news, contradicted: false }
  }

  #beyond(event: Extract<RunEvent, { type: 'text.delta' }>): RunEvent | 'contradicted' | undefined {
    const { step, text } = event
    const known = Math.min(this.#text.length - this.#told, text.length)
    if (known > 0 && !this.#text.toString().startsWith(text.slice(0, known), this.#told))
      return 'contradicted'
    this.#told += text.length
    this.#toldEnds.set(step, this.#told)
    if (known === text.length) return undefined
    const rest = text.slice(known)
    this.#text.add(rest)
    this.#shownEnds.set(step, this.#text.length)
    return known === 0 ? event : { ...event, text: rest }
  }

  #unseen(event: Exclude<RunEvent, { type: 'text.delta' }>): RunEvent | 'contradicted' | undefined {
    // There is one end, whatever it says.
    const key = isTerminal(event) ? event.type : JSON.stringify(event)
    const seen = this.#hints.has(key)
    if (event.type === 'step.restarted') this.#restart(event.step, !seen)
    if (this.#told < this.#mustBeTold(event)) return 'contradicted'
    if (seen) return undefined
    this.#hints.set(key, stepOf(event))
    return event
  }

  /** What was told of this step and later ones is void. The hints about them may be shown again. */
  #restart(step: number, isNews: boolean): void {
    for (const told of [...this.#toldEnds.keys()]) if (told >= step) this.#toldEnds.delete(told)
    this.#told = Math.max(0, ...this.#toldEnds.values())
    if (!isNews) return
    for (const [key, of] of this.#hints) if (of >= step) this.#hints.delete(key)
  }

  /** How much of the shown text must have been repeated when this event comes. */
  #mustBeTold(event: RunEvent): number {
    // A run that failed or was cancelled ends its stream with an error in any case.
    if (isTerminal(event)) return event.type === 'run.completed' ? this.#text.length : 0
    let end = 0
    for (const [step, shown] of this.#shownEnds) if (step < stepOf(event)) end = Math.max(end, shown)
    return end
  }
}
