import { and, eq, sql } from 'drizzle-orm'
import type { StepRecord } from '../agent/events.ts'
import { settleHold } from '../billing/holds.ts'
import type { Executor } from '../db/client.ts'
import { runs, sessions } from '../db/schema/index.ts'
import { LeaseLost } from './event-log.ts'
import type { RunEnd, RunUsage, TerminalEvent } from './run-events.ts'
import type { Run } from './start-turn.ts'
import { storeAnswer } from './transcript.ts'

/** Sums over the finished steps; `costMicros` is what the ledger is told. */
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

/** Whether a turn showed or made anything: a failure that did neither is free. */
export function hasOutput(end: Pick<RunEnd, 'text' | 'files'>): boolean {
  return end.text !== '' || end.files.length > 0
}

/** Closes the row of a run, settles its hold and stores the answer, in the caller's transaction. */
export async function closeRun(executor: Executor, run: Run, event: TerminalEvent): Promise<void> {
  const status = statusOf(event)
  const { end } = event
  const cost = BigInt(end.usage.cost_micros)
  // The session before the pools, as a start has it, or the two could wait for each other. A turn that starts
  // meanwhile waits here, and then sees this run ended.
  await executor.update(sessions).set({ updatedAt: sql`now()` }).where(eq(sessions.id, run.sessionId))
  const free = status === 'failed' && !hasOutput(end)
  await settleHold(executor, {
    accountId: run.accountId,
    runId: run.id,
    chargeMicros: free ? null : cost,
    facts: factsOf(run, end),
  })
  if (status !== 'failed' && (end.text !== '' || end.tool_calls.length > 0)) {
    await storeAnswer(executor, run, { role: 'assistant', content: end.text, toolCalls: end.tool_calls })
  }
  const [closed] = await executor
    .update(runs)
    .set({
      status,
      output: outputItems(run, end),
      errorCode: event.type === 'run.failed' ? event.code : null,
      errorMessage: event.type === 'run.failed' ? event.message : '',
      finishReason: event.type === 'run.completed' ? event.reason : null,
      usage: end.usage,
      costMicros: cost,
      leaseOwner: null,
      leaseExpiresAt: null,
      finishedAt: sql`now()`,
    })
    .where(and(eq(runs.id, run.id), eq(runs.epoch, run.epoch), eq(runs.status, 'in_progress')))
    .returning({ id: runs.id })
  if (!closed) throw new LeaseLost(`run ${run.id} has left epoch ${run.epoch}`)
}

/** What the usage pages tell of a charge. */
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
