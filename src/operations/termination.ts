import type { Logger } from '../log.ts'

/** The terminal and npm both forward a signal, so it arrives twice within this time. */
const sameSignalMs = 500

/**
 * Resolves with the signal that ends the process. Ctrl-C does not wait for open replies, and a second one ends the process
 * at once: other replicas, or the next start, continue its turns.
 */
export function awaitTermination(): {
  readonly signal: Promise<'SIGTERM' | 'SIGINT'>
  isRequested(): boolean
} {
  const { promise, resolve } = Promise.withResolvers<'SIGTERM' | 'SIGINT'>()
  let firstAt: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      firstAt ??= performance.now()
      if (signal === 'SIGINT' && performance.now() - firstAt > sameSignalMs) process.exit(130)
      resolve(signal)
    })
  return { signal: promise, isRequested: () => firstAt !== undefined }
}

/** Time after the drain until the whole process exits. */
export const exitMs = 10_000

/** An unresponsive database must not block the exit. Other replicas continue the runs. */
export function exitLate(log: Logger, afterMs: number): void {
  const exit = () => {
    log.error('the shutdown took too long: the process ends as it is')
    process.exit(1)
  }
  setTimeout(exit, afterMs).unref()
}
