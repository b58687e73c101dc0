import { isTerminal, type RunEvent } from '../run/run-events.ts'

/** A run that this process drives. Its events are kept in memory until the run ends. */
export type LiveRun = {
  readonly runId: string
  push(event: RunEvent): void
  /** Stops the run here without an end. Readers continue from the committed log. */
  abandon(): void
  /** Whether the run was abandoned. Its last events may be void. */
  readonly abandoned: boolean
  /**
   * Passes the events from the start to `onBatch`, in batches. Ends when the run ends or is abandoned, when
   * `signal` is aborted, or when `onBatch` returns true.
   * @returns whether `onBatch` returned true.
   */
  read(signal: AbortSignal, onBatch: BatchListener<readonly RunEvent[]>): Promise<boolean>
}

/**
 * A listener that receives new items. It gets the next ones after its promise resolves.
 * @returns true to stop.
 */
export type BatchListener<News> = (news: News) => boolean | Promise<boolean>

/**
 * One writer and any number of readers at their own speed. All readers share one list and store only a position
 * in it, so a slow reader needs no extra memory.
 */
export function createLiveRun(runId: string): LiveRun {
  const events: RunEvent[] = []
  let ended = false
  let abandoned = false
  const readers = new Set<() => void>()
  const announce = () => {
    for (const wake of readers) wake()
  }
  return {
    runId,
    push(event) {
      events.push(event)
      if (isTerminal(event)) ended = true
      announce()
    },
    abandon() {
      ended = true
      abandoned = true
      announce()
    },
    get abandoned() {
      return abandoned
    },
    read: (signal, onBatch) =>
      new Promise((resolve, reject) => {
        const isOver = () => ended || signal.aborted
        const reader = new Reader({ events, isOver, onBatch, leave, resolve, reject })
        function leave() {
          signal.removeEventListener('abort', reader.wake)
          readers.delete(reader.wake)
        }
        readers.add(reader.wake)
        signal.addEventListener('abort', reader.wake)
        reader.wake()
      }),
  }
}

type ReaderOptions = {
  readonly events: readonly RunEvent[]
  readonly isOver: () => boolean
  readonly onBatch: BatchListener<readonly RunEvent[]>
  /** Called once, before `resolve` or `reject`. */
  readonly leave: () => void
  readonly resolve: (enough: boolean) => void
  readonly reject: (fault: unknown) => void
}

/**
 * One reader and its position. It uses callbacks, because a promise per token and stream would be created for
 * thousands of streams.
 */
class Reader {
  readonly #reading: ReaderOptions
  #position = 0
  /** True while a read is scheduled or `onBatch` is busy: no further wake-up is needed. */
  #scheduled = false

  constructor(reading: ReaderOptions) {
    this.#reading = reading
  }

  readonly wake = (): void => {
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(this.#readNext)
  }

  readonly #readNext = (): void => {
    const { events, isOver } = this.#reading
    try {
      // A slow reader must still receive an end that arrived just before.
      while (this.#position < events.length) if (!this.#emit()) return
      this.#scheduled = false
      if (isOver()) this.#finish(false)
    } catch (fault) {
      this.#fail(fault)
    }
  }

  /** @returns whether the next batch can be passed immediately. */
  #emit(): boolean {
    const { events, onBatch } = this.#reading
    const batch = events.slice(this.#position)
    this.#position = events.length
    const enough = onBatch(batch)
    if (enough === false) return true
    if (enough === true) this.#finish(true)
    else enough.then((isEnough) => (isEnough ? this.#finish(true) : this.#readNext()), this.#fail)
    return false
  }

  #finish(enough: boolean): void {
    this.#reading.leave()
    this.#reading.resolve(enough)
  }

  readonly #fail = (fault: unknown): void => {
    this.#reading.leave()
    this.#reading.reject(fault)
  }
}
