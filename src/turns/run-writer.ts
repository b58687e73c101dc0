import { type Database, type Executor, withTurnCalls, withTurnTx } from '../db/client.ts'
import { retryTransient } from '../db/retry.ts'
import type { Attempt, StepRow } from './append-values.ts'
import { type Appended, type Appending, appendEvents } from './event-log.ts'
import type { RunEvent } from './run-events.ts'
import { committedProgress, type Progress } from './run-progress.ts'
import type { SharedAppends } from './shared-appends.ts'
import { costOf, type Waiting, WaitingLine } from './waiting-line.ts'

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
  readonly send: (executor: Executor, waiting: Waiting, before: Progress) => Promise<Sent<T>>
}

export type Sent<T> = {
  readonly value: T
  /** The call that appends what is in line, just sent and the last one. */
  readonly appending: Appending<Appended | undefined>
  /** What it is to add to the hold. */
  readonly moreMicros?: bigint
  /** It closes the run. */
  readonly ended?: boolean
}

/**
 * Writes for one attempt at a run, one transaction at a time, each fenced by the attempt's epoch. While the database is
 * in trouble that can pass, a write waits and is tried again, and what the model says meanwhile waits in memory. One
 * whose COMMIT got no answer is looked for before it is done again: nothing is written twice.
 */
export type RunWriter = {
  /** Puts an event in line; it is committed with the next write, within some 100 ms. */
  event(event: RunEvent): void
  /** The same for a finished step and the events that tell of it. */
  step(step: StepRow, events: readonly RunEvent[]): void
  /** Resolves when the steps in line are durable. */
  recorded(): Promise<void>
  /** Does `work` (again, if need be). A failure changes nothing. */
  write<T>(work: Work<T>): Promise<T>
  /** Stops the timer and waits for a write that is under way. What is still in line is dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits, those in line included. */
  readonly costMicros: bigint
  /** What is held for the run. */
  readonly holdMicros: bigint
}

export type RunWriterOptions = {
  /** What the steps before this attempt have cost. */
  readonly costMicros: bigint
  /** What comes between steps travels with what other runs have. */
  readonly appends: SharedAppends
  /** Aborted when the run is not this attempt's any more: a write that waits for the database gives up. */
  readonly leave: AbortSignal
  /** Called after each commit: there is news for readers elsewhere. */
  readonly onCommit: () => void
  /** Called when a timed write fails for good; the turn must then stop. */
  readonly onFault: (error: unknown) => void
}

type State = { readonly progress: Progress; readonly costMicros: bigint }
type Written<T> = State & { readonly value: T }
type Write<T> = (writing: Writing<T>) => Promise<Written<T>>

const flushAfterMs = 100
/** Rows are locked for a moment by a renewal of leases. Who went alone then would take the connections of starts and ends. */
const attemptsTogether = 3

export function createRunWriter(database: Database, run: OwnedRun, options: RunWriterOptions): RunWriter {
  const line = new WaitingLine()
  let state = stateOf(run, options.costMicros)
  const alone = <T>(writing: Writing<T>) => writeSurely(database, run, writing)
  const together = (writing: Writing<undefined>) => writeTogether(database, run, writing, options.appends)
  let timer: NodeJS.Timeout | undefined
  let flushWaits = false
  /** Cost of the steps in line and of those that are just being written. */
  let pendingMicros = 0n
  let tail: Promise<unknown> = Promise.resolve()

  const transact = async <T>(work: Work<T>, write: Write<T>): Promise<T> => {
    const waiting = line.take()
    try {
      options.leave.throwIfAborted()
      const written = await write({ work, waiting, before: state, leave: options.leave })
      state = written
      options.onCommit()
      return written.value
    } catch (error) {
      // Nothing of it was written: the events keep their place; a step that cannot be recorded is not charged, and must
      // not keep the run from its end.
      line.putBack(waiting.events)
      throw error
    } finally {
      pendingMicros -= costOf(waiting.steps)
    }
  }
  /** One write at a time, in order. A failed one is reported by its own caller, not by the next in the queue. */
  const inOrder = <T>(write: () => Promise<T>): Promise<T> => {
    clearTimeout(timer)
    timer = undefined
    const turn = tail.then(write)
    tail = turn.catch(() => undefined)
    return turn
  }
  const flush = () => {
    // One is enough: while the database is away they would pile up.
    if (flushWaits) return
    flushWaits = true
    inOrder(async () => {
      flushWaits = false
      if (!line.isEmpty) await transact(appendWork(run), line.hasSteps ? alone : together)
    }).catch(options.onFault)
  }
  const add = (event: RunEvent) => {
    if (line.add(event)) flush()
    else timer ??= setTimeout(flush, flushAfterMs)
  }

  return {
    get costMicros() {
      return state.costMicros + pendingMicros
    },
    get holdMicros() {
      return state.progress.holdMicros
    },
    event: add,
    step(step, events) {
      line.addStep(step)
      pendingMicros += step.costMicros
      timer ??= setTimeout(flush, flushAfterMs)
      for (const event of events) add(event)
    },
    async recorded() {
      if (line.hasSteps) await inOrder(() => transact(appendWork(run), alone))
    },
    write: (work) => inOrder(() => transact(work, alone)),
    async close() {
      clearTimeout(timer)
      await tail
    },
  }
}

function stateOf({ eventCount, stepCount, holdMicros }: OwnedRun, costMicros: bigint): State {
  return { progress: { eventCount, stepCount, holdMicros, ended: false }, costMicros }
}

const appendWork = (run: OwnedRun): Work<undefined> => ({
  single: true,
  send: async (executor, waiting, before) => ({
    value: undefined,
    appending: appendEvents(executor, run, before, waiting),
  }),
})

type Writing<T> = {
  readonly work: Work<T>
  readonly waiting: Waiting
  readonly before: State
  readonly leave: AbortSignal
}

/** Writes events in line with what other runs have; alone, when that does not work. */
async function writeTogether(
  database: Database,
  run: OwnedRun,
  writing: Writing<undefined>,
  appends: SharedAppends,
): Promise<Written<undefined>> {
  const { before, waiting, leave } = writing
  let unsure: Written<undefined> | undefined
  for (let attempt = 1; attempt <= attemptsTogether; attempt += 1) {
    leave.throwIfAborted()
    const { added, done } = appends.append(run, before.progress, waiting.events)
    const eventCount = before.progress.eventCount + added
    const after = { ...before, value: undefined, progress: { ...before.progress, eventCount } }
    const written = await done.catch(() => undefined)
    if (written) return after
    // It may have worked: then the next one, which names the same numbers, writes nothing.
    if (written === undefined) unsure = after
  }
  return writeSurely(database, run, writing, unsure)
}

/**
 * Writes once, however often the database has to be asked.
 * @param unsure what an earlier attempt has done, if its COMMIT was sent and got no answer: it may have worked.
 */
function writeSurely<T>(
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
  const {
    value,
    appending,
    moreMicros = 0n,
    ended = false,
  } = await work.send(executor, waiting, before.progress)
  const { eventCount, stepCount, holdMicros } = before.progress
  const written: Written<T> = {
    value,
    costMicros: before.costMicros + costOf(appending.steps),
    progress: {
      eventCount: eventCount + appending.added,
      stepCount: stepCount + appending.steps.length,
      holdMicros: holdMicros + moreMicros,
      ended,
    },
  }
  const done = appending.done.then((answer) =>
    answer?.enough === false ? { ...written, progress: { ...written.progress, holdMicros } } : written,
  )
  return { written, done }
}
