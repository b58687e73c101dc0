import type { FinishReason } from '../../agent/provider.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import type { Run } from '../../turns/run/run.ts'
import type { RunEnd, TerminalEvent } from '../../turns/run/run-events.ts'
import { version } from '../../version/version.ts'
import { endBlock, openBlock } from '../turn-reply/service-block.ts'
import {
  annotationsOf,
  completionId,
  contentBesidesRefusal,
  failureOf,
  noUsage,
  toolCallsOf,
  usageBody,
} from '../turn-reply/wire.ts'
import type { ReasoningField } from './reasoning.ts'
import type { completionSchema } from './reply-schema.ts'

type CompletionBody = BodyOf<typeof completionSchema>

/**
 * The whole reply of a run that has ended. A run that was cancelled, or failed after its first output, is a
 * well-formed completion with the reason in its text, because clients cannot read a 200 with an error body.
 * @param asFunctions whether the request used the older form of tools; the reply then uses it too.
 * @param reasoning the member of the message that reports the work of the agent. Empty: none.
 */
export function completionBody(
  run: Run,
  created: number,
  event: TerminalEvent,
  asFunctions: boolean,
  reasoning: Partial<Record<ReasoningField, string>> = {},
): CompletionBody {
  const { end } = event
  const failure = event.type === 'run.completed' ? undefined : failureOf(event)
  const said = contentBesidesRefusal(end)
  const content = failure ? [said, `[${failure.message}]`].filter(Boolean).join('\n\n') : said
  const annotations = annotationsOf(end)
  const reason = event.type === 'run.completed' ? finishOf(event.reason, asFunctions) : 'stop'
  const more = {
    ...(end.refusal !== undefined && { content: content === '' ? null : content, refusal: end.refusal }),
    ...reasoning,
    ...(annotations.length > 0 && { annotations }),
    ...callsOf(run, end, asFunctions),
  }
  return {
    ...bodyWith(run, created, content, reason, more),
    usage: usageBody(end.usage),
    x_service: { ...endBlock(run, event), ...(failure && { error: failure }) },
  }
}

/** The calls of client tools. The older form has room for one. */
export function callsOf(run: Run, end: RunEnd, asFunctions: boolean) {
  const calls = toolCallsOf(run, end)
  const [first] = calls
  if (!first) return undefined
  return asFunctions && first.type === 'function' ? { function_call: first.function } : { tool_calls: calls }
}

/** The finish reason in the form of the request. */
export function finishOf(reason: FinishReason, asFunctions: boolean): FinishReason | 'function_call' {
  return asFunctions && reason === 'tool_calls' ? 'function_call' : reason
}

/** The reply to a background request. The client reads the events and the end of the run elsewhere. */
export function backgroundBody(run: Run, created: number, repeated: boolean): CompletionBody {
  // A new run is reported as queued, even if a replica has claimed it already.
  return { ...bodyWith(run, created, ''), x_service: openBlock(run, repeated ? run.status : 'queued') }
}

/** The body when this process loses the run after it has sent the status. */
export function interruptedBody(run: Run, created: number, message: string): CompletionBody {
  const error = { code: 'run_failed', message }
  return {
    ...bodyWith(run, created, `[${message}]`),
    x_service: { ...openBlock(run, 'in_progress'), error },
  }
}

/** A completion that has used no tokens, without `x_service`. */
function bodyWith(
  run: Run,
  created: number,
  content: string,
  reason: ReturnType<typeof finishOf> = 'stop',
  more: Partial<CompletionBody['choices'][number]['message']> = {},
) {
  const message = { role: 'assistant' as const, content, refusal: null, ...more }
  return {
    id: completionId(run),
    object: 'chat.completion' as const,
    created,
    model: run.model,
    system_fingerprint: `fp_${version}`,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    usage: noUsage,
  }
}
