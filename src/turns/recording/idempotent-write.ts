import type { Executor } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Run } from '../run/run.ts'
import { type Added, type CallPurpose, runCall, type WriteAnswer } from '../store/turn-calls.ts'
import { callsIn, type TurnStore } from '../store/turn-store.ts'
import { LeaseLost } from './event-log.ts'
import { findCommitted, type Progress } from './run-progress.ts'

/** One write: what it does, what it appends, and the progress of the run before it. */
export type Write = {
  readonly purpose: CallPurpose
  readonly added: Added
  readonly before: Progress
  /** A write of a tool, in the same transaction. Returns what is appended in place of `added`. */
  readonly change?: ((tx: Executor) => Promise<Added>) | undefined
}

/** A write that succeeded. `answer` is undefined for a write in a batch with other runs. */
export type Written = {
  readonly added: Added
  readonly progress: Progress
  readonly answer?: WriteAnswer | undefined
}

/**
 * Performs a write exactly once, with as many attempts as needed. If an attempt has an unknown outcome, the next
 * one locks the run's row and first checks whether the write was committed.
 * @param unconfirmed the progress after an earlier attempt that may have succeeded.
 * @throws LeaseLost if the run has another owner, has ended, or is in an unexpected state.
 */
export function writeIdempotently(
  store: TurnStore,
  run: Run,
  { purpose, added: given, before, change }: Write,
  leave: AbortSignal,
  unconfirmed?: Progress,
): Promise<Written> {
  let last = unconfirmed && { added: given, progress: unconfirmed }
  const send = async (tx?: Executor): Promise<Written> => {
    const added = change && tx ? await change(tx) : given
    const progress = progressAfter(purpose, added, before)
    last = { added, progress }
    const call = runCall({ ...run, ...before }, added, purpose)
    const answer = await (tx ? callsIn(tx) : store).call<WriteAnswer>(run.accountId, call)
    if (!answer.owned) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
    const holdMicros = answer.enough === false ? before.holdMicros : progress.holdMicros
    return { added, answer, progress: { ...progress, holdMicros } }
  }
  const attempt = () => {
    if (!last && !change) return send()
    return store.transaction(run.accountId, async (tx) => {
      const found = last && (await findCommitted(tx, run, before, last.progress))
      if (!last || !found) return send(tx)
      const answer = { owned: true, key_usable: found.keyUsable }
      return { added: last.added, progress: found.progress, answer }
    })
  }
  return retryTransient(attempt, leave)
}

/** The progress after a write that succeeds completely. */
export function progressAfter(purpose: CallPurpose, { events, steps }: Added, before: Progress): Progress {
  return {
    eventCount: before.eventCount + events.length,
    stepCount: before.stepCount + steps.length,
    holdMicros: before.holdMicros + (purpose.call === 'prepareCall' ? BigInt(purpose.more) : 0n),
    ended: purpose.call === 'finish',
  }
}
