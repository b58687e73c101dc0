/**
 * The database's time as this process can tell it between two answers: the time that the last answer named, and what has
 * passed here since. Never ahead, since an answer takes its time to arrive, unless the server's clock is set back or another
 * server with an earlier one has taken its place.
 */
export class ServerClock {
  /** Server time less our monotonic clock, in milliseconds. */
  #offset: number | undefined

  /** @param time what the server called the present in an answer that has just come. */
  note(time: Date): void {
    this.#offset = time.getTime() - performance.now()
  }

  /** Undefined before the server's first answer. */
  now(): Date | undefined {
    return this.#offset === undefined ? undefined : new Date(this.#offset + performance.now())
  }
}
