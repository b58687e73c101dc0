/**
 * The database's time as this process can tell it between two answers. Each answer names a time that was the present before
 * the answer arrived, so each is a lower bound; the highest bound of the last seconds counts. An answer that a busy event
 * loop read late therefore does not make the clock slow.
 * Never ahead, except for up to `windowMs` after the server's clock is set back or another server takes its place.
 */
export class ServerClock {
  readonly #monotonicMs: () => number
  /** Server time minus our monotonic clock, in milliseconds, and when it was noted. */
  #best: { readonly offset: number; readonly notedAt: number } | undefined

  /** @param monotonicMs a clock of this process that is never set. */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  /** @param time what the server called the present in an answer that has just come. */
  note(time: Date): void {
    const notedAt = this.#monotonicMs()
    const offset = time.getTime() - notedAt
    const best = this.#best
    if (best && offset < best.offset && notedAt - best.notedAt < windowMs) return
    this.#best = { offset, notedAt }
  }

  /** Undefined before the server's first answer. */
  now(): Date | undefined {
    return this.#best && new Date(this.#best.offset + this.#monotonicMs())
  }
}

/** Longer than a pause of the event loop, short enough for a server whose clock was set back. */
const windowMs = 5_000
