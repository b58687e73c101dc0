import { and, asc, eq, sql } from 'drizzle-orm'
import type { ModelStep, StepRecord, ToolStep } from '../agent/events.ts'
import type { Journal } from '../agent/loop.ts'
import type { ToolCall } from '../agent/provider.ts'
import type { ToolOutcome } from '../agent/tools.ts'
import { extendHold } from '../billing/holds.ts'
import { modelCallMicros, type Price, toolCallPrice } from '../billing/pricing.ts'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { runSteps, runs } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'
import { appendEvents, LeaseLost } from './event-log.ts'
import type { RunEvent } from './run-events.ts'

export type OwnedRun = { readonly id: string; readonly accountId: string; readonly epoch: number }

/** The writer of one attempt at a run. Every transaction of it is fenced by the attempt's epoch. */
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

const flushAfterMs = 100
const flushAfterLength = 2_048

type Work<T> = (tx: Executor) => Promise<{ readonly value: T; readonly events: readonly RunEvent[] }>

export type JournalOptions = {
  readonly price: Price
  /** What the steps before this attempt have cost. */
  readonly costMicros: bigint
  /** Called after each commit: there is news for readers elsewhere. */
  readonly onCommit: () => void
  /** Called when a timed write fails; the turn must then stop. */
  readonly onFault: (error: unknown) => void
}

/** The writer of the attempt that owns `run`. */
export function createJournal(database: Database, run: OwnedRun, options: JournalOptions): RunJournal {
  const line = new EventLine()
  let costMicros = options.costMicros
  let lastStep: { readonly step: number; readonly record: ModelStep } | undefined
  let timer: NodeJS.Timeout | undefined
  let tail: Promise<unknown> = Promise.resolve()

  const transact = async <T>(
    work: Work<T>,
    after?: (tx: Executor, value: T) => Promise<void>,
  ): Promise<T> => {
    const waiting = line.take()
    const costBefore = costMicros
    try {
      return await withTx(database, run, async (tx) => {
        const { value, events } = await work(tx)
        await appendEvents(tx, run, [...waiting, ...events])
        await after?.(tx, value)
        return value
      })
    } catch (error) {
      // Nothing of it was written: the events keep their place, and a step that is not recorded is not charged.
      line.putBack(waiting)
      costMicros = costBefore
      throw error
    }
  }
  /** One write at a time, in order. A failed one is reported by its own caller, not by the next in the queue. */
  const write = <T>(work: Work<T>, after?: (tx: Executor, value: T) => Promise<void>): Promise<T> => {
    clearTimeout(timer)
    timer = undefined
    const turn = tail.then(() => transact(work, after))
    tail = turn.then(options.onCommit, () => undefined)
    return turn
  }
  const flush = () => {
    write(async () => ({ value: undefined, events: [] })).catch(options.onFault)
  }
  const addStep = (tx: Executor, step: number, record: StepRecord): Promise<void> => {
    costMicros += stepMicros(options.price, record)
    return insertStep(tx, run, step, record, stepMicros(options.price, record))
  }

  return {
    get costMicros() {
      return costMicros
    },
    event(event) {
      if (line.add(event)) flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
    async model(step, record, last) {
      if (last) lastStep = { step, record }
      else await write(async (tx) => ({ value: await addStep(tx, step, record), events: [] }))
    },
    tool(step, call, outcome) {
      return write(async (tx) => {
        const record = await committed(tx, call, outcome)
        await addStep(tx, step, record)
        return { value: record, events: toolEvents(step, record) }
      })
    },
    end(prepare, close) {
      return write(async (tx) => {
        if (lastStep) await addStep(tx, lastStep.step, lastStep.record)
        const event = prepare(costMicros)
        return { value: event, events: [event] }
      }, close)
    },
    extendHold: (step, micros) => extendRunHold(database, run, step, micros),
    async close() {
      clearTimeout(timer)
      await tail
    },
  }
}

/** Events that wait to be committed, in order. */
class EventLine {
  #events: RunEvent[] = []
  #textLength = 0

  /** @returns whether the line has just become long enough to be written. */
  add(event: RunEvent): boolean {
    const wasShort = this.#textLength < flushAfterLength
    this.#events.push(event)
    if (event.type === 'text.delta') this.#textLength += event.text.length
    return wasShort && this.#textLength >= flushAfterLength
  }

  take(): readonly RunEvent[] {
    const events = this.#events
    this.#events = []
    this.#textLength = 0
    return events
  }

  putBack(events: readonly RunEvent[]): void {
    this.#events = [...events, ...this.#events]
  }
}

async function insertStep(
  tx: Executor,
  run: OwnedRun,
  step: number,
  record: StepRecord,
  costMicros: bigint,
): Promise<void> {
  const key = { runId: run.id, step, accountId: run.accountId, epoch: run.epoch }
  await tx.insert(runSteps).values({ ...key, kind: record.kind, record, costMicros })
  await tx.update(runs).set({ stepCount: step }).where(eq(runs.id, run.id))
}

async function extendRunHold(
  database: Database,
  run: OwnedRun,
  step: number,
  micros: bigint,
): Promise<boolean> {
  try {
    await withTx(database, run, async (tx) => {
      const [owned] = await tx
        .update(runs)
        .set({ holdMicros: sql`${runs.holdMicros} + ${micros}` })
        .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
        .returning({ id: runs.id })
      if (!owned) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
      await extendHold(tx, { accountId: run.accountId, runId: run.id, micros, step })
    })
    return true
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
