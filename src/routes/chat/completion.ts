import type { BodyOf } from '../../http/openapi/docs.ts'
import type { Run } from '../../turns/run/run.ts'
import type { TerminalEvent } from '../../turns/run/run-events.ts'
import {
  annotationsOf,
  completionId,
  contentOf,
  endBlock,
  failureOf,
  noUsage,
  openBlock,
  toolCallsOf,
  usageBody,
} from '../turn-reply/wire.ts'
import type { completionSchema } from './reply-schema.ts'

type CompletionBody = BodyOf<typeof completionSchema>

/**
 * The whole reply of a run that has ended. A run that was cancelled, or failed after its first output, is a
 * well-formed completion with the reason in its text, because clients cannot read a 200 with an error body.
 */
export function completionBody(run: Run, created: number, event: TerminalEvent): CompletionBody {
  const { end } = event
  const failure = event.type === 'run.completed' ? undefined : failureOf(event)
  const content = failure
    ? [contentOf(end), `[${failure.message}]`].filter(Boolean).join('\n\n')
    : contentOf(end)
  const annotations = annotationsOf(end)
  const calls = toolCallsOf(end)
  return {
    id: completionId(run),
    object: 'chat.completion' as const,
    created,
    model: run.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant' as const,
          content,
          refusal: null,
          ...(annotations.length > 0 && { annotations }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: event.type === 'run.completed' ? event.reason : ('stop' as const),
      },
    ],
    usage: usageBody(end.usage),
    x_service: { ...endBlock(run, event), ...(failure && { error: failure }) },
  }
}

/** The reply to a background request. The client reads the events and the end of the run elsewhere. */
export function backgroundBody(run: Run, created: number, repeated: boolean): CompletionBody {
  // A new run is reported as queued, even if a replica has claimed it already.
  return { ...emptyBody(run, created, ''), x_service: openBlock(run, repeated ? run.status : 'queued') }
}

/** The body when this process loses the run after it has sent the status. */
export function interruptedBody(run: Run, created: number, message: string): CompletionBody {
  const error = { code: 'run_failed', message }
  return {
    ...emptyBody(run, created, `[${message}]`),
    x_service: { ...openBlock(run, 'in_progress'), error },
  }
}

function emptyBody(run: Run, created: number, content: string) {
  return {
    id: completionId(run),
    object: 'chat.completion' as const,
    created,
    model: run.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant' as const, content, refusal: null },
        logprobs: null,
        finish_reason: 'stop' as const,
      },
    ],
    usage: noUsage,
  }
}
