import { isTerminal, type RunEvent } from './run-events.ts'

/** A run that this process is driving: its events from the start, held in memory until the run ends. */
export type LiveRun = {
  readonly runId: string
  push(event: RunEvent): void
  /** The process gives the run up without an end: readers go on from the committed log. */
  abandon(): void
  /** Whether it was given up: what its last events said may be void by now. */
  readonly abandoned: boolean
  /** Batches of events from the start; returns when the run ended or was given up, or when aborted. */
  read(signal: AbortSignal): AsyncGenerator<readonly RunEvent[]>
}

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
    async *read(signal) {
      let resume = () => {}
      const wake = () => resume()
      readers.add(wake)
      signal.addEventListener('abort', wake)
      try {
        let position = 0
        while (true) {
          if (position < events.length) {
            const batch = events.slice(position)
            position = events.length
            yield batch
            continue
          }
          // Only now: a slow reader still hears of an end that came just before.
          if (ended || signal.aborted) return
          await new Promise<void>((resolve) => {
            resume = resolve
          })
        }
      } finally {
        signal.removeEventListener('abort', wake)
        readers.delete(wake)
      }
    },
  }
}
