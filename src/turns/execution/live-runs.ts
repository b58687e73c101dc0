import { isTerminal, type RunEvent } from '../run/run-events.ts'

/** A run that this process is driving: its events from the start, held in memory until the run ends. */
export type LiveRun = {
  readonly runId: string
  push(event: RunEvent): void
  /** The process gives the run up without an end: readers go on from the committed log. */
  abandon(): void
  /** Whether it was given up: what its last events said may be void by now. */
  readonly abandoned: boolean
  /**
   * Tells the events from the start, in batches, until the run has ended or is given up, `signal` is aborted, or `hear` has
   * heard enough.
   * @returns whether it has heard enough.
   */
  read(signal: AbortSignal, hear: Hear<readonly RunEvent[]>): Promise<boolean>
}

/** Is called with what is new, and again when it has taken that. @returns whether it has heard enough. */
export type Hear<News> = (news: News) => boolean | Promise<boolean>

/**
 * One writer, any number of readers at their own pace. Readers share the one list and only keep a position in it,
 * so a slow one costs nothing but its place.
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
    read: (signal, hear) =>
      new Promise((resolve, reject) => {
        const isOver = () => ended || signal.aborted
        const reader = new Reader({ events, isOver, hear, leave, resolve, reject })
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

type Reading = {
  readonly events: readonly RunEvent[]
  readonly isOver: () => boolean
  readonly hear: Hear<readonly RunEvent[]>
  /** Called once, before one of the two that follow. */
  readonly leave: () => void
  readonly resolve: (enough: boolean) => void
  readonly reject: (fault: unknown) => void
}

/** One reader at its place. It is called and does not wait: of thousands of streams each would make a wait anew with each word. */
class Reader {
  readonly #reading: Reading
  #position = 0
  /** It is going to look, or `hear` takes its time: nobody has to tell it to look. */
  #willLook = false

  constructor(reading: Reading) {
    this.#reading = reading
  }

  readonly wake = (): void => {
    if (this.#willLook) return
    this.#willLook = true
    queueMicrotask(this.#look)
  }

  readonly #look = (): void => {
    const { events, isOver } = this.#reading
    try {
      // A slow reader still hears of an end that came just before.
      while (this.#position < events.length) if (!this.#tell()) return
      this.#willLook = false
      if (isOver()) this.#finish(false)
    } catch (fault) {
      this.#fail(fault)
    }
  }

  /** @returns whether it can go on at once. */
  #tell(): boolean {
    const { events, hear } = this.#reading
    const batch = events.slice(this.#position)
    this.#position = events.length
    const enough = hear(batch)
    if (enough === false) return true
    if (enough === true) this.#finish(true)
    else enough.then((heardEnough) => (heardEnough ? this.#finish(true) : this.#look()), this.#fail)
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
