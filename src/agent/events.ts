import type { FinishReason, ToolCall, Usage } from './provider.ts'
import type { FileChange, OfferedSource } from './tools.ts'

/**
 * What the loop tells of a turn, in this order:
 *
 *     (step.started (text.delta* | nothing) step.finished (tool.started* tool.finished*)?)* turn.finished | turn.failed
 *
 * Steps are numbered from 1: a model reply takes one number, each tool result the next. The last event is the only
 * place where a failure appears.
 */
export type AgentEvent =
  | { readonly type: 'step.started'; readonly step: number }
  | { readonly type: 'text.delta'; readonly step: number; readonly text: string }
  | { readonly type: 'step.finished'; readonly step: number; readonly record: StepRecord }
  | { readonly type: 'tool.started'; readonly step: number; readonly call: ToolCall; readonly title: string }
  | { readonly type: 'tool.finished'; readonly step: number; readonly record: ToolStep }
  | { readonly type: 'turn.finished'; readonly reason: FinishReason; readonly notice: string | null }
  | {
      readonly type: 'turn.failed'
      readonly kind: TurnFailure
      readonly message: string
      /** The model call that was under way. It is in no journal yet. */
      readonly unfinished?: ModelStep
    }

/** How a turn ends. */
export type TurnEnd = Extract<AgentEvent, { type: 'turn.finished' | 'turn.failed' }>

/** All that comes before the end. */
export type TurnNews = Exclude<AgentEvent, TurnEnd>

export type TurnFailure = 'aborted' | 'context' | 'format' | 'upstream' | 'internal'

/** A finished model reply, as the journal keeps it. */
export type ModelStep = {
  readonly kind: 'model'
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly reason: FinishReason
  readonly usage: Usage
  /** Its calls were asked for by the turn itself, and no model. */
  readonly preset?: boolean
  /** The call was stopped or failed: the text is what came of it, and the usage our estimate. The last step of its turn. */
  readonly unfinished?: boolean
}

/** A model call without a reply to go on with, and what came of it; nothing when it was not sent. */
export type ModelFault = {
  readonly kind: 'fault'
  readonly failure: TurnFailure
  readonly message: string
  readonly unfinished?: ModelStep
}

/** A reply that was cut off: nothing follows it, whatever it calls. */
export function endsEarly({ reason }: ModelStep): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** A finished tool call, as the journal keeps it. */
export type ToolStep = {
  readonly kind: 'tool'
  readonly call: ToolCall
  readonly content: string
  readonly isError: boolean
  readonly sources: readonly OfferedSource[]
  readonly files: readonly FileChange[]
}

export type StepRecord = ModelStep | ToolStep
