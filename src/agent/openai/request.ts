import {
  attachmentText,
  type ModelMessage,
  type ModelRequest,
  type Sampling,
  type ToolCall,
} from '../provider.ts'
import { toolsJson } from '../tool-text.ts'
import { isRecord } from './failure.ts'

/** What an upstream accepts where implementations differ. */
export type Dialect = {
  readonly streamOptions: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
}

type Json = Readonly<Record<string, unknown>>

/**
 * Some servers parse the arguments of earlier calls and refuse the whole request if one is malformed, which
 * would block the conversation forever. Malformed text is therefore wrapped in an object, and the model still
 * sees it.
 */
function callArguments(call: ToolCall): string {
  try {
    if (isRecord(JSON.parse(call.arguments))) return call.arguments
  } catch {
    // Malformed JSON: wrapped below.
  }
  return JSON.stringify({ malformed_arguments: call.arguments })
}

function wireCall(call: ToolCall): Json {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: callArguments(call) } }
}

function wireMessage(message: ModelMessage): Json {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content }
    case 'assistant': {
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content }
      // Null instead of "": several servers refuse an empty text with tool calls.
      return {
        role: 'assistant',
        content: message.content || null,
        tool_calls: message.toolCalls.map(wireCall),
      }
    }
    case 'user':
      return { role: 'user', content: wireContent(message.content) }
  }
}

function wireContent(content: Extract<ModelMessage, { role: 'user' }>['content']): unknown {
  if (typeof content === 'string') return content
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'file') return { type: 'text', text: attachmentText(part.fileId) }
    const detail = part.detail === undefined ? {} : { detail: part.detail }
    return { type: 'image_url', image_url: { url: part.url, ...detail } }
  })
}

function wireToolChoice(request: ModelRequest): Json {
  // OpenAI refuses `tool_choice` without tools.
  if (request.tools.length === 0) return {}
  const { toolChoice } = request
  return {
    tool_choice:
      typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.name } },
  }
}

function wireSampling(sampling: Sampling, maxTokensField: Dialect['maxTokensField']): Json {
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    [maxTokensField]: sampling.maxTokens,
    stop: sampling.stop?.length ? sampling.stop : undefined,
    seed: sampling.seed,
    reasoning_effort: sampling.reasoningEffort,
    user: sampling.user,
    response_format: sampling.responseFormat,
  }
}

const closingBrace = Buffer.from('}')

/** The body of `POST /chat/completions`, JSON in UTF-8. Options that the client did not set are omitted. */
export function requestBody(model: string, request: ModelRequest, dialect: Dialect): Buffer {
  const body = JSON.stringify({
    model,
    messages: request.messages.map(wireMessage),
    ...wireToolChoice(request),
    ...wireSampling(request.sampling, dialect.maxTokensField),
    stream: true,
    stream_options: dialect.streamOptions ? { include_usage: true } : undefined,
  })
  if (request.tools.length === 0) return Buffer.from(body)
  const head = Buffer.from(`${body.slice(0, -1)},"tools":`)
  return Buffer.concat([head, toolsJson(request.tools), closingBrace])
}

/**
 * Matches a complaint about a value. The server knows the field, so renaming the field would only hide the
 * complaint.
 */
const VALUE_COMPLAINT =
  /too (?:large|small|high|low)|at (?:most|least)|must be|(?:less|greater) than|positive|maximum/i

/**
 * The change of dialect that a refusal calls for, or null if the refusal has another reason.
 * @param text the whole body of the 400 or 422.
 */
export function dialectFor(text: string, request: ModelRequest, dialect: Dialect): Partial<Dialect> | null {
  if (dialect.streamOptions && /stream_options|include_usage/.test(text)) return { streamOptions: false }
  const named = /\bmax_tokens\b/.test(text) && !VALUE_COMPLAINT.test(text)
  if (request.sampling.maxTokens !== undefined && dialect.maxTokensField === 'max_tokens' && named) {
    return { maxTokensField: 'max_completion_tokens' }
  }
  return null
}
