const longestPauseMs = 600_000

/** Pauses after failures: `pauseMs` after the first, twice that after each further one, at most ten minutes. */
export class Circuit {
  readonly #pauseMs: number
  #failures = 0
  #openUntil = 0

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  get isOpen(): boolean {
    return performance.now() < this.#openUntil
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#openUntil = performance.now() + Math.min(longestPauseMs, this.#pauseMs * 2 ** this.#failures)
    this.#failures += 1
  }
}
