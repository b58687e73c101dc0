import type { ModelStep, StepRecord } from '../../agent/events.ts'
import type { Attached, ModelMessage } from '../../agent/provider.ts'
import type { Run } from '../run/run.ts'
import { type RunEnd, type RunUsage, statusOf, type TerminalEvent } from '../run/run-events.ts'
import { answerPosition } from '../run/transcript.ts'
import type { RunEndRow } from './turn-store.ts'

/** Sums over the steps. `costMicros` is the amount in the ledger. */
export function usageOf(steps: readonly StepRecord[], costMicros: bigint): RunUsage {
  const replies = steps.filter((step) => step.kind === 'model')
  const sum = (countOf: (usage: ModelStep['usage']) => number | undefined) =>
    replies.reduce((total, { usage }) => total + (countOf(usage) ?? 0), 0)
  const prompt = sum(({ promptTokens }) => promptTokens)
  const completion = sum(({ completionTokens }) => completionTokens)
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
    ...Object.fromEntries(Object.entries(parts).filter(([, count]) => count > 0)),
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
  if (end.text === '' && end.tool_calls.length === 0) return null
  const answer: ModelMessage = {
    role: 'assistant',
    content: end.text,
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
    project_id: run.projectId,
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    estimated: usage.estimated,
  }
}
