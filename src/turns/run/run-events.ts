import type { FinishReason, ToolCall, UpstreamReport } from '../../agent/provider.ts'
import type { FileChange } from '../../agent/tools.ts'
import type { QuoteCheck } from '../../sources/citations/check.ts'
import type { VerifiedQuote } from '../../sources/citations/verify.ts'
import type { AtPublisher } from '../../sources/library/publisher.ts'

/** A source of the answer as clients see it. `n` is its number in the text. */
export type CitedSource = {
  readonly n: number
  readonly ref: string
  readonly he_ref: string
  readonly title: string
  readonly work: string
  readonly language: string
  readonly version: string
  readonly license: string
  readonly url: string
  readonly text: string
  /** One entry per quotation next to the source's number. Empty if the turn ended before the check. */
  readonly verification: readonly QuoteCheck[]
}

/** A source and the number that it gets in the text when the answer first cites it. */
export type FirstCitation = { readonly n: number; readonly ref: string }

/** Position of a source's number in the answer's text, in UTF-16 units. */
export type CitationSpan = { readonly n: number; readonly start: number; readonly end: number }

/**
 * `cost_micros` is the ledger's amount as decimal text. `estimated` is true if a count is our estimate (see
 * `Usage`).
 */
export type RunUsage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  /** Part of `prompt_tokens` that the model's server read from its cache. Absent: it reports none. */
  readonly cached_tokens?: number
  /** Part of `prompt_tokens` that it wrote to its cache. Absent: it reports none. */
  readonly cache_write_tokens?: number
  /** Part of `completion_tokens` that the model spent on reasoning. Absent: its server reports none. */
  readonly reasoning_tokens?: number
  readonly model_calls: number
  readonly tool_calls: number
  readonly estimated: boolean
  readonly cost_micros: string
  /** Parameters that the model's server refused, so that the turn ran without them. */
  readonly left_out?: readonly string[]
  /** Which server of the model answered each step, for models with several. */
  readonly upstreams?: readonly ({ readonly step: number } & UpstreamReport)[]
}

/** The data at every end of a run. */
export type RunEnd = {
  /** The answer as shown, without the source list. */
  readonly text: string
  /** The source list that follows the text. Empty if the client did not ask for it or nothing was cited. */
  readonly source_list: string
  /** The words with which the model refused to answer, after the text. Absent: it did not. */
  readonly refusal?: string
  readonly sources: readonly CitedSource[]
  readonly citations: readonly CitationSpan[]
  /** Number of marks without a source. They were removed from the text. */
  readonly unknown_marks: number
  /**
   * Refs in the text that the library does not have, each with the nearest existing ref, and where its publisher has
   * it if that is known.
   */
  readonly unknown_refs: readonly {
    readonly ref: string
    readonly nearest: string | null
    readonly publisher?: AtPublisher
  }[]
  /**
   * Quotations without a citation, in order. Each was looked up where its sentence says, otherwise in the whole
   * library. Absent in logs of versions before this field.
   */
  readonly quotations?: readonly VerifiedQuote[]
  /** Quotations of the user's question that it attributes, or that the library has. Absent if there are none. */
  readonly question_quotations?: readonly VerifiedQuote[]
  readonly files: readonly FileChange[]
  /** Calls of the client's own tools that the client must answer. */
  readonly tool_calls: readonly ToolCall[]
  /** The calls of the turn's own tools. Absent for runs of version 0.2. */
  readonly tools_used?: readonly ToolUse[]
  readonly usage: RunUsage
}

/** A call of one of the turn's own tools, as it was shown. */
export type ToolUse = {
  readonly step: number
  readonly name: string
  readonly title: string
  /** Length of the text that was shown before it, in UTF-16 units. */
  readonly at: number
}

/**
 * The events of a run, as every reader sees them, in this order:
 *
 *     run.queued? run.started (step.started text.delta* (tool.started* tool.finished* file*)?)* run.completed | run.failed | run.cancelled
 *
 * `step.restarted` declares earlier events of unfinished steps void, because another replica took the run over.
 */
export type RunEvent =
  | { readonly type: 'run.queued' }
  | { readonly type: 'run.started' }
  | { readonly type: 'step.started'; readonly step: number }
  | { readonly type: 'step.restarted'; readonly step: number; readonly void_from_seq: number }
  | {
      readonly type: 'text.delta'
      readonly step: number
      readonly text: string
      /** The sources that the answer cites here for the first time. Absent if there are none. */
      readonly cited?: readonly FirstCitation[]
    }
  | {
      readonly type: 'tool.started'
      readonly step: number
      readonly name: string
      readonly title: string
    }
  | { readonly type: 'tool.finished'; readonly step: number; readonly name: string; readonly ok: boolean }
  | { readonly type: 'file'; readonly step: number; readonly file: FileChange }
  | { readonly type: 'run.completed'; readonly reason: FinishReason; readonly end: RunEnd }
  | {
      readonly type: 'run.failed'
      readonly code: RunFailureCode
      readonly message: string
      /** The parameter that the model's server refused. */
      readonly param?: string
      readonly end: RunEnd
    }
  | { readonly type: 'run.cancelled'; readonly end: RunEnd }

export type RunFailureCode = 'run_failed' | 'upstream_failed' | 'context_length_exceeded' | 'invalid_value'

export type TerminalEvent = Extract<RunEvent, { readonly end: RunEnd }>

export function isTerminal(event: RunEvent): event is TerminalEvent {
  return 'end' in event
}

/** The answer with the model's words of refusal, if it refused, for readers that do not tell them apart. */
export function answerText({ text, refusal }: Pick<RunEnd, 'text' | 'refusal'>): string {
  return [text, refusal].filter(Boolean).join('\n\n')
}

/** The last event of a run, with its whole reply. Undefined if it has not ended. */
export function replyOf(run: { readonly reply: unknown }): TerminalEvent | undefined {
  return (run.reply as TerminalEvent | null) ?? undefined
}

/** How the run has ended. */
export function statusOf({ type }: TerminalEvent): 'completed' | 'failed' | 'cancelled' {
  return type.slice('run.'.length) as ReturnType<typeof statusOf>
}

/** The step an event belongs to; 0 for those of the whole run. */
export function stepOf(event: RunEvent): number {
  return 'step' in event ? event.step : 0
}
