/**
 * Yields `work` of each item in order while it is already under way for the next ones, `count` in all at most. What
 * was begun is awaited even when the caller stops.
 */
export async function* ahead<T, R>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const running: Promise<R>[] = []
  const waiting = items[Symbol.iterator]()
  const startNext = (): void => {
    const next = waiting.next()
    if (next.done) return
    const started = work(next.value)
    // It is awaited in its turn; until then a failure must not count as unhandled.
    started.catch(() => undefined)
    running.push(started)
  }
  try {
    for (let i = 0; i < count; i += 1) startNext()
    for (let first = running.shift(); first; first = running.shift()) {
      const result = await first
      startNext()
      yield result
    }
  } finally {
    await Promise.allSettled(running)
  }
}
