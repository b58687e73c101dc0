/** Runs a generator to its end without pauses; it yields wherever it may be interrupted. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
