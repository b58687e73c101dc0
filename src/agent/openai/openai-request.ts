import {
  attachmentText,
  type ModelMessage,
  type ModelRequest,
  type Sampling,
  type ToolCall,
} from '../provider.ts'
import { toolsJson } from '../tool-text.ts'
import { isRecord } from './openai-failure.ts'

/** What an upstream turned out to accept where implementations differ. */
export type Dialect = {
  readonly streamOptions: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
}

type Json = Readonly<Record<string, unknown>>

/**
 * Some servers parse the arguments of earlier calls and refuse the whole request when one is malformed, which would
 * end the conversation for ever. Such text is sent inside an object, so that the model still sees what it wrote.
 */
function callArguments(call: ToolCall): string {
  try {
    if (isRecord(JSON.parse(call.arguments))) return call.arguments
  } catch {
    // Malformed: wrapped below.
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
      // Null, not "": several servers refuse an empty text beside tool calls.
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
  // A choice without tools is refused by OpenAI.
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

/** The body of `POST /chat/completions`, JSON in UTF-8; what the client left out is left out. */
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

/** A complaint about the value of a field the server does know; sending the value elsewhere would only hide it. */
const VALUE_COMPLAINT =
  /too (?:large|small|high|low)|at (?:most|least)|must be|(?:less|greater) than|positive|maximum/i

/**
 * The change of dialect that answers a refusal, or null when the refusal is about something else.
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
