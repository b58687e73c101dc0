import { inStrictForm, withImagesAfterResults, withRepliesAfterResults } from '../conversation.ts'
import { isRecord, type Json, parsedJson } from '../json.ts'
import {
  type Attached,
  attachmentText,
  type ImagePart,
  type ModelMessage,
  type ModelRequest,
  type Sampling,
  type ToolCall,
} from '../provider.ts'
import { toolsJson } from '../tokens.ts'
import { WireIds } from '../wire-call-ids.ts'
import { type Adaptation, parameterKey } from './adaptation.ts'
import type { AttachedCall, AttachedReply } from './attached.ts'

/** What a request is made for. */
export type RequestTarget = {
  /** Identity of the upstream. Replies of another one give nothing back. */
  readonly upstream: string
  readonly model: string
  /** Members that the operator adds to each request. */
  readonly extra: Json
}

/** A request's body as JSON in UTF-8, and what its refusal can be about. */
export type WireRequest = {
  readonly body: Buffer
  /** The members of the body besides `tools`. */
  readonly sent: Json
  /** Parameters of the client or the operator that are left out. */
  readonly leftOut: readonly string[]
}

/** The body of `POST /chat/completions`. Options that neither client nor operator set are omitted. */
export function wireRequest(
  target: RequestTarget,
  request: ModelRequest,
  adaptation: Adaptation,
): WireRequest {
  const { extra, model } = target
  const options = defined({
    ...extra,
    ...defined({ ...wireToolChoice(request), ...wireSampling(request.sampling, adaptation.maxTokensField) }),
    stream: true,
    stream_options: { include_usage: true },
  })
  const kept = Object.entries(options).filter(
    ([name, value]) => !adaptation.without.has(parameterKey(name, value)),
  )
  const names = Object.keys(options).filter((name) => name !== 'stream_options')
  const members = Object.fromEntries(kept)
  const messages = wireMessages(target.upstream, request.messages, adaptation)
  const sent = { model, messages, ...members }
  return {
    body: bodyOf(sent, request),
    sent,
    leftOut: kept.length < Object.keys(options).length ? names.filter((name) => !(name in members)) : [],
  }
}

const closingBrace = Buffer.from('}')

function bodyOf(sent: Json, { tools }: ModelRequest): Buffer {
  const body = JSON.stringify(sent)
  if (tools.length === 0) return Buffer.from(body)
  return Buffer.concat([Buffer.from(`${body.slice(0, -1)},"tools":`), toolsJson(tools), closingBrace])
}

const defined = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function wireToolChoice(request: ModelRequest): Json {
  // OpenAI refuses `tool_choice` without tools.
  if (request.tools.length === 0) return {}
  const { toolChoice } = request
  return {
    tool_choice:
      typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.name } },
  }
}

function wireSampling(sampling: Sampling, maxTokensField: Adaptation['maxTokensField']): Json {
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

function wireMessages(
  upstream: string,
  messages: readonly ModelMessage[],
  adaptation: Adaptation,
): readonly Json[] {
  const ids = new WireIds()
  const told = withImagesAfterResults(inStrictForm(messages))
  const replied = adaptation.replyAfterResults ? withRepliesAfterResults(told) : told
  return replied.map((message) => wireMessage(upstream, message, ids, adaptation))
}

function wireMessage(upstream: string, message: ModelMessage, ids: WireIds, adaptation: Adaptation): Json {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'tool':
      return { role: 'tool', tool_call_id: ids.ofResult(message.callId), content: message.content }
    case 'assistant':
      return wireReply(message, replyAttached(message.attached, upstream), ids, adaptation)
    case 'user':
      return { role: 'user', content: wireContent(message.content) }
  }
}

function wireReply(
  { content, toolCalls, attached }: Extract<ModelMessage, { role: 'assistant' }>,
  { message, parts = [], calls = [] }: AttachedReply,
  ids: WireIds,
  adaptation: Adaptation,
): Json {
  const text =
    parts.length === 0 ? content : [...parts, ...(content === '' ? [] : [{ type: 'text', text: content }])]
  const kept = Object.entries(message ?? {}).filter(([name]) => !adaptation.withoutMembers.has(name))
  const own = Object.fromEntries(kept)
  if (toolCalls.length === 0) return { ...own, role: 'assistant', content: text }
  const attachedCall = ({ id }: ToolCall) => calls[attached?.callIds.indexOf(id) ?? -1] ?? {}
  return {
    ...(adaptation.reasoningInCalls && { reasoning_content: noReasoning }),
    ...own,
    role: 'assistant',
    // Null instead of "": several servers refuse an empty text with tool calls.
    content: text || null,
    tool_calls: toolCalls.map((call) => wireCall(call, attachedCall(call), ids, adaptation)),
  }
}

/** DeepSeek takes any text, Moonshot none that is empty. */
const noReasoning = ' '

/**
 * Gemini accepts a call that it did not make with this text in place of its signature (ai.google.dev, "Thought
 * signatures", FAQ).
 */
const placeholderSignature = { google: { thought_signature: 'skip_thought_signature_validator' } }

function wireCall(
  call: ToolCall,
  attached: AttachedCall,
  ids: WireIds,
  { signatureInCalls }: Adaptation,
): Json {
  return {
    ...(signatureInCalls && { extra_content: placeholderSignature }),
    ...attached.members,
    id: ids.ofCall(call.id, attached.id),
    type: 'function',
    function: { ...attached.function, name: call.name, arguments: callArguments(call) },
  }
}

/**
 * Some servers parse the arguments of earlier calls and refuse the whole request if one is malformed, which
 * would block the conversation forever. Malformed text is therefore wrapped in an object, and the model still
 * sees it.
 */
function callArguments(call: ToolCall): string {
  if (isRecord(parsedJson(call.arguments))) return call.arguments
  return JSON.stringify({ malformed_arguments: call.arguments })
}

const nothing: AttachedReply = Object.freeze({})

/** Parsed once: every call of a turn sends the same messages. */
const parsedReplies = new WeakMap<Attached, AttachedReply>()

function replyAttached(attached: Attached | undefined, upstream: string): AttachedReply {
  if (attached?.upstream !== upstream) return nothing
  const known = parsedReplies.get(attached)
  if (known) return known
  const reply = JSON.parse(attached.json) as AttachedReply
  parsedReplies.set(attached, reply)
  return reply
}

function wireContent(content: Extract<ModelMessage, { role: 'user' }>['content']): unknown {
  if (typeof content === 'string') return content
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'file') return { type: 'text', text: attachmentText(part.fileId) }
    return wireImage(part)
  })
}

function wireImage({ url, detail }: ImagePart): Json {
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } }
}
