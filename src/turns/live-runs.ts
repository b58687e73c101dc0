import { isTerminal, type RunEvent } from './run-events.ts'

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
    async read(signal, hear) {
      let resume = () => {}
      const wake = () => resume()
      readers.add(wake)
      signal.addEventListener('abort', wake)
      try {
        let position = 0
        // A slow reader still hears of an end that came just before.
        while (position < events.length || !(ended || signal.aborted)) {
          if (position === events.length) {
            await new Promise<void>((resolve) => {
              resume = resolve
            })
            continue
          }
          const batch = events.slice(position)
          position = events.length
          const enough = hear(batch)
          // Most hear at once: a wait more for each word would be one for each of thousands of streams.
          if (typeof enough === 'boolean' ? enough : await enough) return true
        }
        return false
      } finally {
        signal.removeEventListener('abort', wake)
        readers.delete(wake)
      }
    },
  }
}
