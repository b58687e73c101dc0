/** Why a turn ends before its answer is complete. Its end is still written. */
export type EndReason = 'cancelled' | 'deadline'

export type TurnStop = Readonly<ReturnType<typeof createTurnStop>>

/**
 * Stops an attempt at a run from outside. After `end` it still writes how far it has come. After `leave` it
 * writes nothing more, because another replica owns the run or will own it.
 */
export function createTurnStop() {
  const turn = new AbortController()
  const writing = new AbortController()
  return {
    /**
     * Aborted by `end` and `leave`, to stop the agent. Its reason is an `EndReason` or the error given to
     * `leave`.
     */
    turn: turn.signal,
    /** Aborted by `leave` only, to stop waiting for the database. */
    writing: writing.signal,
    end: (reason: EndReason) => turn.abort(reason),
    leave(reason: Error) {
      turn.abort(reason)
      writing.abort(reason)
    },
  }
}
