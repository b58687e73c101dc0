import type { ModelStep, StepRecord, ToolStep } from '../../agent/events.ts'
import type { Journal } from '../../agent/loop/loop-input.ts'
import type { Attached, ToolCall } from '../../agent/provider.ts'
import type { CommittedChange, ToolOutcome } from '../../agent/tools.ts'
import { modelCallMicros, type Price, toolCallPrice } from '../../billing/pricing.ts'
import type { Executor } from '../../db/client.ts'
import type { Run } from '../run/run.ts'
import type { RunEvent, TerminalEvent } from '../run/run-events.ts'
import { endOf } from './finish-run.ts'
import type { StepRow } from './turn-store.ts'
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts'

/** The journal of one attempt at a run: a write queue that prices the steps. */
export class RunJournal extends WriteQueue implements Journal<Executor> {
  readonly #price: Price

  constructor(run: Run, { price, ...options }: WriteQueueOptions & { readonly price: Price }) {
    super(run, options)
    this.#price = price
  }

  /** What these tool calls cost, in micro-credits. */
  priceOf(calls: readonly ToolCall[]): bigint {
    return calls.reduce((sum, { name }) => sum + toolCallPrice(this.#price, name), 0n)
  }

  event(event: RunEvent): void {
    this.append([event])
  }

  model(record: ModelStep): void {
    this.append([], this.#rowOf(record))
  }

  async tool(step: number, call: ToolCall, outcome: ToolOutcome<Executor>): Promise<ToolStep> {
    const { commit } = outcome
    let record = toolStep(call, outcome)
    if (!commit) this.append(toolEvents(step, record), this.#rowOf(record))
    else
      await this.change(async (tx) => {
        record = withChange(toolStep(call, outcome), await commit(tx))
        return { events: toolEvents(step, record), steps: [this.#rowOf(record)] }
      })
    return record
  }

  /**
   * The run's final cost in micro-credits, at most its hold. Nothing may be recorded between this and `finish`.
   * @param unfinished the open model call, if it is charged.
   */
  async finalCost(unfinished?: ModelStep): Promise<bigint> {
    await this.settled()
    const { costMicros, holdMicros } = this
    const cost = costMicros + (unfinished ? stepMicros(this.#price, unfinished) : 0n)
    return cost < holdMicros ? cost : holdMicros
  }

  /**
   * Ends the run in one transaction with its last event.
   * @param unfinished the open model call, if it is charged. It is recorded only together with the end.
   * @param attached what the upstream wants back with the answer in later turns.
   * @returns whether other turns of the account may be waiting.
   */
  finish(event: TerminalEvent, unfinished?: ModelStep, attached?: Attached): Promise<boolean> {
    const steps = unfinished ? [this.#rowOf(unfinished)] : []
    return this.end(endOf(this.run, event, attached), { events: [event], steps })
  }

  #rowOf(record: StepRecord): StepRow {
    return { record, costMicros: stepMicros(this.#price, record) }
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
