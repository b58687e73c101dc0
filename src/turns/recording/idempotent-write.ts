import { type Database, type Executor, withTurnCalls, withTurnTx } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Attempt } from './append-values.ts'
import { type Appended, type Appending, appendEvents } from './event-log.ts'
import { committedProgress, type Progress } from './run-progress.ts'
import { costOf, type Waiting } from './write-buffer.ts'

/** The run as the claim of this attempt has left it. */
export type OwnedRun = Attempt & {
  readonly eventCount: number
  readonly stepCount: number
  readonly holdMicros: bigint
}

/** What one write does with what is in line: it appends that, and whatever belongs with it. */
export type Work<T> = {
  /** It is one call and nothing else, and needs no transaction around it. */
  readonly single: boolean
  /** It closes the run, and is done although a step could not be written. */
  readonly ends?: boolean
  readonly send: (executor: Executor, waiting: Waiting, before: Progress) => Promise<Sent<T>>
}

export type Sent<T> = {
  readonly value: T
  /** The call that appends what is in line, just sent and the last one. */
  readonly appending: Appending<Appended | undefined>
  /** What it is to add to the hold. */
  readonly moreMicros?: bigint
}

/** What an attempt knows of its run, by its last write. */
export type State = { readonly progress: Progress; readonly costMicros: bigint }
/** The same after a write. */
export type Written<T> = State & { readonly value: T }

/** The run as the claim of an attempt has left it. */
export function stateOf({ eventCount, stepCount, holdMicros }: OwnedRun, costMicros: bigint): State {
  return { progress: { eventCount, stepCount, holdMicros, ended: false }, costMicros }
}

/** What is in line and nothing else. */
export const appendWork = (run: OwnedRun): Work<undefined> => ({
  single: true,
  send: async (executor, waiting, before) => ({
    value: undefined,
    appending: appendEvents(executor, run, before, waiting),
  }),
})

/** One write, with what it takes along and what the run is like before it. */
export type Writing<T> = {
  readonly work: Work<T>
  readonly waiting: Waiting
  readonly before: State
  readonly leave: AbortSignal
}

/**
 * Writes once, however often the database has to be asked.
 * @param unsure what an earlier attempt has done, if its COMMIT was sent and got no answer: it may have worked.
 */
export function writeSurely<T>(
  database: Database,
  run: OwnedRun,
  writing: Writing<T>,
  unsure?: Written<T>,
): Promise<Written<T>> {
  let last = unsure
  const send = async (executor: Executor) => {
    const { written, done } = await sendOnce(executor, writing)
    last = written
    return done
  }
  const again = async (tx: Executor, unsure: Written<T>) => {
    const progress = await committedProgress(tx, run, writing.before.progress, unsure.progress)
    return progress ? { ...unsure, progress } : send(tx)
  }
  const attempt = () =>
    writing.work.single && !last
      ? withTurnCalls(database, run, send)
      : withTurnTx(database, run, (tx) => (last ? again(tx, last) : send(tx)))
  return retryTransient(attempt, writing.leave)
}

/** `written` when all goes as it should, and what is known when the answer has come. */
async function sendOnce<T>(executor: Executor, { work, waiting, before }: Writing<T>) {
  const { value, appending, moreMicros = 0n } = await work.send(executor, waiting, before.progress)
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
