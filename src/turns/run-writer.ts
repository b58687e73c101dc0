import { type Database, type Executor, withTurnCalls, withTurnTx } from '../db/client.ts'
import { retryTransient } from '../db/retry.ts'
import type { Attempt } from './append-values.ts'
import { EventLine } from './event-line.ts'
import { type Appending, appendEvents } from './event-log.ts'
import type { RunEvent } from './run-events.ts'
import { type Progress, wasCommitted } from './run-progress.ts'
import type { SharedAppends } from './shared-appends.ts'

/** The run as the claim of this attempt has left it. */
export type OwnedRun = Attempt & {
  readonly eventCount: number
  readonly stepCount: number
  readonly holdMicros: bigint
}

/** What one write does with the events that are in line: it appends them, and whatever belongs with them. */
export type Work<T> = {
  /** It is one call and nothing else, and needs no transaction around it. */
  readonly single: boolean
  readonly send: (executor: Executor, waiting: readonly RunEvent[], before: Progress) => Promise<Sent<T>>
}

export type Sent<T> = {
  readonly value: T
  /** The call that appends the events, just sent and the last one. */
  readonly appending: Appending<unknown>
  /** The step it records, and what that cost. */
  readonly step?: number
  readonly costMicros?: bigint
  /** What it adds to the hold. */
  readonly holdMicros?: bigint
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
  /** Does `work` (again, if need be). A failure changes nothing. */
  write<T>(work: Work<T>): Promise<T>
  /** Stops the timer and waits for a write that is under way. Events still in line are dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits. */
  readonly costMicros: bigint
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
  const line = new EventLine()
  const { eventCount, stepCount, holdMicros } = run
  let state: State = {
    progress: { eventCount, stepCount, holdMicros, ended: false },
    costMicros: options.costMicros,
  }
  const appendWaiting: Work<undefined> = {
    single: true,
    send: async (executor, waiting, before) => ({
      value: undefined,
      appending: appendEvents(executor, run, before, waiting),
    }),
  }
  const alone = <T>(writing: Writing<T>) => writeSurely(database, run, writing)
  const together = (writing: Writing<undefined>) => writeTogether(database, run, writing, options.appends)
  let timer: NodeJS.Timeout | undefined
  let flushWaits = false
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
      // Nothing of it was written: the events keep their place, and a step that is not recorded is not charged.
      line.putBack(waiting)
      throw error
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
      if (!line.isEmpty) await transact(appendWaiting, together)
    }).catch(options.onFault)
  }

  return {
    get costMicros() {
      return state.costMicros
    },
    event(event) {
      if (line.add(event)) flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
    write: (work) => inOrder(() => transact(work, alone)),
    async close() {
      clearTimeout(timer)
      await tail
    },
  }
}

type Writing<T> = {
  readonly work: Work<T>
  readonly waiting: readonly RunEvent[]
  readonly before: State
  readonly leave: AbortSignal
}

/** Writes the events in line with what other runs have; alone, when that does not work. */
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
    const { added, done } = appends.append(run, before.progress, waiting)
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
    await done
    return written
  }
  const attempt = () =>
    writing.work.single && !last
      ? withTurnCalls(database, run, send)
      : withTurnTx(database, run, async (tx) => {
          if (last && (await wasCommitted(tx, run, writing.before.progress, last.progress))) return last
          return send(tx)
        })
  return retryTransient(attempt, writing.leave)
}

async function sendOnce<T>(executor: Executor, { work, waiting, before }: Writing<T>) {
  const sent = await work.send(executor, waiting, before.progress)
  const { value, appending, step, costMicros = 0n, holdMicros = 0n, ended = false } = sent
  const written: Written<T> = {
    value,
    costMicros: before.costMicros + costMicros,
    progress: {
      eventCount: before.progress.eventCount + appending.added,
      stepCount: step ?? before.progress.stepCount,
      holdMicros: before.progress.holdMicros + holdMicros,
      ended,
    },
  }
  return { written, done: appending.done }
}
