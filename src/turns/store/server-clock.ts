/**
 * Estimates the database's time between two answers. Each answer contains a server time before its arrival, so
 * it is a lower bound; the highest bound of the last seconds counts. An answer that a busy event loop read late
 * therefore does not slow the clock. The estimate is never ahead, except for up to `windowMs` after the
 * server's clock was set back or another server took over.
 */
export class ServerClock {
  readonly #monotonicMs: () => number
  /** Server time minus our monotonic clock, in milliseconds, and when it was recorded. */
  #best: { readonly offset: number; readonly notedAt: number } | undefined

  /** @param monotonicMs a monotonic clock of this process, in milliseconds. */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * Records a server time.
   * @param time the server's `now()` in an answer that has just arrived.
   */
  note(time: Date): void {
    const notedAt = this.#monotonicMs()
    const offset = time.getTime() - notedAt
    const best = this.#best
    if (best && offset < best.offset && notedAt - best.notedAt < windowMs) return
    this.#best = { offset, notedAt }
  }

  /** The estimated server time. Before the server's first answer it is long ago: the first call is late, and its answer counts. */
  now(): Date {
    return new Date(this.#best ? this.#best.offset + this.#monotonicMs() : 0)
  }
}

/** Longer than a pause of the event loop, and short enough to recover after the server's clock was set back. */
const windowMs = 5_000
