import type { Attached, FinishReason, ToolCall, UpstreamReport, Usage } from './provider.ts'
import type { FileChange, OfferedSource } from './tools.ts'

/**
 * The events of a turn in the agent loop, in this order:
 *
 *     (step.started (text.delta* | nothing) step.finished (tool.started* tool.finished*)?)* turn.finished | turn.failed
 *
 * Steps are numbered from 1: a model reply takes one number, each tool result the next. Only the last event can
 * be a failure.
 */
export type AgentEvent =
  | { readonly type: 'step.started'; readonly step: number }
  | { readonly type: 'text.delta'; readonly step: number; readonly text: string }
  | { readonly type: 'step.finished'; readonly step: number; readonly record: StepRecord }
  | { readonly type: 'tool.started'; readonly step: number; readonly call: ToolCall; readonly title: string }
  | { readonly type: 'tool.finished'; readonly step: number; readonly record: ToolStep }
  | { readonly type: 'turn.finished'; readonly reason: FinishReason; readonly notice: string | null }
  | (FailedCall & { readonly type: 'turn.failed'; readonly kind: TurnFailure; readonly message: string })

/** The model call during which a turn failed. The journal does not contain it. */
export type FailedCall = {
  /** Of kind `rejected`: the parameter that the model's server refused, as clients name it. */
  readonly param?: string
  /** The part that arrived. Absent if the call was not sent. */
  readonly unfinished?: ModelStep
  /** A reply that the model finished, and that our checks refused. `unfinished` includes it. */
  readonly refused?: ModelStep
}

/** The last event of a turn. */
export type TurnEnd = Extract<AgentEvent, { type: 'turn.finished' | 'turn.failed' }>

/** All events before the end. */
export type TurnProgress = Exclude<AgentEvent, TurnEnd>

/** `rejected`: the model's server refuses a parameter of the client. */
export type TurnFailure = 'aborted' | 'context' | 'format' | 'rejected' | 'upstream' | 'internal'

/** A finished model reply, as the journal stores it. */
export type ModelStep = {
  readonly kind: 'model'
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly reason: FinishReason
  readonly usage: Usage
  /** The turn itself requested these calls; no model was called. */
  readonly preset?: boolean
  /**
   * The call was stopped or failed. The text is what arrived, the usage is our estimate, and the step is the
   * last of its turn.
   */
  readonly unfinished?: boolean
  /** The words with which the model refused to answer. The text is then empty. */
  readonly refusal?: string
  /** What the upstream wants back with this reply. */
  readonly attached?: Attached
  /** Parameters of the client that the upstream refused. */
  readonly leftOut?: readonly string[]
  /** Only of models with several servers. */
  readonly upstream?: UpstreamReport
}

/** A model call that failed. */
export type ModelFault = FailedCall & {
  readonly kind: 'fault'
  readonly failure: TurnFailure
  readonly message: string
}

/** Whether the reply was cut off. The turn then ends, even if the reply contains tool calls. */
export function endsEarly({ reason }: ModelStep): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** A finished tool call, as the journal stores it. */
export type ToolStep = {
  readonly kind: 'tool'
  readonly call: ToolCall
  readonly content: string
  readonly isError: boolean
  readonly sources: readonly OfferedSource[]
  readonly files: readonly FileChange[]
}

export type StepRecord = ModelStep | ToolStep
