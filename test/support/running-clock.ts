import { openSync, readSync } from 'node:fs'

/**
 * Milliseconds of the main thread without the time in which the kernel gave its core to another process. A
 * busy machine then does not look like a slow service. Without Linux's scheduler statistics it is the wall
 * clock.
 */
export const runningMs: () => number = openClock()

function openClock(): () => number {
  const waitedMs = openWaits()
  return waitedMs ? () => performance.now() - waitedMs() : () => performance.now()
}

/**
 * Time that the main thread has waited for a core since its start; undefined where the kernel does not report
 * it.
 */
function openWaits(): (() => number) | undefined {
  try {
    const file = openSync('/proc/self/schedstat', 'r')
    const buffer = Buffer.alloc(128)
    const read = () => {
      const length = readSync(file, buffer, 0, buffer.length, 0)
      return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6
    }
    return Number.isNaN(read()) ? undefined : read
  } catch {
    return undefined
  }
}
