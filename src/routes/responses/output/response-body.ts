import type { ToolSpec } from '../../../agent/provider.ts'
import { creditsNumber } from '../../../billing/credits.ts'
import { unixSeconds } from '../../../http/lists.ts'
import type { BodyOf } from '../../../http/openapi/docs.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunEnd, RunFailureCode, TerminalEvent } from '../../../turns/run/run-events.ts'
import type { CustomTool, RunRequest } from '../../../turns/run/run-request.ts'
import { endBlock, openBlock } from '../../turn-reply/service-block.ts'
import {
  annotationsOf,
  contentBesidesRefusal,
  customInput,
  failureOf,
  isCustom,
} from '../../turn-reply/wire.ts'
import { callItemId, conversationId, reasoningId, responseId } from '../ids.ts'
import type { callItem, customCallItem, messageItem, reasoningItem, responseSchema } from './reply-schema.ts'

export type ResponseBody = BodyOf<typeof responseSchema>
export type MessageItem = BodyOf<typeof messageItem>
export type ReasoningItem = BodyOf<typeof reasoningItem>
export type CallItem = BodyOf<typeof callItem> | BodyOf<typeof customCallItem>

/** The response of a run that has not ended. */
export function openResponse(run: Run, status: 'queued' | 'in_progress'): ResponseBody {
  return {
    ...requestOf(run),
    status,
    error: null,
    incomplete_details: null,
    output: [],
    x_service: openBlock(run, status),
  }
}

/**
 * The response of a run that ended with this event.
 * @param reasoning the text of the reasoning item, if a stream has reported it. Empty: the response has none.
 */
export function endedResponse(
  run: Run,
  event: TerminalEvent,
  reasoning = reasoningText(run, event.end),
): ResponseBody {
  const {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens,
    cost_micros,
    ...details
  } = event.end.usage
  return {
    ...requestOf(run),
    status: statusOf(event),
    error: event.type === 'run.failed' ? { ...failureOf(event), code: officialCodes[event.code] } : null,
    incomplete_details: incompleteDetails(event),
    output: outputOf(run, event, reasoning),
    usage: {
      input_tokens: input,
      input_tokens_details: {
        cached_tokens: details.cached_tokens ?? 0,
        cache_write_tokens: details.cache_write_tokens ?? 0,
      },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: details.reasoning_tokens ?? 0 },
      total_tokens,
      cost: creditsNumber(BigInt(cost_micros)),
    },
    x_service: {
      ...endBlock(run, event),
      ...(event.type !== 'run.completed' && { error: failureOf(event) }),
    },
  }
}

/** The API's own codes, because strict clients refuse others. `x_service.error` has ours. */
const officialCodes = {
  run_failed: 'server_error',
  upstream_failed: 'server_error',
  context_length_exceeded: 'invalid_prompt',
  invalid_value: 'invalid_prompt',
} as const satisfies Record<RunFailureCode, string>

/** What a response shows of parameters that its request leaves out. The model's server has its own; strict clients want some. */
const defaults = {
  frequency_penalty: 0,
  max_tool_calls: null,
  presence_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'default',
  temperature: 1,
  top_p: 1,
  truncation: 'disabled' as const,
}

/**
 * The constant members: the run, and the fields of its request. Runs of the chat route have fewer of them.
 */
