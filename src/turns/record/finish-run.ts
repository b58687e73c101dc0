import type { ModelStep, StepRecord } from '../../agent/events.ts'
import type { Attached, ModelMessage, ModelRequest } from '../../agent/provider.ts'
import { estimateTokens } from '../../agent/tokens.ts'
import { promptTokens } from '../../agent/usage.ts'
import type { Run } from '../run/run.ts'
import { answerText, type RunEnd, type RunUsage, statusOf, type TerminalEvent } from '../run/run-events.ts'
import { answerPosition } from '../run/transcript.ts'
import type { RunEndRow } from './turn-store.ts'

/** Sums over the steps. `costMicros` is the amount in the ledger. */
export function usageOf(steps: readonly StepRecord[], costMicros: bigint): RunUsage {
  const replies = steps.filter((step) => step.kind === 'model')
  /** Undefined if no reply has the count. */
  const sum = (countOf: (usage: ModelStep['usage']) => number | undefined) => {
    const counts = replies.map(({ usage }) => countOf(usage)).filter((count) => count !== undefined)
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count)
  }
  const prompt = sum(({ promptTokens }) => promptTokens) ?? 0
  const completion = sum(({ completionTokens }) => completionTokens) ?? 0
  const parts = {
    cached_tokens: sum(({ cachedTokens }) => cachedTokens),
    cache_write_tokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    reasoning_tokens: sum(({ reasoningTokens }) => reasoningTokens),
  }
  const leftOut = new Set(replies.flatMap(({ leftOut: names = [] }) => names))
  const upstreams = steps.flatMap((step, index) =>
    step.kind === 'model' && step.upstream ? [{ step: index + 1, ...step.upstream }] : [],
  )
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...Object.fromEntries(Object.entries(parts).filter(([, count]) => count !== undefined)),
    model_calls: replies.filter(({ preset }) => !preset).length,
    tool_calls: steps.length - replies.length,
    estimated: replies.some(({ usage }) => usage.estimated),
    cost_micros: costMicros.toString(),
    ...(leftOut.size > 0 && { left_out: [...leftOut] }),
    ...(upstreams.length > 0 && { upstreams }),
  }
}

/**
 * The last values of a run that ends with this event, whose usage has the final cost.
 * @param attached what the upstream wants back with the answer in later turns.
 */
export function endOf(run: Run, event: TerminalEvent, attached?: Attached): RunEndRow {
  const status = statusOf(event)
  const { usage } = event.end
  const isFree = status === 'failed' && usage.cost_micros === '0'
  return {
    status,
    reply: event,
    finishReason: event.type === 'run.completed' ? event.reason : null,
    cost: usage.cost_micros,
    charge: isFree ? null : usage.cost_micros,
    facts: factsOf(run, event.end),
    position: answerPosition,
    answer: status === 'failed' ? null : answerOf(event.end, attached),
  }
}

/** The answer as a message for later turns, as JSON. Null if the turn has no answer. */
function answerOf(end: RunEnd, attached: Attached | undefined): string | null {
  const content = answerText(end)
  if (content === '' && end.tool_calls.length === 0) return null
  const answer: ModelMessage = {
    role: 'assistant',
    content,
    toolCalls: end.tool_calls,
    ...(attached && { attached }),
  }
  return JSON.stringify(answer)
}

/** Facts about a charge, for the usage pages. */
function factsOf(run: Run, { usage }: RunEnd): Readonly<Record<string, unknown>> {
  return {
    model: run.model,
    key_id: run.apiKeyId,
    member_id: run.memberId,
    project_id: run.projectId,
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    estimated: usage.estimated,
  }
}

/** The model call during which a turn ends. */
export type UnfinishedCall = {
  /** Its result in this attempt. Undefined if the call was not sent. */
  readonly own: ModelStep | undefined
  /** The part of it that the model finished, and that our checks refused. */
  readonly refused?: ModelStep | undefined
  /** Whether this attempt showed any of its text. */
  readonly shown: boolean
  /** Text of the call that earlier attempts showed, as committed. */
  readonly partialText: string
}

/**
 * The step that the account pays if a model call does not finish: the prompt, and the longest text that any
 * attempt produced. A reply that the model finished is paid, whatever our checks say about it. Undefined if nothing is
 * charged: the call was never sent, or its server failed before any of its text was shown.
 * @param request returns the call's request if an earlier attempt sent it; undefined if the failure is ours.
 */
export function chargedCall(
  { own, refused, shown, partialText }: UnfinishedCall,
  status: 'cancelled' | 'failed',
  request: () => ModelRequest | undefined,
): ModelStep | undefined {
  const isDue = partialText !== '' || (own && (shown || status === 'cancelled'))
  if (!isDue) return refused && { ...refused, toolCalls: [], reason: 'length', unfinished: true }
  if (own && partialText === '') return own
  const asked = own ? undefined : request()
  const prompt = own?.usage.promptTokens ?? (asked ? promptTokens(asked) : 0)
  const said = own?.usage.completionTokens ?? 0
  const saidBefore = estimateTokens(partialText)
  return {
    kind: 'model',
    text: own && said >= saidBefore ? own.text : partialText,
    toolCalls: [],
    reason: 'length',
    usage: { promptTokens: prompt, completionTokens: Math.max(said, saidBefore), estimated: true },
    unfinished: true,
  }
}
