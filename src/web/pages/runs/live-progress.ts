import { type CommittedEvent, voidRemoved } from '../../../turns/recording/event-log.ts'
import type { FirstCitation } from '../../../turns/run/run-events.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { asWritten, type RefNames } from '../ref-names.ts'

/** One line per tool call, with its result. */
export type ProgressLine = { readonly title: string; readonly state: 'now' | 'done' | 'failed' }

/** The state of a running turn, from its committed events. Events that another attempt declares void are dropped. */
export class LiveProgress {
  readonly #t: Texts
  #events: readonly CommittedEvent[] = []
  #text = ''
  #cited: readonly FirstCitation[] = []
  /** Names of the refs in the titles. */
  names: RefNames = asWritten

  constructor(t: Texts) {
    this.#t = t
  }

  /** The answer so far. */
  get text(): string {
    return this.#text
  }

  /** The sources that the answer cites so far. */
  get cited(): readonly FirstCitation[] {
    return this.#cited
  }

  /** Titles of the tool calls, in English. */
  get titles(): readonly string[] {
    return this.#events.flatMap(({ event }) => (event.type === 'tool.started' ? [event.title] : []))
  }

  /** @returns whether a step has ended that may have read passages. */
  take(events: readonly CommittedEvent[]): boolean {
    const restarted = events.some(({ event }) => event.type === 'step.restarted')
    const all = [...this.#events, ...events]
    const kept = restarted ? voidRemoved(all) : all
    this.#text = restarted ? textOf(kept) : this.#text + textOf(events)
    this.#cited = restarted ? citedIn(kept) : [...this.#cited, ...citedIn(events)]
    this.#events = kept
    return restarted || events.some(({ event }) => event.type === 'tool.finished')
  }

  /** The line of the status and the lines of the tool calls. */
  shown(): { readonly status: string; readonly lines: readonly ProgressLine[] } {
    const lines = new Map<string, ProgressLine>()
    for (const { event } of this.#events) {
      if (event.type === 'tool.started') {
        lines.set(`${event.step}`, { title: this.#t.translate(event.title, this.names), state: 'now' })
      }
      if (event.type !== 'tool.finished') continue
      const line = lines.get(`${event.step}`)
      if (line) lines.set(`${event.step}`, { ...line, state: event.ok ? 'done' : 'failed' })
    }
    const current = [...lines.values()].findLast(({ state }) => state === 'now')
    return {
      status: current ? this.#t.answers.doing(current.title) : this.#restingStatus(),
      lines: [...lines.values()],
    }
  }

  #restingStatus(): string {
    const { waiting, thinking, writing } = this.#t.answers
    if (this.#events.at(-1)?.event.type === 'run.queued') return waiting
    return this.#text === '' ? thinking : writing
  }
}

function textOf(events: readonly CommittedEvent[]): string {
  return events.map(({ event }) => (event.type === 'text.delta' ? event.text : '')).join('')
}

function citedIn(events: readonly CommittedEvent[]): readonly FirstCitation[] {
  return events.flatMap(({ event }) => (event.type === 'text.delta' ? (event.cited ?? []) : []))
}
