import type { ModelStep, StepRecord, ToolStep } from '../events.ts'
import type { LoopLimits } from '../limits.ts'
import type {
  ModelMessage,
  ModelRequest,
  Provider,
  Sampling,
  ToolCall,
  ToolChoice,
  ToolSpec,
} from '../provider.ts'
import type { Toolbox, ToolOutcome } from '../tools.ts'

/**
 * Keeps the finished steps. They are durable when the `budget` of the next model call has been asked for, or the turn has
 * ended; what it throws ends the turn as `internal`.
 */
export type Journal<Transaction> = {
  model(record: ModelStep): void
  /** Runs the outcome's deferred write, which is durable at once, and returns the step as it is recorded. */
  tool(step: number, call: ToolCall, outcome: ToolOutcome<Transaction>): Promise<ToolStep>
}

export type LoopInput<Transaction> = {
  readonly provider: Provider
  readonly tools: Toolbox<Transaction>
  /**
   * Tools that the client runs: a call of one of them ends the turn with `tool_calls`, once the calls of ours beside
   * it have their results. One hides ours of the same name, since the model cannot tell two apart.
   */
  readonly clientTools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  readonly messages: readonly ModelMessage[]
  /** Calls that the turn begins with, as if the model had asked for them. */
  readonly firstCalls?: readonly Omit<ToolCall, 'id'>[]
  /** Steps that an earlier attempt at this turn has finished, in order. */
  readonly finished: readonly StepRecord[]
  readonly sampling: Sampling
  readonly limits: LoopLimits
  readonly journal: Journal<Transaction>
  /**
   * Asked before each model call, which is sent when all steps before it are durable: a text ends the turn with `length`
   * and that notice.
   */
  readonly budget: (request: ModelRequest) => Promise<string | null>
  readonly newCallId: () => string
  readonly signal: AbortSignal
}
