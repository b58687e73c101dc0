export type PeriodicTask = { runSoon(): void; stop(): Promise<void> }

/**
 * Runs `work` every `everyMs` and on `soon()`, one run at a time. A failure goes to `report`, and the next
 * attempt follows after `retryMs`.
 */
export function startPeriodicTask(
  work: () => Promise<void>,
  everyMs: number,
  report: (error: unknown) => void,
  retryMs = everyMs,
): PeriodicTask {
  let timer = setTimeout(begin, everyMs)
  let isRunning = false
  let last: Promise<void> = Promise.resolve()
  let askedAgain = false
  let stopped = false

  function begin(): void {
    clearTimeout(timer)
    askedAgain = false
    isRunning = true
    last = round()
  }

  async function round(): Promise<void> {
    let pauseMs = everyMs
    try {
      await work()
    } catch (error) {
      pauseMs = retryMs
      report(error)
    }
    isRunning = false
    if (stopped) return
    if (askedAgain) begin()
    else timer = setTimeout(begin, pauseMs)
  }

  return {
    runSoon() {
      if (stopped) return
      if (isRunning) askedAgain = true
      else begin()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await last
    },
  }
}
