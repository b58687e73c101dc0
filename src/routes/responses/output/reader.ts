import type { CommittedEvent } from '../../../turns/recording/event-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type Encoded, ResponseEncoder } from './encoder.ts'
import type { StreamEvent } from './events.ts'

type EncodedEvent = Extract<Encoded, { readonly kind: 'event' }>

/** What a reader is given next; after `contradicted` there is nothing that could be. */
export type Portion = {
  readonly events: readonly StreamEvent[]
  /** Text that the reader has was taken back: the number of the place where it was. */
  readonly contradicted?: number
}

/**
 * One reader of a response, who has the events up to `startingAfter` already. Text that was taken back before this
 * reader came is left out; text that the reader has and that is taken back cannot be, and ends the reading.
 */
export class ResponseReader {
  readonly #encoder: ResponseEncoder
  readonly #after: number
  /** Number of the last event that the reader has. */
  last: number
  /** `seq` of the last text that the reader has. */
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

  /** The next committed events, from the first on. */
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
      // A reader that is beyond this place came after it, and was never given what was taken back.
      const cameLater = item.number < this.#after
      if (!cameLater && this.#lastTextSeq >= item.voidFrom) {
        return { events: [], contradicted: item.number }
      }
      news = news.filter(({ isText, seq }) => !isText || seq < item.voidFrom)
    }
    return { events: this.#hand(news) }
  }

  /**
   * What is left of a run whose events have had their time. Where a reader left off is not known any more: it gets the
   * last event, which tells everything.
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
