import { isTerminal, type RunEvent } from '../run/run-events.ts'

/** A run that this process drives. Its events are kept in memory until the run ends. */
export type LiveRun = ReturnType<typeof createLiveRun>

/**
 * A listener that receives new items. It gets the next ones after its promise resolves.
 * @returns true to stop.
 */
export type BatchListener<News> = (news: News) => boolean | Promise<boolean>

/**
 * One writer and any number of readers at their own speed. All readers share one list and store only a position
 * in it, so a slow reader needs no extra memory.
 */
export function createLiveRun() {
  const events: RunEvent[] = []
  let ended = false
  let abandoned = false
  let lastTextAt = Number.NEGATIVE_INFINITY
  const readers = new Set<() => void>()
  const announce = () => {
    for (const wake of readers) wake()
  }
  return {
    push(event: RunEvent) {
      events.push(event)
      if (isTerminal(event)) ended = true
      if (event.type === 'text.delta') lastTextAt = performance.now()
      announce()
    },
    /** Stops the run here without an end. Readers continue from the committed log. */
    abandon() {
      ended = true
      abandoned = true
      announce()
    },
    /** Milliseconds since the run last showed text. */
    quietMs: () => performance.now() - lastTextAt,
    /** Whether the run was abandoned. Its last events may be void. */
    get abandoned() {
      return abandoned
    },
    /**
     * Passes the events from the start to `onBatch`, in batches. Ends when the run ends or is abandoned, when
     * `signal` is aborted, or when `onBatch` returns true.
     * @returns whether `onBatch` returned true.
     */
    read: (signal: AbortSignal, onBatch: BatchListener<readonly RunEvent[]>) =>
      readAll(events, readers, () => ended || signal.aborted, signal, onBatch),
  }
}

/**
 * One reader and its position. It uses callbacks, because a promise per token and stream would be created for
 * thousands of streams.
 * @param readers called when `events` or `isOver` has changed.
 */
function readAll(
  events: readonly RunEvent[],
  readers: Set<() => void>,
  isOver: () => boolean,
  signal: AbortSignal,
  onBatch: BatchListener<readonly RunEvent[]>,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  let position = 0
  /** True while a read is scheduled or `onBatch` is busy, and after the end: no further wake-up is needed. */
  let scheduled = false
  const wake = () => {
    if (scheduled) return
    scheduled = true
    queueMicrotask(readNext)
  }
  const readNext = () => {
    try {
      // A slow reader must still receive an end that arrived just before.
      while (position < events.length) if (!emit()) return
      if (isOver()) resolve(false)
      else scheduled = false
    } catch (fault) {
      reject(fault)
    }
  }
  /** @returns whether the next batch can be passed immediately. */
  const emit = (): boolean => {
    const batch = events.slice(position)
    position = events.length
    const enough = onBatch(batch)
    if (enough === false) return true
    if (enough === true) resolve(true)
    else enough.then((isEnough) => (isEnough ? resolve(true) : readNext()), reject)
    return false
  }
  readers.add(wake)
  signal.addEventListener('abort', wake)
  wake()
  return promise.finally(() => {
    signal.removeEventListener('abort', wake)
    readers.delete(wake)
  })
}
