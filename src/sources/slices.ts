import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Milliseconds of work after which the event loop turns. */
const sliceMs = 5

/** Lets the event loop turn between pieces of long work, so that other requests do not wait for its end. */
export class Slices {
  #began = performance.now()

  /** Waits for one turn of the event loop if the work has had its time since the last one. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return
    await turnOfTheLoop()
    this.#began = performance.now()
  }
}

/** Runs work that yields wherever it may be interrupted. @throws what the work throws. */
export async function inSlices<T>(work: Generator<undefined, T>): Promise<T> {
  const slices = new Slices()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await slices.pause()
  }
}
