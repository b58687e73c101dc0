import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Milliseconds of work after which the event loop turns. */
const sliceMs = 5

/** Lets the event loop turn between pieces of long work, so that other requests do not wait for its end. */
export class Slices {
  #began = performance.now()

  /** Waits for one turn of the event loop if the work has had its time since the last one. */
  async pause(): Promise<void> {
    if (!this.isOver) return
    await this.turn()
  }

  /** Whether the work has had its time. Cheaper to ask than to wait where most steps are short. */
  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs
  }

  async turn(): Promise<void> {
    await turnOfTheLoop()
    this.#began = performance.now()
  }
}

/**
 * Runs work that yields wherever it may be interrupted.
 * @throws what the work throws; the reason of `signal` when it is aborted.
 */
export async function inSlices<T>(work: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  const slices = new Slices()
  signal?.throwIfAborted()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (!slices.isOver) continue
    await slices.turn()
    signal?.throwIfAborted()
  }
}
