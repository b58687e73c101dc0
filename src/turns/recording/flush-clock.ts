/** After so long what waits is written. A short turn is over by then, and has nothing left to write. */
const afterMs = 100
/** Those that are due within so long are called together. */
const togetherMs = 10

/** When runs write what waits in them: one timer for all, of which thousands of slow streams would else make one with each word. */
export type FlushClock = {
  /** Calls `flush` in some 100 ms; once, however often it is asked until then. It must not throw. */
  soon(flush: () => void): void
  /** Takes that back. */
  notNow(flush: () => void): void
}

export function createFlushClock(): FlushClock {
  /** When each is due, in whole milliseconds: in the order in which they asked, which is that in which they are due. */
  const due = new Map<() => void, number>()
  let isSet = false
  const ring = () => {
    const now = Math.round(performance.now())
    for (const [flush, at] of due) {
      if (at > now + togetherMs) break
      due.delete(flush)
      flush()
    }
    const [next] = due.values()
    isSet = next !== undefined
    if (next !== undefined) setTimeout(ring, next - now)
  }
  return {
    soon(flush) {
      if (!due.has(flush)) due.set(flush, Math.round(performance.now()) + afterMs)
      if (isSet) return
      isSet = true
      setTimeout(ring, afterMs)
    },
    notNow: (flush) => void due.delete(flush),
  }
}
