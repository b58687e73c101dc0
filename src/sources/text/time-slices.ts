import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Milliseconds of work before the event loop runs. */
const sliceMs = 5

/** Lets the event loop run between slices of long work, so that other requests do not wait. */
export class TimeSlices {
  #began = performance.now()

  /** Waits for one run of the event loop if the current slice is used up. */
  async pause(): Promise<void> {
    if (!this.isOver) return
    await this.turn()
  }

  /** Whether the current slice is used up. This check is cheaper than `pause` if most steps are short. */
  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs
  }

  async turn(): Promise<void> {
    await turnOfTheLoop()
    this.#began = performance.now()
  }
}

/**
 * Runs a generator in slices, one step after the other.
 * @throws what the work throws; the reason of `signal` when it is aborted.
 */
export async function runInTimeSlices<T>(work: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  const slices = new TimeSlices()
  signal?.throwIfAborted()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (!slices.isOver) continue
    await slices.turn()
    signal?.throwIfAborted()
  }
}
