import { performance } from 'node:perf_hooks'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 10_000
/** Fraction of its time that an idle process works: heartbeats, and looks for runs without an owner. */
const maxWork = 0.05

/**
 * Gives memory back that only the start needed, when the process has been idle for ten seconds. V8 keeps the space in which
 * the start allocated, because it is used for new objects. The collection blocks the process for some tenths of a second,
 * so it comes once, and never while the process is busy.
 * @returns stops waiting for that moment.
 */
export function freeStartMemory(): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > maxWork) return
    clearInterval(timer)
    collect()
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
