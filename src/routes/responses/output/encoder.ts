import type { CommittedEvent } from '../../../turns/record/run-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { isTerminal, type RunEvent } from '../../../turns/run/run-events.ts'
import type { RunRequest } from '../../../turns/run/run-request.ts'
import { type EventBody, messageOpened, type StreamEvent, textAdded, turnEnded } from './events.ts'
import { Reasoning } from './reasoning.ts'
import { openResponse } from './response-body.ts'

/**
 * An encoded event, with the `seq` of its source event. `taken back` has no event of the Responses API: text
 * from `voidFrom` on is void, and the entry only takes a sequence number.
 */
export type Encoded =
  | { readonly kind: 'event'; readonly seq: number; readonly event: StreamEvent; readonly isText: boolean }
  | {
      readonly kind: 'taken back'
      readonly seq: number
      readonly number: number
      readonly voidFrom: number
    }

/**
 * Encodes the committed events of a run as events of a response. The result depends only on the run and the
 * events so far, so every client on every replica gets the same numbers.
 */
export class ResponseEncoder {
  readonly #run: Run
  readonly #reasoning: Reasoning
  #count = 0
  #hasBegun = false
  /** `seq` of the text event that opened the message; undefined when that text is void. */
  #openedAt: number | undefined

  constructor(run: Run) {
    this.#run = run
    this.#reasoning = new Reasoning(run)
  }

  /** The first event; it needs no event of the run. */
  start(): readonly Encoded[] {
    const { response } = this.#run.request as RunRequest
    const status = response?.background ? 'queued' : 'in_progress'
    return this.#number(0, [{ type: 'response.created', response: openResponse(this.#run, status) }])
  }

  /**
   * Encodes the next committed event. Callers must pass all events, void ones included, because each takes a
   * number.
   */
  push({ seq, event }: CommittedEvent): readonly Encoded[] {
    const isText = event.type === 'text.delta'
    // The events that complete the reasoning stay valid when the text that follows them becomes void.
    const reasoned = isText || isTerminal(event) ? this.#reasoning.close() : []
    const begun = this.#number(seq, [...this.#begin(), ...reasoned])
    if (event.type === 'step.restarted') return [...begun, this.#takeBack(seq, event.void_from_seq)]
    return [...begun, ...this.#number(seq, this.#bodiesOf(seq, event), isText)]
  }

  #begin(): readonly EventBody[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [{ type: 'response.in_progress', response: openResponse(this.#run, 'in_progress') }]
  }

  #bodiesOf(seq: number, event: RunEvent): readonly EventBody[] {
    const isOpen = this.#openedAt !== undefined
    const { text: reasoning } = this.#reasoning
    if (isTerminal(event)) return turnEnded(this.#run, event, isOpen, reasoning)
    if (event.type === 'tool.started') return this.#reasoning.add(event)
    // Other progress is left out: some clients fail on event types that they do not know.
    if (event.type !== 'text.delta') return []
    this.#openedAt ??= seq
    return [
      ...(isOpen ? [] : messageOpened(this.#run, reasoning)),
      textAdded(this.#run, event.text, reasoning),
    ]
  }

  #takeBack(seq: number, voidFrom: number): Encoded {
    if (this.#openedAt !== undefined && this.#openedAt >= voidFrom) this.#openedAt = undefined
    return { kind: 'taken back', seq, number: this.#count++, voidFrom }
  }

  #number(seq: number, bodies: readonly EventBody[], isText = false): readonly Encoded[] {
    return bodies.map(({ type, ...rest }) => {
      const event = { type, sequence_number: this.#count++, ...rest } as StreamEvent
      return { kind: 'event', seq, event, isText }
    })
  }
}
