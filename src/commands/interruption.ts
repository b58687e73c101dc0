import process from 'node:process'

/** A terminal and npm both send Ctrl-C, so one press arrives twice. */
const samePressMs = 1_000

/**
 * Runs work that the first Ctrl-C stops by its signal. A second press ends the program at once.
 * @returns what the work gave, and whether Ctrl-C was pressed.
 */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T; readonly interrupted: boolean }> {
  const controller = new AbortController()
  let pressedAt = Number.NaN
  const stop = () => {
    const now = performance.now()
    if (now - pressedAt > samePressMs) process.exit(130)
    if (controller.signal.aborted) return
    pressedAt = now
    controller.abort()
  }
  process.on('SIGINT', stop)
  try {
    const value = await work(controller.signal)
    return { value, interrupted: controller.signal.aborted }
  } finally {
    // The listener stays after a press, while reports are written and runs are handed over.
    if (!controller.signal.aborted) process.off('SIGINT', stop)
  }
}
