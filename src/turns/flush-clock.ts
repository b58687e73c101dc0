/** Half of the time after which what waits is written. */
const halfMs = 50

/** When runs write what waits in them: one timer for all, of which thousands of slow streams would else make one with each word. */
export type FlushClock = {
  /** Calls `flush` in 50 to 100 ms; once, however often it is asked until then. It must not throw. */
  soon(flush: () => void): void
  /** Takes that back. */
  notNow(flush: () => void): void
}

export function createFlushClock(): FlushClock {
  // Of two ages: a short turn is over before it is called, and has nothing left to write.
  let [young, old] = [new Set<() => void>(), new Set<() => void>()]
  let isRunning = false
  const run = () => {
    isRunning = true
    setTimeout(() => {
      const due = old
      old = young
      young = new Set()
      isRunning = false
      if (old.size > 0) run()
      for (const flush of due) flush()
    }, halfMs)
  }
  return {
    soon(flush) {
      if (!old.has(flush)) young.add(flush)
      if (!isRunning) run()
    },
    notNow(flush) {
      if (!old.delete(flush)) young.delete(flush)
    },
  }
}
