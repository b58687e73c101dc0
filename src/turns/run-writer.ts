import { type Database, type Executor, withTurnCalls, withTurnTx } from '../db/client.ts'
import { retryTransient } from '../db/retry.ts'
import type { Attempt, StepRow } from './append-values.ts'
import { type Appended, type Appending, appendEvents, LeaseLost } from './event-log.ts'
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
type Write<T> = (
  database: Database,
  run: OwnedRun,
  writing: Writing<T>,
  appends: SharedAppends,
) => Promise<Written<T>>

const flushAfterMs = 100
/** Rows are locked for a moment by a renewal of leases. Who went alone then would take the connections of starts and ends. */
const attemptsTogether = 3

/**
 * Writes for one attempt at a run, one transaction at a time, each fenced by the attempt's epoch. While the database is
 * in trouble that can pass, a write waits and is tried again, and what the model says meanwhile waits in memory. One
 * whose COMMIT got no answer is looked for before it is done again: nothing is written twice.
 */
export class RunWriter {
  readonly #database: Database
  readonly #run: OwnedRun
  readonly #options: RunWriterOptions
  readonly #line = new WaitingLine()
  #state: State
  #timer: NodeJS.Timeout | undefined
  #flushWaits = false
  /** Cost of the steps in line and of those that are just being written. */
  #pendingMicros = 0n
  /** Why a step could not be written by the timer. */
  #stepFault: unknown
  #tail: Promise<unknown> = Promise.resolve()

  constructor(database: Database, run: OwnedRun, options: RunWriterOptions) {
    this.#database = database
    this.#run = run
    this.#options = options
    this.#state = stateOf(run, options.costMicros)
  }

  /** Cost of the finished steps, in micro-credits, those in line included. */
  get costMicros(): bigint {
    return this.#state.costMicros + this.#pendingMicros
  }

  /** What is held for the run. */
  get holdMicros(): bigint {
    return this.#state.progress.holdMicros
  }

  /** Puts an event in line; it is committed with the next write, within some 100 ms. */
  event(event: RunEvent): void {
    if (this.#line.add(event)) this.#flush()
    else this.#flushSoon()
  }

  /**
   * The same for a finished step and the events that tell of it. When it cannot be written, the next write fails, and the step
   * is dropped: it is not charged, and must not keep the run from its end.
   */
  step(step: StepRow, events: readonly RunEvent[]): void {
    this.#line.addStep(step)
    this.#pendingMicros += step.costMicros
    this.#flushSoon()
    for (const event of events) this.event(event)
  }

  /** Resolves when the steps in line are durable. */
  async recorded(): Promise<void> {
    if (this.#line.hasSteps) await this.write(appendWork(this.#run))
  }

  /** Does `work` (again, if need be). A failure changes nothing. */
  write<T>(work: Work<T>): Promise<T> {
    return this.#inOrder(() => {
      const fault = this.#stepFault
      this.#stepFault = undefined
      if (fault !== undefined && !work.ends) throw fault
      return this.#transact(work, alone)
    })
  }

  /** Stops the timer and waits for a write that is under way. What is still in line is dropped. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#tail
  }

  async #transact<T>(work: Work<T>, write: Write<T>): Promise<T> {
    const waiting = this.#line.take()
    const { leave, appends, onCommit } = this.#options
    try {
      leave.throwIfAborted()
      const writing = { work, waiting, before: this.#state, leave }
      const written = await write(this.#database, this.#run, writing, appends)
      this.#state = written
      onCommit()
      return written.value
    } catch (error) {
      // Nothing of it was written: the events keep their place.
      this.#line.putBack(waiting.events)
      throw error
    } finally {
      this.#pendingMicros -= costOf(waiting.steps)
    }
  }

  /** One write at a time, in order. A failed one is reported by its own caller, not by the next in the queue. */
  #inOrder<T>(write: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const turn = this.#tail.then(write)
    this.#tail = turn.catch(() => undefined)
    return turn
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), flushAfterMs)
  }

  #flush(): void {
    this.#timer = undefined
    // One is enough: while the database is away they would pile up.
    if (this.#flushWaits) return
    this.#flushWaits = true
    this.#inOrder(async () => {
      this.#flushWaits = false
      if (this.#line.hasSteps) await this.#flushSteps()
      else if (!this.#line.isEmpty) await this.#transact(appendWork(this.#run), writeTogether)
    }).catch(this.#options.onFault)
  }

  async #flushSteps(): Promise<void> {
    try {
      await this.#transact(appendWork(this.#run), alone)
    } catch (error) {
      if (this.#options.leave.aborted || error instanceof LeaseLost) throw error
      this.#stepFault = error
    }
  }
}

const alone = <T>(database: Database, run: OwnedRun, writing: Writing<T>) =>
  writeSurely(database, run, writing)

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
