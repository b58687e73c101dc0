import { isRecord, type Json, parsedJson } from '../json.ts'
import type { ModelRequest } from '../provider.ts'
import { answerFormatNames, namesParameter, sizeComplaint } from './refusal-wording.ts'

/** How requests to one model differ from our usual ones, because its server refused those. */
export type Adaptation = {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Parameters that are left out, see `parameterKey`. */
  readonly without: ReadonlySet<string>
  /** Attached members of messages that are left out. */
  readonly withoutMembers: ReadonlySet<string>
  /** Each message with tool calls has `reasoning_content`, if need be an empty one (DeepSeek). */
  readonly reasoningInCalls: boolean
  /** Each tool call has a thought signature, if need be the documented placeholder (Gemini). */
  readonly signatureInCalls: boolean
  /** Between the results of tools and a message of the user stands one of the assistant (Mistral). */
  readonly replyAfterResults: boolean
}

export const noAdaptation: Adaptation = Object.freeze({
  maxTokensField: 'max_tokens',
  without: new Set<string>(),
  withoutMembers: new Set<string>(),
  reasoningInCalls: false,
  signatureInCalls: false,
  replyAfterResults: false,
})

/** What two calls have learned. */
export function bothAdaptations(a: Adaptation, b: Adaptation): Adaptation {
  return {
    maxTokensField: a.maxTokensField === 'max_tokens' ? b.maxTokensField : a.maxTokensField,
    without: new Set([...a.without, ...b.without]),
    withoutMembers: new Set([...a.withoutMembers, ...b.withoutMembers]),
    reasoningInCalls: a.reasoningInCalls || b.reasoningInCalls,
    signatureInCalls: a.signatureInCalls || b.signatureInCalls,
    replyAfterResults: a.replyAfterResults || b.replyAfterResults,
  }
}

/**
 * A parameter as adaptations know it. Of some parameters a server refuses one kind of value only: DeepSeek refuses a
 * `tool_choice` that forces a call while it reasons, and `response_format` with a schema, but not the others.
 */
export function parameterKey(name: string, value: unknown): string {
  switch (name) {
    case 'tool_choice':
      return value === 'auto' || value === 'none' ? `${name} ${value}` : name
    case 'response_format':
      return isRecord(value) ? `${name} ${String(value['type'])}` : name
    case 'reasoning_effort':
      return `${name} ${String(value)}`
    default:
      return name
  }
}

/** Parameters without which the request means the same, or something that the turn's own checks make up for. */
const dispensable: ReadonlySet<string> = new Set([
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'seed',
  'stop',
  'stream_options',
  'temperature',
  'tool_choice',
  'top_p',
  'user',
])

/** What the refusal of a request calls for: another form of it, or the name of the parameter that cannot be mended. */
export type Lesson =
  | { readonly adaptation: Adaptation }
  | { readonly param: string }
  /** The refusal has another reason. */
  | undefined

/**
 * Reads the refusal of a request.
 * @param text the whole body of the 400 or 422.
 * @param sent the request's body, without its tools.
 * @param request its source.
 * @param own names of further parameters that the operator added, which can be left out.
 */
export function lessonOf(
  text: string,
  sent: Json,
  request: ModelRequest,
  adaptation: Adaptation,
  own: readonly string[],
): Lesson {
  const member = memberLesson(text, sent, adaptation)
  if (member) return { adaptation: { ...adaptation, ...member } }
  const named = namedIn(text, sent)
  const isSize = sizeComplaint.test(text)
  if (request.sampling.maxTokens !== undefined && named(adaptation.maxTokensField)) {
    const canRename = adaptation.maxTokensField === 'max_tokens' && !isSize
    return canRename
      ? { adaptation: { ...adaptation, maxTokensField: 'max_completion_tokens' } }
      : { param: 'max_tokens' }
  }
  const name = [...dispensable, ...own].find((one) => sent[one] !== undefined && named(one))
  if (name !== undefined) {
    const isMendable = !isSize || name === 'stream_options'
    return isMendable ? { adaptation: without(adaptation, parameterKey(name, sent[name])) } : { param: name }
  }
  return /^tools\b/.test(paramOf(text) ?? '') ? { param: 'tools' } : undefined
}

function without(adaptation: Adaptation, key: string): Adaptation {
  return { ...adaptation, without: new Set([...adaptation.without, key]) }
}

/** A refusal of members of the messages, or of messages without them. */
function memberLesson(text: string, sent: Json, adaptation: Adaptation): Partial<Adaptation> | undefined {
  const messages = sent['messages'] as readonly Json[]
  if (/thought_?signature/i.test(text) && !adaptation.signatureInCalls) return { signatureInCalls: true }
  if (rolesComplaint.test(text) && !adaptation.replyAfterResults) return { replyAfterResults: true }
  const lacks = ({ tool_calls: calls, reasoning_content: reasoning }: Json) =>
    calls !== undefined && typeof reasoning !== 'string'
  if (/\breasoning_content\b/.test(text) && !adaptation.reasoningInCalls && messages.some(lacks))
    return { reasoningInCalls: true }
  const known = new Set(messages.filter(({ role }) => role === 'assistant').flatMap(Object.keys))
  const refused = [...known].find((name) => !usual.has(name) && hasWord(text, name))
  if (refused === undefined) return undefined
  const withoutMembers = new Set([...adaptation.withoutMembers, refused])
  return { withoutMembers, ...(refused === 'reasoning_content' && { reasoningInCalls: false }) }
}

const usual = new Set(['role', 'content', 'tool_calls'])

/** Our messages of user and assistant alternate already, so this complains about the user's after the results of tools. */
const rolesComplaint = /'?user'? after role '?tool|roles must alternate/i

const hasWord = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w])${RegExp.escape(name)}(?![\\w])`).test(text)

/** Tells whether a refusal names a parameter. The member `param` or a FastAPI location says it; otherwise the text does. */
function namedIn(text: string, sent: Json): (name: string) => boolean {
  const param = paramOf(text)
  const member = param?.split(/[.[]/)[0]
  // LiteLLM says "None".
  if (param !== undefined && member !== undefined && (member === 'tools' || member in sent))
    return (name) => param === name || param.startsWith(`${name}.`)
  // All of it: gateways put the words of the model's server in a member of their own. In JSON the quotes around a name are
  // escaped, once or twice.
  const said = text.replaceAll('\\', '')
  return (name) => [name, ...(otherNames[name] ?? [])].some((one) => namesParameter(said, one))
}

/** What servers call a parameter besides its name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  reasoning_effort: ['reasoning value', 'reasoning effort', 'thinking level'],
  response_format: answerFormatNames,
  stream_options: ['include_usage'],
}

/** The parameter that a refusal names in a member of its own. */
function paramOf(text: string): string | undefined {
  const value = parsedJson(text)
  // Gemini's endpoint sends its error in a list.
  const body: unknown = Array.isArray(value) ? value[0] : value
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : body
  if (!isRecord(error)) return undefined
  if (typeof error['param'] === 'string' && error['param'] !== '') return error['param']
  const detail = isRecord(error['message']) ? error['message']['detail'] : error['detail']
  const first = Array.isArray(detail) ? detail[0] : undefined
  const loc = isRecord(first) ? first['loc'] : undefined
  if (!Array.isArray(loc)) return undefined
  const path = loc.filter((part) => part !== 'body').map(String)
  // Pydantic names variants of unions in the path too, so only a first word that is a parameter says something.
  return path.length > 0 ? path.join('.') : undefined
}
