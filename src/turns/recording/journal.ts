import { asc, eq } from 'drizzle-orm'
import type { ModelStep, StepRecord, ToolStep } from '../../agent/events.ts'
import type { Journal } from '../../agent/loop/loop-input.ts'
import type { ToolCall } from '../../agent/provider.ts'
import type { CommittedChange, ToolOutcome } from '../../agent/tools.ts'
import { modelCallMicros, type Price, toolCallPrice } from '../../billing/pricing.ts'
import type { Database, Executor } from '../../db/client.ts'
import { runSteps } from '../../db/schema/index.ts'
import type { RunEvent } from '../run/run-events.ts'
import { type Appending, appendEvents } from './event-log.ts'
import type { OwnedRun, Work } from './idempotent-write.ts'
import type { Progress } from './run-progress.ts'
import type { StepRow } from './step-row.ts'
import { costOf, type WriteBatch } from './write-buffer.ts'
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts'

/** The journal of one attempt at a run. It writes through the write queue. */
export type RunJournal = Journal<Executor> & {
  /** Buffers an event. The next write commits it, within about 100 ms, or as soon after the write in progress. */
  event(event: RunEvent): void
  /**
   * Prepares the model call of `step` in one database call: writes the buffer, adds `micros` to the hold and
   * checks the run's key. The hold is not extended if the key no longer works.
   * @returns false if the account has too few credits. The hold is then unchanged.
   */
  prepareCall(step: number, micros: bigint): Promise<boolean>
  /**
   * Ends the run in one transaction. `close` receives the buffer and the event that `prepare` builds from the
   * final cost; it appends them, settles the hold and closes the row.
   * @param unfinished the open model call, if it is charged. It is recorded only together with the end.
   */
  end<E extends RunEvent>(
    prepare: (costMicros: bigint) => E,
    close: Close<E>,
    unfinished?: ModelStep,
  ): Promise<E>
  /** Waits for the write in progress. Buffered events are dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits. */
  readonly costMicros: bigint
  /** The run's hold, in micro-credits. */
  readonly holdMicros: bigint
  /** Whether the run's key worked before the last model call. Undefined if it was not checked. */
  readonly keyUsable: boolean | undefined
}

/** What the end of a run writes, and the run's state before it. */
export type Last = { readonly before: Progress; readonly waiting: WriteBatch }

/** Writes the end of a run in one call. `event` is the last of the events. */
export type Close<E> = (executor: Executor, event: E, last: Last) => Appending<unknown>

export type JournalOptions = WriteQueueOptions & { readonly price: Price }

/** The journal of the attempt that owns `run`. */
export function createJournal(database: Database, run: OwnedRun, options: JournalOptions): RunJournal {
  const writer = new WriteQueue(database, run, options)
  let keyUsable: boolean | undefined

  const rowOf = (record: StepRecord): StepRow => ({ record, costMicros: stepMicros(options.price, record) })
  const call = <T>(send: Work<T>['send']) => writer.write({ single: true, send })
  return {
    get costMicros() {
      return writer.costMicros
    },
    get holdMicros() {
      return writer.holdMicros
    },
    get keyUsable() {
      return keyUsable
    },
    event: (event) => writer.event(event),
    close: () => writer.close(),
    model(record) {
      writer.step(rowOf(record), [])
    },
    async tool(step, toolCall, outcome) {
      const { commit } = outcome
      const record = toolStep(toolCall, outcome)
      if (!commit) {
        writer.step(rowOf(record), toolEvents(step, record))
        return record
      }
      // Write the model's reply first: the tool's write may take long, and a crash would repeat the model call.
      await writer.recorded()
      const send: Work<ToolStep>['send'] = async (executor, { events, steps }, before) => {
        const value = withChange(record, await commit(executor))
        const waiting = { events: [...events, ...toolEvents(step, value)], steps: [...steps, rowOf(value)] }
        return { value, appending: appendEvents(executor, run, before, waiting) }
      }
      return writer.write({ single: false, send })
    },
    async prepareCall(step, micros) {
      const wanted = writer.holdMicros + micros
      keyUsable = undefined
      await call(async (executor, waiting, before) => {
        const { done, ...sent } = appendEvents(executor, run, before, waiting, { step, micros })
        const noted = done.then((answer) => {
          keyUsable = answer.keyUsable
          return answer
        })
        return { value: undefined, moreMicros: micros, appending: { ...sent, done: noted } }
      })
      return writer.holdMicros >= wanted
    },
    end<E extends RunEvent>(prepare: (costMicros: bigint) => E, close: Close<E>, unfinished?: ModelStep) {
      const rest = unfinished ? [rowOf(unfinished)] : []
      const send: Work<E>['send'] = async (executor, { events, steps }, before) => {
        const event = prepare(writer.costMicros + costOf(rest))
        const waiting = { events: [...events, event], steps: [...steps, ...rest] }
        const appending = close(executor, event, { before, waiting })
        return { value: event, appending: { ...appending, done: appending.done.then(() => undefined) } }
      }
      return writer.write({ single: true, ends: true, send })
    },
  }
}

/** Events of a finished tool call. They are committed with its step. */
export function toolEvents(step: number, record: ToolStep): RunEvent[] {
  return [
    { type: 'tool.finished', step, name: record.call.name, ok: !record.isError },
    ...record.files.map((file) => ({ type: 'file' as const, step, file })),
  ]
}

function toolStep(call: ToolCall, outcome: ToolOutcome<Executor>): ToolStep {
  const { content, isError = false, sources = [] } = outcome
  return { kind: 'tool', call, content, isError, sources, files: [] }
}

/** The step after its deferred write. A refusal by that write becomes the step's result. */
function withChange(step: ToolStep, change: CommittedChange): ToolStep {
  if ('error' in change) return { ...step, content: JSON.stringify({ error: change.error }), isError: true }
  return { ...step, files: change.files }
}

function stepMicros(price: Price, record: StepRecord): bigint {
  return record.kind === 'model'
    ? modelCallMicros(price, record.usage)
    : toolCallPrice(price, record.call.name)
}

/** Reads the finished steps of a run in order, and their total cost in micro-credits. */
export async function readJournal(
  executor: Executor,
  runId: string,
): Promise<{ readonly steps: readonly StepRecord[]; readonly costMicros: bigint }> {
  const rows = await executor
    .select({ record: runSteps.record, costMicros: runSteps.costMicros })
    .from(runSteps)
    .where(eq(runSteps.runId, runId))
    .orderBy(asc(runSteps.step))
  return {
    steps: rows.map((row) => row.record as StepRecord),
    costMicros: rows.reduce((sum, row) => sum + row.costMicros, 0n),
  }
}
