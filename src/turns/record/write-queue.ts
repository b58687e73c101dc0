import type { Executor } from '../../db/client.ts'
import type { Run } from '../run/run.ts'
import type { RunEvent } from '../run/run-events.ts'
import type { Progress } from './idempotent-write.ts'
import { progressAfter, type Write, type Written, writeIdempotently } from './idempotent-write.ts'
import { LeaseLost } from './run-log.ts'
import type { SharedAppends } from './shared-appends.ts'
import {
  type Added,
  costOf,
  type RunEndRow,
  type StepRow,
  type TurnStore,
  type WritePurpose,
} from './turn-store.ts'

export type WriteQueueOptions = {
  readonly store: TurnStore
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

/** Outcome of `prepareCall`. */
export type CallPrepared = {
  /** False if the account has too few credits. The hold is then unchanged. */
  readonly isHeld: boolean
  /** Null for a run without a key. */
  readonly keyUsable: boolean | null
}

/** Delay until buffered events are written. A short turn ends earlier and needs no such write. */
const flushAfterMs = 100

/**
 * A lease renewal may lock the row for a moment. Retrying alone immediately would take connections from starts and
 * ends.
 */
const maxSharedAttempts = 3

const nothing: Added = { events: [], steps: [] }
const append: WritePurpose = { kind: 'append' }

/**
 * Writes for one attempt at a run, one transaction at a time, each fenced by the attempt's epoch. During
 * transient database errors a write is retried, and the model's text is buffered in memory. If a COMMIT got no
 * answer, its outcome is read before a retry, so nothing is written twice.
 */
export class WriteQueue {
  readonly run: Run
  readonly #options: WriteQueueOptions
  readonly #buffer = new WriteBuffer()
  #progress: Progress
  #costMicros: bigint
  /** Ordered writes that are not finished. */
  #writes = 0
  #closed = false
  /** The error of a scheduled write of steps. The next write reports it. */
  #stepFault: unknown
  /** The scheduled flush. */
  #timer: NodeJS.Timeout | undefined
  #tail: Promise<unknown> = Promise.resolve()

  /** @param run as the claim of this attempt left it. */
  constructor(run: Run, options: WriteQueueOptions) {
    const { eventCount, stepCount, holdMicros } = run
    this.run = run
    this.#options = options
    this.#progress = { eventCount, stepCount, holdMicros, ended: false }
    this.#costMicros = options.costMicros
  }

  /** Cost of the finished steps, including buffered ones, in micro-credits. */
  get costMicros(): bigint {
    return this.#costMicros
  }

  /** The run's hold, in micro-credits. */
  get holdMicros(): bigint {
    return this.#progress.holdMicros
  }

  /**
   * Buffers a finished step, if there is one, and events. The next write commits them, within about 100 ms, or as
   * soon after the write in progress. If the step cannot be written, the next write fails. The step is then
   * dropped and not charged, so that it cannot block the run's end.
   */
  append(events: readonly RunEvent[], step?: StepRow): void {
    if (step) {
      this.#buffer.addStep(step)
      this.#costMicros += step.costMicros
    }
    this.#flushSoon()
    for (const event of events) if (this.#buffer.add(event)) this.#flush()
  }

  /**
   * Prepares a model call in one statement: writes the buffer, adds `micros` to the hold and checks the run's key. The
   * hold is not extended if the key no longer works.
   */
  async prepareCall(micros: bigint): Promise<CallPrepared> {
    const purpose = { kind: 'prepareCall', more: micros } as const
    return this.#inOrder(async () => {
      this.#requireSteps()
      const wanted = this.holdMicros + micros
      const { answer } = await this.#transact({ purpose })
      return { isHeld: this.holdMicros >= wanted, keyUsable: answer?.keyUsable ?? null }
    })
  }

  /** Performs a tool's own write in one transaction with the steps and events that it returns. */
  async change(work: (tx: Executor) => Promise<Added>): Promise<void> {
    // Write the model's reply first: the tool's write may take long, and a crash would repeat the model call.
    if (this.#buffer.hasSteps) await this.#inOrder(() => this.#transact({ purpose: append }))
    await this.#inOrder(() => {
      this.#requireSteps()
      return this.#transact({ purpose: append, change: work })
    })
  }

  /** Waits for the writes in progress. A step that one of them dropped no longer counts in `costMicros`. */
  async settled(): Promise<void> {
    await this.#tail
  }

  /**
   * Ends the run in one transaction: writes the buffer and `last`, settles the hold, stores the answer and closes
   * the row. It proceeds even if an earlier step could not be written.
   * @returns whether other turns of the account may be waiting. True if that is unknown.
   */
  end(row: RunEndRow, last: Added): Promise<boolean> {
    return this.#inOrder(async () => {
      const { answer } = await this.#transact({ purpose: { kind: 'end', row } }, last)
      return answer?.waiting ?? true
    })
  }

  /** Waits for the write in progress and prevents scheduled ones. Buffered events are dropped. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancelFlush()
    await this.#tail
  }

  /** Writes the buffer and `last`. If it fails, nothing was written. */
  async #transact({ purpose, change }: Pick<Write, 'purpose' | 'change'>, last = nothing): Promise<Written> {
    const { events, steps } = this.#buffer.take()
    try {
      this.#options.leave.throwIfAborted()
      const given = { events: [...events, ...last.events], steps: [...steps, ...last.steps] }
      const extended = change && (async (tx: Executor) => joined(given, await change(tx)))
      const written = await this.#write({ purpose, added: given, before: this.#progress, change: extended })
      this.#progress = written.progress
      // The buffered ones count since they were appended.
      this.#costMicros += costOf(written.added.steps) - costOf(steps)
      this.#options.onCommit()
      return written
    } catch (error) {
      this.#costMicros -= costOf(steps)
      this.#buffer.putBack(events)
      throw error
    }
  }

  #requireSteps(): void {
    const fault = this.#stepFault
    this.#stepFault = undefined
    if (fault !== undefined) throw fault
  }

  /** Events alone are written in a batch with other runs, at first. */
  async #write(write: Write): Promise<Written> {
    const { store, appends, leave } = this.#options
    const { purpose, added, before, change } = write
    const isShared = purpose === append && !change && added.steps.length === 0
    const progress = progressAfter(purpose, added, before)
    let unconfirmed: Progress | undefined
    for (let attempt = 0; isShared && attempt < maxSharedAttempts && !leave.aborted; attempt += 1) {
      const isWritten = await appends.append({ ...this.run, ...before }, added.events)
      if (isWritten) return { added, progress }
      // The batch may have been committed. The next one names the same counts, so it then writes nothing.
      if (isWritten === undefined) unconfirmed = progress
    }
    leave.throwIfAborted()
    return writeIdempotently(store, this.run, write, leave, unconfirmed)
  }

  /** Runs one write at a time, in order. A failed write rejects its own promise, not that of the next write. */
  #inOrder<T>(write: () => Promise<T>): Promise<T> {
    this.#cancelFlush()
    this.#writes += 1
    const turn = this.#tail.then(write).finally(() => {
      this.#writes -= 1
    })
    this.#tail = turn.then(
      () => {
        if (!this.#buffer.isEmpty && this.#writes === 0) this.#flushSoon()
      },
      // After a permanent failure nothing is scheduled; the next event or write tries again.
      () => undefined,
    )
    return turn
  }

  #flushSoon(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => this.#flush(), flushAfterMs)
  }

  #cancelFlush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #flush(): void {
    this.#cancelFlush()
    // The write in progress schedules the next flush. Flushes would otherwise pile up while the database is
    // away.
    if (this.#closed || this.#writes > 0 || this.#buffer.isEmpty) return
    this.#inOrder(() => this.#flushBuffer()).catch(this.#options.onFault)
  }

  async #flushBuffer(): Promise<void> {
    const { hasSteps } = this.#buffer
    try {
      await this.#transact({ purpose: append })
    } catch (error) {
      if (!hasSteps || this.#options.leave.aborted || error instanceof LeaseLost) throw error
      this.#stepFault = error
    }
  }
}

