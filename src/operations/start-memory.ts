import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 10_000
/** Fraction of its time that an idle process works: heartbeats, and looks for runs without an owner. */
const maxWork = 0.05

/**
 * Completes the start of a process when it has been idle for ten seconds: makes what its first work would wait for, and then
 * gives memory back that only the start needed. V8 keeps the space in which the start allocated, because it is used for
 * new objects. The collection blocks the process for some tenths of a second, so it comes once, and never while the process
 * is busy.
 * @param prepare makes what the first work would wait for, if nothing has made it yet.
 * @returns stops waiting for that moment.
 */
export function settleWhenIdle(prepare: () => Promise<void>): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > maxWork) return
    clearInterval(timer)
    void prepare().then(collect)
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** The collection that V8 makes before it runs out of memory. It is the only one that makes the young generation smaller. */
export function collect(): void {
  v8.setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as typeof globalThis.gc
  v8.setFlagsFromString('--no-expose-gc')
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
