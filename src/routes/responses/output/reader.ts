import type { CommittedEvent } from '../../../turns/record/run-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type Encoded, ResponseEncoder } from './encoder.ts'
import type { StreamEvent } from './events.ts'

type EncodedEvent = Extract<Encoded, { readonly kind: 'event' }>

/** The next events for a client. After `contradicted` no further event is possible. */
export type Portion = {
  readonly events: readonly StreamEvent[]
  /** Set when text that the client already has became void; the number of that entry. */
  readonly contradicted?: number
}

/**
 * One client of a response, which already has the events up to `startingAfter`. Text that became void before
 * the client came is left out; if the client already has such text, the stream ends.
 */
export class ResponseReader {
  readonly #encoder: ResponseEncoder
  readonly #after: number
  /** Number of the last event that the client has. */
  last: number
  /** `seq` of the last text that the client has. */
  #lastTextSeq = 0
  #hasTaken = false

  constructor(run: Run, startingAfter: number | undefined) {
    this.#encoder = new ResponseEncoder(run)
    this.#after = startingAfter ?? -1
    this.last = this.#after
  }

  start(): readonly StreamEvent[] {
    return this.#hand(this.#encoder.start().flatMap((item) => (item.kind === 'event' ? [item] : [])))
  }

  /** Encodes the next committed events; the first call starts with the first event. */
  take(committed: readonly CommittedEvent[]): Portion {
    const isBeginning = !this.#hasTaken
    this.#hasTaken ||= committed.length > 0
    if (isBeginning && this.#after >= 0 && (committed[0]?.seq ?? 1) > 1) return this.#takeKept(committed)
    let news: EncodedEvent[] = []
    for (const item of committed.flatMap((one) => this.#encoder.push(one))) {
      if (item.kind === 'event') {
        if (item.event.sequence_number > this.#after) news.push(item)
        else if (item.isText) this.#lastTextSeq = item.seq
        continue
      }
      // A client past this number connected after the void, and never received the void text.
      const cameLater = item.number < this.#after
      if (!cameLater && this.#lastTextSeq >= item.voidFrom) {
        return { events: [], contradicted: item.number }
      }
      news = news.filter(({ isText, seq }) => !isText || seq < item.voidFrom)
    }
    return { events: this.#hand(news) }
  }

  /**
   * For a run whose events have expired, the client's position is unknown. It gets the last event, which
   * contains the whole response.
   */
  #takeKept(committed: readonly CommittedEvent[]): Portion {
    const last = committed.flatMap((one) => this.#encoder.push(one)).at(-1)
    return {
      events: last?.kind === 'event' ? [{ ...last.event, sequence_number: this.#after + 1 }] : [],
    }
  }

  #hand(news: readonly EncodedEvent[]): readonly StreamEvent[] {
    const fresh = news.filter(({ event }) => event.sequence_number > this.#after)
    this.last = fresh.at(-1)?.event.sequence_number ?? this.last
    this.#lastTextSeq = fresh.findLast(({ isText }) => isText)?.seq ?? this.#lastTextSeq
    return fresh.map(({ event }) => event)
  }
}
