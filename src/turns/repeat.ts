export type Repeated = { soon(): void; stop(): Promise<void> }

/** Runs `work` every `everyMs` and when asked, never twice at once; its failures go to `report`. */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  report: (error: unknown) => void,
): Repeated {
  let current: Promise<void> = Promise.resolve()
  let waiting = false
  let stopped = false
  const soon = () => {
    if (waiting || stopped) return
    waiting = true
    current = current.then(() => {
      waiting = false
      return stopped ? undefined : work()
    })
    current = current.catch(report)
  }
  const timer = setInterval(soon, everyMs)
  return {
    soon,
    async stop() {
      stopped = true
      clearInterval(timer)
      await current
    },
  }
}
