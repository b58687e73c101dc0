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
  writeIdempotently,
} from './idempotent-write.ts'
import type { SharedAppends } from './shared-appends.ts'
import type { StepRow } from './step-row.ts'
import { costOf, type WriteBatch, WriteBuffer } from './write-buffer.ts'

export type WriteQueueOptions = {
  /** Cost of the steps of earlier attempts, in micro-credits. */
  readonly costMicros: bigint
  /** Events between steps are written in batches with those of other runs. */
  readonly appends: SharedAppends
  /** Aborted when the run no longer belongs to this attempt. A waiting write then gives up. */
  readonly leave: AbortSignal
  /** Called after each commit, to notify readers on other replicas. */
  readonly onCommit: () => void
  /** Called when a scheduled write fails permanently. The turn must then stop. */
  readonly onFault: (error: unknown) => void
}

/** Events that are being written in a shared batch. */
type SharedWrite = {
  readonly batch: WriteBatch
  readonly before: State
  attempts: number
  /** The state after the current attempt, if it succeeds. */
  after: Written<undefined> | undefined
  /** The expected state of an earlier attempt with an unknown outcome. */
  unconfirmed: Written<undefined> | undefined
}

/**
 * A lease renewal may lock the row for a moment. Retrying alone immediately would take connections from starts and
 * ends.
 */
const maxSharedAttempts = 3

/**
 * Writes for one attempt at a run, one transaction at a time, each fenced by the attempt's epoch. During
 * transient database errors a write is retried, and the model's text is buffered in memory. If a COMMIT got no
 * answer, its outcome is read before a retry, so nothing is written twice.
 */
export class WriteQueue {
  readonly #database: Database
  readonly #run: OwnedRun
  readonly #options: WriteQueueOptions
  readonly #buffer = new WriteBuffer()
  #state: State
  #shared: SharedWrite | undefined
  /** Created when a write must wait for the shared batch. */
  #sharedOver: PromiseWithResolvers<void> | undefined
  /** Ordered writes that are not finished. */
  #writes = 0
  #closed = false
  /** Cost of the steps in the buffer and in the write in progress. */
  #pendingMicros = 0n
  /** The error of a scheduled write of steps. The next write reports it. */
  #stepFault: unknown
  #tail: Promise<unknown> = Promise.resolve()

  constructor(database: Database, run: OwnedRun, options: WriteQueueOptions) {
    this.#database = database
    this.#run = run
    this.#options = options
    this.#state = stateOf(run, options.costMicros)
  }

  /** Cost of the finished steps, including buffered ones, in micro-credits. */
  get costMicros(): bigint {
    return this.#state.costMicros + this.#pendingMicros
  }

  /** The run's hold, in micro-credits. */
  get holdMicros(): bigint {
    return this.#state.progress.holdMicros
  }

  /** Buffers an event. The next write commits it, within about 100 ms, or as soon after the write in progress. */
  event(event: RunEvent): void {
    if (this.#buffer.add(event)) this.#flush()
    else this.#flushSoon()
  }

  /**
   * Buffers a finished step and its events. If the step cannot be written, the next write fails. The step is
   * then dropped and not charged, so that it cannot block the run's end.
   */
  step(step: StepRow, events: readonly RunEvent[]): void {
    this.#buffer.addStep(step)
    this.#pendingMicros += step.costMicros
    this.#flushSoon()
    for (const event of events) this.event(event)
  }

  /** Resolves when the buffered steps are durable. */
  async recorded(): Promise<void> {
    if (this.#buffer.hasSteps) await this.write(appendWork(this.#run))
  }

  /** Performs `work`, with retries. If it fails, nothing was written. */
  write<T>(work: Work<T>): Promise<T> {
    return this.#inOrder(() => {
      const fault = this.#stepFault
      this.#stepFault = undefined
      if (fault !== undefined && !work.ends) throw fault
      return this.#transact(work)
    })
  }

