import type { StepRecord } from '../../agent/events.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { statement, turnCall } from '../../db/statement.ts'
import type { Run } from '../run/run.ts'
import type { RunEnd, RunUsage, TerminalEvent } from '../run/run-events.ts'
import { answerPosition } from '../run/transcript.ts'
import { appendParameters, appendValues } from './append-values.ts'
import { type Appending, leaseLost } from './event-log.ts'
import type { Last } from './journal.ts'

/** Sums over the steps. `costMicros` is the amount in the ledger. */
export function usageOf(steps: readonly StepRecord[], costMicros: bigint): RunUsage {
  let [prompt, completion, modelCalls, toolCalls, estimated] = [0, 0, 0, 0, false]
  for (const step of steps) {
    if (step.kind === 'tool') {
      toolCalls += 1
      continue
    }
    if (!step.preset) modelCalls += 1
    prompt += step.usage.promptTokens
    completion += step.usage.completionTokens
    estimated ||= step.usage.estimated
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    model_calls: modelCalls,
    tool_calls: toolCalls,
    estimated,
    cost_micros: costMicros.toString(),
  }
}

/** Whether a turn has produced text or files. */
export function hasOutput(end: Pick<RunEnd, 'text' | 'files'>): boolean {
  return end.text !== '' || end.files.length > 0
}

const end = statement<{ owned: boolean; waiting: boolean }>(
  'end_turn',
  `select owned, waiting
  from end_turn(${appendParameters}, :status, :output, :errorCode, :errorMessage, :finishReason, :usage, :costMicros, :chargeMicros,
    :facts, :sessionId, :messageId, :turn, ${answerPosition}, :answer)`,
  turnCall,
)

/**
 * Ends a run in one call: writes its last steps and events, settles the hold, stores the answer and closes the
 * row. `done` resolves to whether other turns of the account may be waiting. It rejects, and nothing is
 * written, with LeaseLost if the run has another owner or has ended, and if the charge would exceed the hold.
 */
export function closeRun(
  executor: Executor,
  run: Run,
  event: TerminalEvent,
  last: Last,
): Appending<{ readonly waiting: boolean }> {
  const status = statusOf(event)
  const { usage, ...said } = event.end
  const cost = BigInt(usage.cost_micros)
  const isFree = status === 'failed' && cost === 0n && !hasOutput(said)
  const values = appendValues(run, last.before, last.waiting)
  const ending = end(executor, {
    ...values,
    status,
    output: JSON.stringify(outputItems(run, event.end)),
    errorCode: event.type === 'run.failed' ? event.code : null,
    errorMessage: event.type === 'run.failed' ? event.message : '',
    finishReason: event.type === 'run.completed' ? event.reason : null,
    usage: JSON.stringify(usage),
    costMicros: cost,
    sessionId: run.sessionId,
    chargeMicros: isFree ? null : cost,
    facts: JSON.stringify(factsOf(run, event.end)),
    messageId: run.messageId,
    turn: run.turn,
    answer: status === 'failed' ? null : answerOf(event.end),
  })
  const done = ending.then(([row]) => {
    if (!row?.owned) throw leaseLost(run)
    return { waiting: row.waiting }
  })
  return { added: values.eventCount, steps: last.waiting.steps, done }
}

/** The answer as a message for later turns, as JSON. Null if the turn has no answer. */
function answerOf(end: RunEnd): string | null {
  if (end.text === '' && end.tool_calls.length === 0) return null
  const answer: ModelMessage = { role: 'assistant', content: end.text, toolCalls: end.tool_calls }
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

function statusOf(event: TerminalEvent): 'completed' | 'failed' | 'cancelled' {
  switch (event.type) {
    case 'run.completed':
      return 'completed'
    case 'run.failed':
      return 'failed'
    case 'run.cancelled':
      return 'cancelled'
  }
}

/** The run's output as the API shows it. */
function outputItems(run: Run, end: RunEnd): readonly Record<string, unknown>[] {
  return [
    ...(end.text === ''
      ? []
      : [{ type: 'message', id: run.messageId, role: 'assistant', content: end.text + end.source_list }]),
    ...end.tool_calls.map((call) => ({
      type: 'tool_call',
      id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
    ...end.sources.map((source) => ({ type: 'source', ...source })),
    ...(end.quotations ?? []).map((quotation) => ({ type: 'quotation', ...quotation })),
    ...end.files.map((file) => ({
      type: 'file',
      id: file.id,
      filename: file.filename,
      bytes: file.bytes,
      content_type: file.contentType,
      action: file.action,
    })),
  ]
}