function requestOf(run: Run) {
  const {
    sampling,
    clientTools,
    customTools = {},
    toolChoice,
    instructions,
    response,
  } = run.request as RunRequest
  return {
    id: responseId(run),
    object: 'response' as const,
    created_at: unixSeconds(run.createdAt),
    access_programs: null,
    ...defaults,
    ...response?.echoed,
    background: response?.background ?? false,
    // A replay of a stream must equal it, and the stream ends before the time is stored.
    completed_at: null,
    conversation: response?.inConversation ? { id: conversationId(run.sessionId) } : null,
    instructions: instructions ?? null,
    max_output_tokens: sampling.maxTokens ?? null,
    metadata: response?.metadata ?? {},
    model: run.model,
    parallel_tool_calls: response?.parallelToolCalls ?? true,
    previous_response_id: response?.previousId ?? null,
    reasoning: { effort: sampling.reasoningEffort ?? null, summary: response?.reasoningSummary ?? null },
    store: response?.store === undefined,
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    text: { format: formatOf(sampling) },
    tool_choice:
      typeof toolChoice === 'string'
        ? toolChoice
        : {
            type: isCustom(run, toolChoice.name) ? ('custom' as const) : ('function' as const),
            ...toolChoice,
          },
    tools: clientTools.map((tool) => toolOf(tool, customTools[tool.name])),
    top_logprobs: 0 as const,
    ...(sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(sampling.user !== undefined && { user: sampling.user }),
  }
}

function toolOf(tool: ToolSpec, custom: CustomTool | undefined): ResponseBody['tools'][number] {
  if (!custom) return { type: 'function', ...tool, strict: null }
  return { type: 'custom', name: tool.name, ...custom }
}

function formatOf({ responseFormat: format }: RunRequest['sampling']): ResponseBody['text']['format'] {
  if (!format) return { type: 'text' }
  const { type, json_schema: schema } = format as {
    readonly type: string
    readonly json_schema?: { readonly name: string }
  }
  return type === 'json_schema' && schema ? { type, ...schema } : { type: 'json_object' }
}

function statusOf(event: TerminalEvent): ResponseBody['status'] {
  if (event.type === 'run.failed') return 'failed'
  if (event.type === 'run.cancelled') return 'cancelled'
  return incompleteDetails(event) ? 'incomplete' : 'completed'
}

/**
 * A turn that ended at one of the service's limits is also `incomplete`, because the API has no other status
 * for it.
 */
function incompleteDetails(event: TerminalEvent): ResponseBody['incomplete_details'] {
  if (event.type !== 'run.completed') return null
  if (event.reason === 'length') return { reason: 'max_output_tokens' }
  return event.reason === 'content_filter' ? { reason: 'content_filter' } : null
}

/** The reasoning and the message, if there are any, and then the calls of client tools. */
function outputOf(run: Run, event: TerminalEvent, reasoning: string): ResponseBody['output'] {
  const message = messageOf(run, event)
  return [
    ...(reasoning === '' ? [] : [reasoningOf(run, reasoning)]),
    ...(message ? [message] : []),
    ...callsOf(run, event.end),
  ]
}

/** Whether the response of this run reports the agent's tool calls as reasoning. */
export function hasReasoning(run: Pick<Run, 'request'>): boolean {
  return (run.request as RunRequest).response?.reasoningSummary !== undefined
}

/** The text of the reasoning item: the titles of the tool calls before the first text. */
function reasoningText(run: Run, { tools_used: tools = [] }: RunEnd): string {
  if (!hasReasoning(run)) return ''
  return tools.map(({ at, title }) => (at === 0 ? `${title}\n` : '')).join('')
}

/** The finished reasoning item. */
export function reasoningOf(run: Run, text: string): ReasoningItem {
  return {
    id: reasoningId(run),
    type: 'reasoning',
    status: 'completed',
    summary: [{ type: 'summary_text', text }],
  }
}

/**
 * The message of a response, possibly empty; none if the response only calls client tools. A failure without
 * any output item would make a popular client send the whole turn again.
 */
export function messageOf(run: Run, event: TerminalEvent): MessageItem | undefined {
  const text = contentBesidesRefusal(event.end)
  if (text === '' && event.end.tool_calls.length > 0) return undefined
  const { refusal } = event.end
  const annotations = annotationsOf(event.end).map(({ type, url_citation }) => ({ type, ...url_citation }))
  return {
    id: run.messageId,
    type: 'message',
    role: 'assistant',
    status: statusOf(event) === 'completed' ? 'completed' : 'incomplete',
    content: [
      ...(text === '' && refusal !== undefined
        ? []
        : [{ type: 'output_text' as const, text, annotations, logprobs: [] }]),
      ...(refusal === undefined ? [] : [{ type: 'refusal' as const, refusal }]),
    ],
  }
}

/** The calls of client tools. A function of a namespace has both names, as the client sent them. */
export function callsOf(run: Run, end: RunEnd): readonly CallItem[] {
  const placed = (run.request as RunRequest).response?.namespaces ?? {}
  return end.tool_calls.map((call, index) => {
    const item = {
      id: callItemId(run, index),
      status: 'completed' as const,
      call_id: call.id,
      name: call.name,
      ...(Object.hasOwn(placed, call.name) && placed[call.name]),
    }
    return isCustom(run, call.name)
      ? { ...item, type: 'custom_tool_call', input: customInput(call.arguments) }
      : { ...item, type: 'function_call', arguments: call.arguments }
  })
}
