/** Delay until buffered events are written. A short turn ends earlier and needs no such write. */
const afterMs = 100
/** Flushes that are due within this time run together. */
const batchWindowMs = 10

/**
 * Schedules the flushes of all runs with one timer. Thousands of slow streams would otherwise create a timer
 * per token.
 */
export type FlushClock = {
  /**
   * Calls `flush` once in about 100 ms, even if it is called several times before that. `flush` must not throw.
   */
  schedule(flush: () => void): void
  /** Cancels a scheduled flush. */
  cancel(flush: () => void): void
}

export function createFlushClock(): FlushClock {
  /** Due times in whole milliseconds. Insertion order is also the order of due times. */
  const due = new Map<() => void, number>()
  let isSet = false
  const ring = () => {
    const now = Math.round(performance.now())
    for (const [flush, at] of due) {
      if (at > now + batchWindowMs) break
      due.delete(flush)
      flush()
    }
    const [next] = due.values()
    isSet = next !== undefined
    if (next !== undefined) setTimeout(ring, next - now)
  }
  return {
    schedule(flush) {
      if (!due.has(flush)) due.set(flush, Math.round(performance.now()) + afterMs)
      if (isSet) return
      isSet = true
      setTimeout(ring, afterMs)
    },
    cancel: (flush) => void due.delete(flush),
  }
}
