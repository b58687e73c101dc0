import { type AttachedFile, withFileNames } from '../../../turns/read/shown-messages.ts'
import { foldLog, type RunState } from '../../../turns/record/fold-log.ts'
import type { Log } from '../../../turns/record/run-log.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { asWritten, type RefNames } from '../ref-names.ts'

/** One line per tool call, with its result. */
export type ProgressLine = { readonly title: string; readonly state: 'now' | 'done' | 'failed' }

/** The state of a running turn, from its committed log. */
export class LiveProgress {
  readonly #t: Texts
  #log: Log = { events: [], steps: [] }
  state: RunState = foldLog(this.#log)
  /** Names of the refs in the titles. */
  names: RefNames = asWritten
  /** The files that the question is about. */
  files: readonly AttachedFile[] = []

  constructor(t: Texts) {
    this.#t = t
  }

  take({ events, steps }: Log): void {
    this.#log = { events: [...this.#log.events, ...events], steps: [...this.#log.steps, ...steps] }
    this.state = foldLog(this.#log)
  }

  /** The line of the status and the lines of the tool calls. */
  shown(): { readonly status: string; readonly lines: readonly ProgressLine[] } {
    const lines = this.state.tools.map(({ title, state }) => ({
      title: this.#t.translate(withFileNames(title, this.files), this.names),
      state,
    }))
    const current = lines.findLast(({ state }) => state === 'now')
    return { status: current ? this.#t.answers.doing(current.title) : this.#restingStatus(), lines }
  }

  #restingStatus(): string {
    const { waiting, thinking, writing } = this.#t.answers
    if (this.state.events.at(-1)?.event.type === 'run.queued') return waiting
    return this.state.text === '' ? thinking : writing
  }
}
