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
import { costOf, type Waiting } from './write-buffer.ts'
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts'

/** The journal of one attempt at a run, on top of its writer. */
export type RunJournal = Journal<Executor> & {
  /** Puts an event in line; it is committed with the next write, within some 100 ms or so long after one that is under way. */
  event(event: RunEvent): void
  /**
   * Before a model call of `step`: everything in line is written, `micros` more are set aside, and the run's key is looked
   * at, in one call. Where the key does not work any more nothing more is set aside.
   * @returns false when the account has not enough; the hold stays as it was then.
   */
  prepareCall(step: number, micros: bigint): Promise<boolean>
  /**
   * Ends the run in one transaction: everything in line, and the event that `prepare` makes of the final cost, are given
   * to `close`, which appends them, settles the money and closes the row.
   * @param unfinished the model call that the turn ends in: a step that is recorded with the end or not at all.
   */
  end<E extends RunEvent>(
    prepare: (costMicros: bigint) => E,
    close: Close<E>,
    unfinished?: ModelStep,
  ): Promise<E>
  /** Waits for a write that is under way. What is still in line is dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits. */
  readonly costMicros: bigint
  /** What is held for the run, in micro-credits. */
  readonly holdMicros: bigint
  /** Whether the run's key worked before the last model call; undefined when nobody has looked. */
  readonly keyUsable: boolean | undefined
}

/** What is written together with the end of a run, and where the run is before. */
export type Last = { readonly before: Progress; readonly waiting: Waiting }

/** Writes the end of a run with these events, the last of which is `event`, in one call. */
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
      // A write can wait for others, and its model's reply should not be asked for again because of that.
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

/** What readers are told of a finished tool call; committed with its step. */
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

/** A step whose deferred write has been done; what it refuses becomes the outcome. */
function withChange(step: ToolStep, change: CommittedChange): ToolStep {
  if ('error' in change) return { ...step, content: JSON.stringify({ error: change.error }), isError: true }
  return { ...step, files: change.files }
}

function stepMicros(price: Price, record: StepRecord): bigint {
  return record.kind === 'model'
    ? modelCallMicros(price, record.usage)
    : toolCallPrice(price, record.call.name)
}

/** The finished steps of a run, in order, and what they cost. */
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
