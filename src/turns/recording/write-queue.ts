import type { Database } from '../../db/client.ts'
import type { RunEvent } from '../run/run-events.ts'
import { LeaseLost } from './event-log.ts'
import {
  appendWork,
  type OwnedRun,
  type State,
  stateOf,
  type Work,
  type Written,
  writeSurely,
} from './idempotent-write.ts'
import type { SharedAppends } from './shared-appends.ts'
import type { StepRow } from './step-row.ts'
import { costOf, type Waiting, WriteBuffer } from './write-buffer.ts'

export type WriteQueueOptions = {
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

/** Events that travel with those of other runs. */
type Shared = {
  readonly waiting: Waiting
  readonly before: State
  attempts: number
  /** What the run is like when the attempt that is under way has worked. */
  after: Written<undefined> | undefined
  /** The same of an earlier one that is not known to have failed. */
  unsure: Written<undefined> | undefined
}

/** Rows are locked for a moment by a renewal of leases. Who went alone then would take the connections of starts and ends. */
const attemptsTogether = 3

/**
 * Writes for one attempt at a run, one transaction at a time, each fenced by the attempt's epoch. While the database is
 * in trouble that can pass, a write waits and is tried again, and what the model says meanwhile waits in memory. One
 * whose COMMIT got no answer is looked for before it is done again: nothing is written twice.
 */
export class WriteQueue {
  readonly #database: Database
  readonly #run: OwnedRun
  readonly #options: WriteQueueOptions
  readonly #line = new WriteBuffer()
  #state: State
  #shared: Shared | undefined
  /** Made when a write has to wait for what is shared. */
  #sharedOver: PromiseWithResolvers<void> | undefined
  /** Writes in order that are not over. */
  #writes = 0
  #closed = false
  /** Cost of the steps in line and of those that are just being written. */
  #pendingMicros = 0n
  /** Why a step could not be written by the clock. */
  #stepFault: unknown
  #tail: Promise<unknown> = Promise.resolve()

  constructor(database: Database, run: OwnedRun, options: WriteQueueOptions) {
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

  /** Puts an event in line; it is committed with the next write, within some 100 ms or so long after one that is under way. */
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
      return this.#transact(work)
    })
  }

  /** Waits for a write that is under way, and lets the clock begin no other. What is still in line is dropped. */
  async close(): Promise<void> {
    this.#closed = true
    this.#options.appends.notNow(this.#flush)
    await this.#tail
    await this.#whenAlone()
  }

  async #transact<T>(work: Work<T>): Promise<T> {
    const waiting = this.#line.take()
    const { leave, onCommit } = this.#options
    try {
      leave.throwIfAborted()
      const writing = { work, waiting, before: this.#state, leave }
      const written = await writeSurely(this.#database, this.#run, writing)
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
    this.#options.appends.notNow(this.#flush)
    this.#writes += 1
    const turn = this.#tail.then(async () => {
      await this.#whenAlone()
      try {
        return await write()
      } finally {
        this.#writes -= 1
      }
    })
    this.#tail = turn.then(
      () => this.#flushRest(),
      () => undefined,
    )
    return turn
  }

  /** Resolves when nothing of this run travels with others. */
  #whenAlone(): Promise<void> | undefined {
    if (this.#shared) this.#sharedOver ??= Promise.withResolvers()
    return this.#sharedOver?.promise
  }

  #flushSoon(): void {
    if (!this.#closed) this.#options.appends.soon(this.#flush)
  }

  /** After a write that worked. After one that failed for good, the next event or write may try: it does not come back by itself. */
  #flushRest(): void {
    if (!this.#line.isEmpty && this.#writes === 0) this.#flushSoon()
  }

  readonly #flush = (): void => {
    // What is under way asks for it again when it is over: while the database is away they would pile up.
    if (this.#closed || this.#writes > 0 || this.#shared || this.#line.isEmpty) return
    if (this.#line.hasSteps) this.#inOrder(() => this.#flushSteps()).catch(this.#options.onFault)
    else this.#share()
  }

  async #flushSteps(): Promise<void> {
    try {
      await this.#transact(appendWork(this.#run))
    } catch (error) {
      if (this.#options.leave.aborted || error instanceof LeaseLost) throw error
      this.#stepFault = error
    }
  }

  /** Writes the events in line together with what other runs have: called back, since thousands of runs do so at a time. */
  #share(): void {
    const [waiting, before] = [this.#line.take(), this.#state]
    this.#options.appends.notNow(this.#flush)
    this.#shared = { waiting, before, attempts: 0, after: undefined, unsure: undefined }
    this.#sendShared(this.#shared)
  }

  #sendShared(shared: Shared): void {
    const { appends, leave } = this.#options
    if (leave.aborted || shared.attempts === attemptsTogether) {
      void this.#writeAlone(shared)
      return
    }
    shared.attempts += 1
    const { progress, costMicros } = shared.before
    const added = appends.append(this.#run, progress, shared.waiting.events, this.#told)
    const eventCount = progress.eventCount + added
    shared.after = { costMicros, value: undefined, progress: { ...progress, eventCount } }
  }

  readonly #told = (written: boolean | undefined): void => {
    const shared = this.#shared
    if (!shared) return
    if (written) {
      this.#endShared(shared.after)
      return
    }
    // It may have worked: then the next one, which names the same numbers, writes nothing.
    if (written === undefined) shared.unsure = shared.after
    this.#sendShared(shared)
  }

  /** Never throws. */
  async #writeAlone({ waiting, before, unsure }: Shared): Promise<void> {
    const { leave, onFault } = this.#options
    let written: State
    try {
      leave.throwIfAborted()
      const writing = { work: appendWork(this.#run), waiting, before, leave }
      written = await writeSurely(this.#database, this.#run, writing, unsure)
    } catch (error) {
      // Nothing of it was written, or nothing of this attempt will be any more: the events keep their place.
      this.#line.putBack(waiting.events)
      this.#endShared()
      onFault(error)
      return
    }
    this.#endShared(written)
  }

  /** @param state the run as it is now; undefined: as it was. */
  #endShared(state?: State): void {
    this.#shared = undefined
    this.#sharedOver?.resolve()
    this.#sharedOver = undefined
    if (!state) return
    this.#state = state
    this.#flushRest()
    this.#options.onCommit()
  }
}
