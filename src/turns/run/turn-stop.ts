/** Why a turn ends before its answer is complete. Its end is still written. */
export type EndReason = 'cancelled' | 'deadline'

/**
 * Stops an attempt at a run from outside. After `end` it still writes how far it has come. After `leave` it
 * writes nothing more, because another replica owns the run or will own it.
 */
export type TurnStop = {
  /**
   * Aborted by `end` and `leave`, to stop the agent. Its reason is an `EndReason` or the error given to
   * `leave`.
   */
  readonly turn: AbortSignal
  /** Aborted by `leave` only, to stop waiting for the database. */
  readonly writing: AbortSignal
  end(reason: EndReason): void
  leave(reason: Error): void
}

export function createTurnStop(): TurnStop {
  const turn = new AbortController()
  const writing = new AbortController()
  return {
    turn: turn.signal,
    writing: writing.signal,
    end: (reason) => turn.abort(reason),
    leave(reason) {
      turn.abort(reason)
      writing.abort(reason)
    },
  }
}