  /** Waits for the write in progress and prevents scheduled ones. Buffered events are dropped. */
  async close(): Promise<void> {
    this.#closed = true
    this.#options.appends.cancel(this.#flush)
    await this.#tail
    await this.#whenAlone()
  }

  async #transact<T>(work: Work<T>): Promise<T> {
    const batch = this.#buffer.take()
    const { leave, onCommit } = this.#options
    try {
      leave.throwIfAborted()
      const writing = { work, batch, before: this.#state, leave }
      const written = await writeIdempotently(this.#database, this.#run, writing)
      this.#state = written
      onCommit()
      return written.value
    } catch (error) {
      // Nothing was written. The events return to the front of the buffer.
      this.#buffer.putBack(batch.events)
      throw error
    } finally {
      this.#pendingMicros -= costOf(batch.steps)
    }
  }

  /** Runs one write at a time, in order. A failed write rejects its own promise, not that of the next write. */
  #inOrder<T>(write: () => Promise<T>): Promise<T> {
    this.#options.appends.cancel(this.#flush)
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

  /** Resolves when no event of this run is in a shared batch. */
  #whenAlone(): Promise<void> | undefined {
    if (this.#shared) this.#sharedOver ??= Promise.withResolvers()
    return this.#sharedOver?.promise
  }

  #flushSoon(): void {
    if (!this.#closed) this.#options.appends.schedule(this.#flush)
  }

  /**
   * Runs after a successful write. After a permanent failure nothing is scheduled; the next event or write
   * tries again.
   */
  #flushRest(): void {
    if (!this.#buffer.isEmpty && this.#writes === 0) this.#flushSoon()
  }

  readonly #flush = (): void => {
    // The write in progress schedules the next flush. Flushes would otherwise pile up while the database is
    // away.
    if (this.#closed || this.#writes > 0 || this.#shared || this.#buffer.isEmpty) return
    if (this.#buffer.hasSteps) this.#inOrder(() => this.#flushSteps()).catch(this.#options.onFault)
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

  /**
   * Writes the buffered events in a batch with other runs. It uses a callback, because thousands of runs do
   * this at the same time.
   */
  #share(): void {
    const [batch, before] = [this.#buffer.take(), this.#state]
    this.#options.appends.cancel(this.#flush)
    this.#shared = { batch, before, attempts: 0, after: undefined, unconfirmed: undefined }
    this.#sendShared(this.#shared)
  }

  #sendShared(shared: SharedWrite): void {
    const { appends, leave } = this.#options
    if (leave.aborted || shared.attempts === maxSharedAttempts) {
      void this.#writeAlone(shared)
      return
    }
    shared.attempts += 1
    const { progress, costMicros } = shared.before
    const added = appends.append(this.#run, progress, shared.batch.events, this.#onAppended)
    const eventCount = progress.eventCount + added
    shared.after = { costMicros, value: undefined, progress: { ...progress, eventCount } }
  }

  readonly #onAppended = (written: boolean | undefined): void => {
    const shared = this.#shared
    if (!shared) return
    if (written) {
      this.#endShared(shared.after)
      return
    }
    // The batch may have been committed. The next one names the same counts, so it then writes nothing.
    if (written === undefined) shared.unconfirmed = shared.after
    this.#sendShared(shared)
  }

  /** Never throws. */
  async #writeAlone({ batch, before, unconfirmed }: SharedWrite): Promise<void> {
    const { leave, onFault } = this.#options
    let written: State
    try {
      leave.throwIfAborted()
      const writing = { work: appendWork(this.#run), batch, before, leave }
      written = await writeIdempotently(this.#database, this.#run, writing, unconfirmed)
    } catch (error) {
      // Nothing was written, or this attempt may not write any more. The events return to the front of the
      // buffer.
      this.#buffer.putBack(batch.events)
      this.#endShared()
      onFault(error)
      return
    }
    this.#endShared(written)
  }

  /** @param state the run's new state; undefined if it did not change. */
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
