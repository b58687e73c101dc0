import { asc, eq } from 'drizzle-orm'
import type { ModelStep, StepRecord, ToolStep } from '../agent/events.ts'
import type { Journal } from '../agent/loop.ts'
import type { ToolCall } from '../agent/provider.ts'
import type { ToolOutcome } from '../agent/tools.ts'
import { modelCallMicros, type Price, toolCallPrice } from '../billing/pricing.ts'
import type { Database, Executor } from '../db/client.ts'
import { runSteps } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import type { StepRow } from './append-values.ts'
import { type Appending, appendEvents } from './event-log.ts'
import { extendHold } from './extend-hold.ts'
import type { RunEvent } from './run-events.ts'
import type { Progress } from './run-progress.ts'
import { createRunWriter, type OwnedRun, type RunWriterOptions, type Work } from './run-writer.ts'

/** The journal of one attempt at a run, on top of its writer. */
export type RunJournal = Journal<Executor> & {
  /** Puts an event in line; it is committed with the next step or within some 100 ms. */
  event(event: RunEvent): void
  /**
   * Ends the run in one transaction: everything in line, the last step, and the event that `prepare` makes of the final
   * cost are given to `close`, which appends them, settles the money and closes the row.
   */
  end<E extends RunEvent>(prepare: (costMicros: bigint) => E, close: Close<E>): Promise<E>
  /**
   * Sets more credits aside before a step, under the same fence.
   * @returns false when the account has not enough; nothing has changed then.
   */
  extendHold(step: number, micros: bigint): Promise<boolean>
  /** Stops the timer and waits for a write that is under way. Events still in line are dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits. */
  readonly costMicros: bigint
  /** Whether the run's key still worked when the last step was written; undefined when nobody has looked. */
  readonly keyUsable: boolean | undefined
}

/** What is written together with the end of a run, and where the run is before. */
export type Last = {
  readonly before: Progress
  readonly events: readonly RunEvent[]
  readonly step: StepRow | undefined
}

/** Writes the end of a run with these events, the last of which is `event`, in one call. */
export type Close<E> = (executor: Executor, event: E, last: Last) => Appending

export type JournalOptions = RunWriterOptions & { readonly price: Price }

/** The journal of the attempt that owns `run`. */
export function createJournal(database: Database, run: OwnedRun, options: JournalOptions): RunJournal {
  const writer = createRunWriter(database, run, options)
  let keyUsable: boolean | undefined
  let lastStep: { readonly step: number; readonly record: ModelStep } | undefined

  const rowOf = (step: number, record: StepRecord): StepRow => ({
    ...{ step, record },
    costMicros: stepMicros(options.price, record),
  })
  const recordStep = (executor: Executor, before: Progress, row: StepRow, events: readonly RunEvent[]) => {
    const { added, done } = appendEvents(executor, run, before, events, row)
    const noted = done.then((usable) => {
      keyUsable = usable
    })
    return { step: row.step, costMicros: row.costMicros, appending: { added, done: noted } }
  }
  const call = <T>(send: Work<T>['send']) => writer.write({ single: true, send })
  return {
    get costMicros() {
      return writer.costMicros
    },
    get keyUsable() {
      return keyUsable
    },
    event: writer.event,
    close: writer.close,
    async model(step, record, last) {
      if (last) lastStep = { step, record }
      else {
        const row = rowOf(step, record)
        await call(async (executor, waiting, before) => ({
          value: undefined,
          ...recordStep(executor, before, row, waiting),
        }))
      }
    },
    tool(step, toolCall, outcome) {
      const send: Work<ToolStep>['send'] = async (executor, waiting, before) => {
        const record = await committed(executor, toolCall, outcome)
        const events = [...waiting, ...toolEvents(step, record)]
        return { value: record, ...recordStep(executor, before, rowOf(step, record), events) }
      }
      return writer.write({ single: outcome.commit === undefined, send })
    },
    end(prepare, close) {
      return call(async (executor, waiting, before) => {
        const step = lastStep && rowOf(lastStep.step, lastStep.record)
        const event = prepare(writer.costMicros + (step?.costMicros ?? 0n))
        const appending = close(executor, event, { before, events: [...waiting, event], step })
        const recorded = step && { step: step.step, costMicros: step.costMicros }
        return { value: event, appending, ...recorded, ended: true }
      })
    },
    extendHold: (step, micros) =>
      refusable(
        call(async (executor, waiting, before) => ({
          value: true,
          holdMicros: micros,
          appending: extendHold(executor, run, { before, events: waiting, step, micros }),
        })),
      ),
  }
}

async function refusable(extension: Promise<boolean>): Promise<boolean> {
  try {
    return await extension
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'insufficient_credits') return false
    throw error
  }
}

/** What readers are told of a finished tool call; committed with its step. */
export function toolEvents(step: number, record: ToolStep): RunEvent[] {
  return [
    { type: 'tool.finished', step, name: record.call.name, ok: !record.isError },
    ...record.files.map((file) => ({ type: 'file' as const, step, file })),
  ]
}

/** Runs the deferred write of an outcome; what it refuses becomes the outcome. */
async function committed(tx: Executor, call: ToolCall, outcome: ToolOutcome<Executor>): Promise<ToolStep> {
  const { content, isError = false, sources = [] } = outcome
  const step: ToolStep = { kind: 'tool', call, content, isError, sources, files: [] }
  if (!outcome.commit) return step
  const change = await outcome.commit(tx)
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
