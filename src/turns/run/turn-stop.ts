/** Why a turn ends before its answer is complete. Its end is still written. */
export type EndReason = 'cancelled' | 'deadline'

/** The process hands its runs over because it shuts down. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver'
}

/**
 * How an attempt at a run is stopped from outside: `end` lets it write how far it has come, `leave` lets it write
 * nothing more, because the run is another's now or will be.
 */
export type TurnStop = {
  /** Stops the agent: aborted by both. Its reason is an `EndReason`, or what `leave` was called with. */
  readonly turn: AbortSignal
  /** Stops the waiting for the database: aborted by `leave` only. */
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
