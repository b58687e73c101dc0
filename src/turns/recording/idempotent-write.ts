import { type Database, type Executor, withTurnCalls, withTurnTx } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Attempt } from './append-values.ts'
import { type Appended, type Appending, appendEvents } from './event-log.ts'
import { committedProgress, type Progress } from './run-progress.ts'
import { costOf, type WriteBatch } from './write-buffer.ts'

/** The run as the claim of this attempt left it. */
export type OwnedRun = Attempt & {
  readonly eventCount: number
  readonly stepCount: number
  readonly holdMicros: bigint
}

/** One write: it appends the buffered events and steps, and whatever else belongs to it. */
export type Work<T> = {
  /** True if the write is one call, which needs no surrounding transaction. */
  readonly single: boolean
  /** True if the write closes the run. It proceeds even if an earlier step could not be written. */
  readonly ends?: boolean
  readonly send: (executor: Executor, batch: WriteBatch, before: Progress) => Promise<Sent<T>>
}

export type Sent<T> = {
  readonly value: T
  /** The last call of the write, which appends the buffer. */
  readonly appending: Appending<Appended | undefined>
  /** Micro-credits to add to the hold. */
  readonly moreMicros?: bigint
}

/** What an attempt knows about its run after its last write. */
export type State = { readonly progress: Progress; readonly costMicros: bigint }
/** The state after a write, and the write's result. */
export type Written<T> = State & { readonly value: T }

/** Initial state of an attempt, from the claimed run. */
export function stateOf({ eventCount, stepCount, holdMicros }: OwnedRun, costMicros: bigint): State {
  return { progress: { eventCount, stepCount, holdMicros, ended: false }, costMicros }
}

/** Appends the buffer and does nothing else. */
export const appendWork = (run: OwnedRun): Work<undefined> => ({
  single: true,
  send: async (executor, batch, before) => ({
    value: undefined,
    appending: appendEvents(executor, run, before, batch),
  }),
})

/** One write, the buffer it takes, and the state before it. */
export type Writing<T> = {
  readonly work: Work<T>
  readonly batch: WriteBatch
  readonly before: State
  readonly leave: AbortSignal
}

/**
 * Performs a write exactly once, with as many attempts as needed.
 * @param unconfirmed the result of an earlier attempt whose COMMIT got no answer. That attempt may have succeeded.
 */
export function writeIdempotently<T>(
  database: Database,
  run: OwnedRun,
  writing: Writing<T>,
  unconfirmed?: Written<T>,
): Promise<Written<T>> {
  let last = unconfirmed
  const send = async (executor: Executor) => {
    const { written, done } = await sendOnce(executor, writing)
    last = written
    return done
  }
  const again = async (tx: Executor, unconfirmed: Written<T>) => {
    const progress = await committedProgress(tx, run, writing.before.progress, unconfirmed.progress)
    return progress ? { ...unconfirmed, progress } : send(tx)
  }
  const attempt = () =>
    writing.work.single && !last
      ? withTurnCalls(database, run, send)
      : withTurnTx(database, run, (tx) => (last ? again(tx, last) : send(tx)))
  return retryTransient(attempt, writing.leave)
}

/** Sends the write once. `written` is the expected state, `done` the state after the answer. */
async function sendOnce<T>(executor: Executor, { work, batch, before }: Writing<T>) {
  const { value, appending, moreMicros = 0n } = await work.send(executor, batch, before.progress)
  const { eventCount, stepCount, holdMicros } = before.progress
  const written: Written<T> = {
    value,
    costMicros: before.costMicros + costOf(appending.steps),
    progress: {
      eventCount: eventCount + appending.added,
      stepCount: stepCount + appending.steps.length,
      holdMicros: holdMicros + moreMicros,
      ended: work.ends ?? false,
    },
  }
  const done = appending.done.then((answer) =>
    answer?.enough === false ? { ...written, progress: { ...written.progress, holdMicros } } : written,
  )
  return { written, done }
}