const joined = (a: Added, b: Added): Added => ({
  events: [...a.events, ...b.events],
  steps: [...a.steps, ...b.steps],
})

/** A buffered text of this length is written at once. */
const longAfter = 2_048

/**
 * Events and steps that wait to be committed, in order. Consecutive deltas are joined, so while the database is
 * away the buffer is bounded by the maximum text of a turn.
 */
class WriteBuffer {
  #events: RunEvent[] = []
  #steps: StepRow[] = []
  #textLength = 0

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#steps.length === 0
  }

  get hasSteps(): boolean {
    return this.#steps.length > 0
  }

  /** @returns whether the buffer has just reached the length at which it must be written. */
  add(event: RunEvent): boolean {
    const wasShort = this.#textLength < longAfter
    const last = this.#events.at(-1)
    if (event.type === 'text.delta') this.#textLength += event.text.length
    if (event.type === 'text.delta' && last?.type === 'text.delta' && last.step === event.step) {
      this.#events[this.#events.length - 1] = joinedText(last, event)
    } else this.#events.push(event)
    return wasShort && this.#textLength >= longAfter
  }

  addStep(step: StepRow): void {
    this.#steps.push(step)
  }

  take(): Added {
    const added = { events: this.#events, steps: this.#steps }
    this.#events = []
    this.#steps = []
    this.#textLength = 0
    return added
  }

  putBack(events: readonly RunEvent[]): void {
    const later = this.#events
    this.#events = []
    for (const event of [...events, ...later]) this.add(event)
  }
}

type TextDelta = Extract<RunEvent, { type: 'text.delta' }>

function joinedText(last: TextDelta, next: TextDelta): TextDelta {
  const text = last.text + next.text
  return next.cited ? { ...last, text, cited: [...(last.cited ?? []), ...next.cited] } : { ...last, text }
}
