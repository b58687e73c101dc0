/** Limits how many pieces of work run at once. The others wait. */
export type Semaphore = {
  /** @throws the reason of `signal` when it is aborted while waiting; what `work` throws. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createSemaphore(permits: number): Semaphore {
  let running = 0
  const waiting = new Set<() => void>()

  async function untilFree(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (running >= permits) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      waiting.delete(resolve)
      signal.throwIfAborted()
    }
  }
  return {
    async run(signal, work) {
      await untilFree(signal)
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        for (const wake of waiting) wake()
      }
    },
  }
}
