import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { ModelStep, StepRecord, ToolStep } from '../agent/events.ts'
import type { Journal } from '../agent/loop.ts'
import type { ToolCall } from '../agent/provider.ts'
import type { ToolOutcome } from '../agent/tools.ts'
import { extendHold } from '../billing/holds.ts'
import { modelCallMicros, type Price, toolCallPrice } from '../billing/pricing.ts'
import type { Database, Executor } from '../db/client.ts'
import { runSteps, runs } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { LeaseLost } from './event-log.ts'
import type { RunEvent } from './run-events.ts'
import { createRunWriter, type OwnedRun, type RunWriterOptions } from './run-writer.ts'

/** The journal of one attempt at a run, on top of its writer. */
export type RunJournal = Journal<Executor> & {
  /** Puts an event in line; it is committed with the next step or within some 100 ms. */
  event(event: RunEvent): void
  /**
   * Ends the run in one transaction: everything in line, the last step, the event that `prepare` makes of the final
   * cost, and then `close`, which settles the money and closes the row.
   */
  end<E extends RunEvent>(
    prepare: (costMicros: bigint) => E,
    close: (tx: Executor, event: E) => Promise<void>,
  ): Promise<E>
  /**
   * Sets more credits aside before a step, under the same fence.
   * @returns false when the account has not enough; nothing has changed then.
   */
  extendHold(step: number, micros: bigint): Promise<boolean>
  /** Stops the timer and waits for a write that is under way. Events still in line are dropped. */
  close(): Promise<void>
  /** Cost of the finished steps, in micro-credits. */
  readonly costMicros: bigint
}

export type JournalOptions = RunWriterOptions & { readonly price: Price }

/** The journal of the attempt that owns `run`. */
export function createJournal(database: Database, run: OwnedRun, options: JournalOptions): RunJournal {
  const writer = createRunWriter(database, run, options)
  let lastStep: { readonly step: number; readonly record: ModelStep } | undefined

  const recordStep = async (tx: Executor, step: number, record: StepRecord) => {
    const costMicros = stepMicros(options.price, record)
    await insertStep(tx, run, step, record, costMicros)
    return { step, costMicros }
  }
  return {
    get costMicros() {
      return writer.costMicros
    },
    event: writer.event,
    close: writer.close,
    async model(step, record, last) {
      if (last) lastStep = { step, record }
      else await writer.write(async (tx) => ({ value: undefined, ...(await recordStep(tx, step, record)) }))
    },
    tool(step, call, outcome) {
      return writer.write(async (tx) => {
        const record = await committed(tx, call, outcome)
        const recorded = await recordStep(tx, step, record)
        return { value: record, events: toolEvents(step, record), ...recorded }
      })
    },
    end(prepare, close) {
      return writer.write(async (tx) => {
        const recorded = lastStep && (await recordStep(tx, lastStep.step, lastStep.record))
        const event = prepare(writer.costMicros + (recorded?.costMicros ?? 0n))
        return { value: event, events: [event], ...recorded, close: () => close(tx, event) }
      })
    },
    extendHold: (step, micros) => refusable(writer.write((tx) => raiseHold(tx, run, step, micros))),
  }
}

async function insertStep(
  tx: Executor,
  run: OwnedRun,
  step: number,
  record: StepRecord,
  costMicros: bigint,
): Promise<void> {
  await updateOwned(tx, run, { stepCount: step })
  const key = { runId: run.id, step, accountId: run.accountId, epoch: run.epoch }
  await tx.insert(runSteps).values({ ...key, kind: record.kind, record, costMicros })
}

async function raiseHold(tx: Executor, run: OwnedRun, step: number, micros: bigint) {
  // The run before the pools, as its end has it.
  await updateOwned(tx, run, { holdMicros: sql`${runs.holdMicros} + ${micros}` })
  await extendHold(tx, { accountId: run.accountId, runId: run.id, micros, step })
  return { value: true, holdMicros: micros }
}

/** @throws LeaseLost when the epoch is no longer the run's, or the run has ended. */
async function updateOwned(
  tx: Executor,
  run: OwnedRun,
  change: { readonly stepCount: number } | { readonly holdMicros: SQL },
): Promise<void> {
  const [owned] = await tx
    .update(runs)
    .set(change)
    .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
    .returning({ id: runs.id })
  if (!owned) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
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
