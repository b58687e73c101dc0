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
 * Stores the finished steps. They are durable once the next call of `budget` has resolved, or the turn has
 * ended. An error ends the turn as `internal`.
 */
export type Journal<Transaction> = {
  model(record: ModelStep): void
  /** Runs the deferred write of a result, makes it durable before it resolves, and returns the recorded step. */
  tool(step: number, call: ToolCall, outcome: ToolOutcome<Transaction>): Promise<ToolStep>
}

export type LoopInput<Transaction> = {
  readonly provider: Provider
  readonly tools: Toolbox<Transaction>
  /**
   * Tools that the client runs. A call of one ends the turn with `tool_calls`, after our own calls of the same
   * reply have results. A client's tool replaces ours of the same name.
   */
  readonly clientTools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  readonly messages: readonly ModelMessage[]
  /** Tool calls at the beginning of the turn, as if the model had requested them. */
  readonly firstCalls?: readonly Omit<ToolCall, 'id'>[]
  /** Steps that earlier attempts at this turn finished, in order. */
  readonly finished: readonly StepRecord[]
  readonly sampling: Sampling
  readonly limits: LoopLimits
  readonly journal: Journal<Transaction>
  /**
   * Called before each model call; it makes all earlier steps durable. A text ends the turn with `length` and
   * that notice.
   */
  readonly budget: (request: ModelRequest) => Promise<string | null>
  /** Called before the tool calls of a reply run. A text ends the turn with `length` and that notice; none of them runs. */
  readonly toolBudget: (calls: readonly ToolCall[]) => Promise<string | null>
  readonly newCallId: () => string
  readonly signal: AbortSignal
}
