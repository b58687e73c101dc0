import type { Run } from '../../../turns/run/run.ts'
import type { RunEvent } from '../../../turns/run/run-events.ts'
import { reasoningId } from '../ids.ts'
import type { EventBody } from './events.ts'
import { hasReasoning, reasoningOf } from './response-body.ts'

/**
 * The reasoning item of a response: the titles of the tool calls before the first text, one per line. It is the first
 * item of the output, and complete before the message begins, because clients follow one open item at a time.
 */
export class Reasoning {
  readonly #run: Run
  readonly #isWanted: boolean
  readonly #reported = new Set<string>()
  #state: 'none' | 'open' | 'closed' = 'none'
  /** The text so far. Empty: there is no item. */
  text = ''

  constructor(run: Run) {
    this.#run = run
    this.#isWanted = hasReasoning(run)
  }

  /** The events for a tool call. A call that a new attempt repeats is reported once. */
  add({ step, title }: Extract<RunEvent, { type: 'tool.started' }>): readonly EventBody[] {
    const key = `${step} ${title}`
    if (!this.#isWanted || this.#state === 'closed' || this.#reported.has(key)) return []
    this.#reported.add(key)
    const opened = this.#state === 'none' ? this.#opened() : []
    this.#state = 'open'
    const delta = `${title}\n`
    this.text += delta
    return [...opened, { type: 'response.reasoning_summary_text.delta', ...this.#place, delta }]
  }

  /** The events that complete the item, if it is open. Later tool calls are not reported. */
  close(): readonly EventBody[] {
    const wasOpen = this.#state === 'open'
    this.#state = 'closed'
    if (!wasOpen) return []
    const { text } = this
    return [
      { type: 'response.reasoning_summary_text.done', ...this.#place, text },
      { type: 'response.reasoning_summary_part.done', ...this.#place, part: { type: 'summary_text', text } },
      { type: 'response.output_item.done', output_index: 0, item: reasoningOf(this.#run, text) },
    ]
  }

  #opened(): readonly EventBody[] {
    const item = { ...reasoningOf(this.#run, ''), status: 'in_progress' as const, summary: [] }
    const part = { type: 'summary_text' as const, text: '' }
    return [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.reasoning_summary_part.added', ...this.#place, part },
    ]
  }

  get #place() {
    return { item_id: reasoningId(this.#run), output_index: 0, summary_index: 0 as const }
  }
}
