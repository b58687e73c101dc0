import type { LimitFunction } from 'p-limit'

/**
 * Runs `work` when `limit` has a slot for it. While it waits, an abort rejects at once; `work` itself must heed the
 * signal once it runs.
 * @throws the reason of `signal` when it is aborted while waiting; what `work` throws.
 */
export function runLimited<T>(limit: LimitFunction, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  const done = limit(() => {
    signal.removeEventListener('abort', onAbort)
    signal.throwIfAborted()
    return work()
  })
  return Promise.race([done, aborted])
}
