/**
 * Yields the result of `work` for each item, in order, while up to `count` items are processed at once. If the caller
 * stops early, started work is still awaited.
 */
export async function* prefetch<T, R>(
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
    // Its error is thrown when its turn comes; until then it must not count as unhandled.
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
