/**
 * Limits how many child processes work at once. Waiting owners take turns, so that none can occupy all of them.
 * @param slots at least two: one owner uses all but one of them.
 */
export function createFairLimit(slots: number) {
  const running = new Map<string, number>()
  const waiting = new Set<{ readonly owner: string; readonly start: () => void }>()
  const runningOf = (owner: string): number => running.get(owner) ?? 0

  /** Starts who has the fewest slots, in the order in which they came. */
  function startNext(): void {
    const used = running.values().reduce((sum, own) => sum + own, 0)
    const [next] = [...waiting].sort((a, b) => runningOf(a.owner) - runningOf(b.owner))
    if (!next || used >= slots || runningOf(next.owner) >= slots - 1) return
    waiting.delete(next)
    running.set(next.owner, runningOf(next.owner) + 1)
    next.start()
  }

  return {
    /**
     * Runs `work` when a slot is free. While it waits, an abort rejects at once; `work` itself must heed the signal once
     * it runs.
     * @param owner whom the work is for, for example the id of an account.
     * @throws the reason of `signal` when it is aborted while waiting; what `work` throws.
     */
    async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(waiter)
          reject(signal.reason)
        }
        const start = (): void => {
          signal.removeEventListener('abort', onAbort)
          resolve()
        }
        const waiter = { owner, start }
        signal.addEventListener('abort', onAbort)
        waiting.add(waiter)
        startNext()
      })
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        if (runningOf(owner) === 1) running.delete(owner)
        else running.set(owner, runningOf(owner) - 1)
        startNext()
      }
    },
  }
}
